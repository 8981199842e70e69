"""The tenants of one home: each with a store, a log, keys and a cache of its own.

The tenant ``default`` is the home itself; each other one is a whole home under ``tenants/<name>``,
on PostgreSQL with a schema of its own. No query can name another tenant's row, for no connection of
one tenant sees another's tables (docs/adr/0022-one-home-per-tenant.md). Parser and model are
shared: neither keeps anything of a document.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spanproof.operations.assembly import make_context
from spanproof.operations.context import DEFAULT_TENANT, Context
from spanproof.operations.errors import MalformedTenantError, TenantNotFoundError
from spanproof.store.database.session import to_tenant_url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.operations.assembly import GivenParts
    from spanproof.operations.sampling.sampler import Sampler
    from spanproof.operations.settings import Settings

#: A tenant's name is a label of its log's host name, a folder, and part of a schema's name.
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)


class Tenants:
    """The context of every tenant, opened at its first use. Safe for several threads.

    At most ``settings.open_tenants`` stay open while they are unused; the one that was used
    longest ago is closed first, and one in use never.
    """

    def __init__(self, settings: Settings, parts: GivenParts | None = None) -> None:
        """``parts`` are given to the default tenant, which shares them with the others."""
        self.default = make_context(settings, **(parts or {}))
        self._settings = settings
        self._lock = threading.Lock()
        self._known: dict[str, Context] = {}
        self._sampler_lock = threading.Lock()
        self._samplers: dict[str, Sampler] = {}
        self._users: dict[str, int] = {}
        # Open but unused, the least recently used first.
        self._idle: OrderedDict[str, None] = OrderedDict()

    def find(self, name: str) -> Context:
        """A tenant's context, which stays open until ``close``: for users without a fixed end.

        A request or a job takes it by ``using``. Raises TenantNotFoundError.
        """
        return self.default if name == DEFAULT_TENANT else self._take(name)

    @contextmanager
    def using(self, name: str) -> Iterator[Context]:
        """A tenant's context, open for as long as the block runs; raise TenantNotFoundError."""
        if name == DEFAULT_TENANT:
            yield self.default
            return
        context = self._take(name)
        try:
            yield context
        finally:
            self._release(name)

    def sampler_of(self, context: Context) -> Sampler:
        """The sampler of a tenant's production answers; the first use starts its thread."""
        with self._sampler_lock:
            found = self._samplers.get(context.tenant)
            if found is None:
                from spanproof.operations.sampling.sampler import Sampler

                found = self._samplers[context.tenant] = Sampler(context)
            return found

    def find_sampler(self, name: str) -> Sampler | None:
        """The tenant's sampler if it runs already: to ask for it waits for nothing."""
        return self._samplers.get(name)

    def names(self) -> tuple[str, ...]:
        """Every tenant: the default one, then the others by name."""
        try:
            found = [each.name for each in self._folder.iterdir() if each.is_dir()]
        except FileNotFoundError:
            found = []
        return (DEFAULT_TENANT, *sorted(filter(_NAME.fullmatch, found)))

    def create(self, name: str) -> Context:
        """Make a tenant's home if it is missing; raise MalformedTenantError for a bad name."""
        check_tenant_name(name)
        if name != DEFAULT_TENANT:
            (self._folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.find(name)

    def close(self) -> None:
        """Close every tenant; closing twice does nothing."""
        with self._lock:
            known = list(self._known.values())
            self._idle.clear()
        try:
            for context in known:
                self._close(context)
        finally:
            # Last: it owns what it shares with the others.
            self._close(self.default)

    @property
    def _folder(self) -> Path:
        return self._settings.home.absolute() / "tenants"

    def _take(self, name: str) -> Context:
        # The error is the same for a missing tenant and for a name that no tenant may have.
        if not _NAME.fullmatch(name) or not (self._folder / name).is_dir():
            msg = f"Expected a tenant of this home, got {name!r}."
            raise TenantNotFoundError(msg, hint="Create a key for it: 'spanproof keys create'.")
        with self._lock:
            if name not in self._known:
                own = to_tenant_settings(self._settings, name)
                self._known[name] = make_context(own, tenant=name, owner=self.default)
            self._users[name] = self._users.get(name, 0) + 1
            self._idle.pop(name, None)
            return self._known[name]

    def _release(self, name: str) -> None:
        with self._lock:
            self._users[name] -= 1
            if not self._users[name]:
                self._idle[name] = None
            # Under the lock: no caller takes a tenant that is being closed.
            while len(self._idle) > self._settings.open_tenants:
                oldest, _ = self._idle.popitem(last=False)
                self._close(self._known[oldest])

    def _close(self, context: Context) -> None:
        with self._sampler_lock:
            sampler = self._samplers.pop(context.tenant, None)
        try:
            if sampler is not None:
                # First: what waits to be written needs all the others.
                sampler.close()
        finally:
            context.close()


def to_tenant_settings(settings: Settings, name: str) -> Settings:
    """The settings of a tenant: a home, a database, a log of its own; all else as it was."""
    if name == DEFAULT_TENANT:
        return settings
    mark, origin = settings.log_mark, settings.log_origin
    return settings.model_copy(
        update={
            "home": settings.home.absolute() / "tenants" / name,
            "database_url": to_tenant_url(settings.database_url, name),
            "blobs": None if settings.blobs is None else f"{settings.blobs}/tenants/{name}",
            "log_origin": None if origin is None else f"{name}.{origin}",
            "log_mark": None if mark is None else mark.with_name(f"{mark.name}-{name}"),
        }
    )


def check_tenant_name(name: str) -> None:
    """Raise MalformedTenantError for what cannot be a tenant's name."""
    if not _NAME.fullmatch(name):
        msg = f"Expected a tenant's name of 1 to 40 of a-z, 0-9 and inner '-', got {name!r}."
        raise MalformedTenantError(msg, hint="Give a name such as 'acme' or 'acme-staging'.")
