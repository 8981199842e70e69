"""Views that people keep under a name: the filters of a list, for everybody of the tenant."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.operations.access.principal import Principal
    from spanproof.operations.context import Context

#: Begins their names among the values that are configured.
_PREFIX = "console.view."
MAX_NAME_CHARACTERS = 80
MAX_QUERY_CHARACTERS = 2000
MAX_VIEWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedView:
    """A name and the query of a list's address; ``key`` names it where it is removed."""

    key: str
    name: str
    query: str


def list_views(context: Context) -> tuple[SavedView, ...]:
    """The views by their names."""
    found = [
        SavedView(key=each.name.removeprefix(_PREFIX), **json.loads(each.value))
        for each in context.store.configuration.list(_PREFIX)
        if each.value
    ]
    return tuple(sorted(found, key=lambda view: (view.name.casefold(), view.key)))


def save_view(
    context: Context, name: str, query: str, *, principal: Principal, now: datetime
) -> SavedView:
    """Keep a view; one of the same name is replaced. Raises InputError for a name or query."""
    name = " ".join(name.split())
    if not 0 < len(name) <= MAX_NAME_CHARACTERS or not name.isprintable():
        msg = f"Expected a name of 1 to {MAX_NAME_CHARACTERS} printable characters, got {name!r}."
        raise InputError(msg, hint="Give the view a short name.")
    if len(query) > MAX_QUERY_CHARACTERS or not query.isascii():
        msg = f"Expected filters of at most {MAX_QUERY_CHARACTERS} characters, got {len(query)}."
        raise InputError(msg, hint="Save it from the list itself.")
    known = list_views(context)
    key = hashlib.sha256(name.casefold().encode("utf-8")).hexdigest()[:16]
    if len(known) >= MAX_VIEWS and all(view.key != key for view in known):
        msg = f"Expected at most {MAX_VIEWS} saved views, got one more."
        raise InputError(msg, hint="Remove one that nobody uses.")
    _set(context, key, json.dumps({"name": name, "query": query}), principal, now)
    return SavedView(key=key, name=name, query=query)


def remove_view(context: Context, key: str, *, principal: Principal, now: datetime) -> None:
    """Remove a view; nothing happens where there is none. Its history stays in the store."""
    if any(view.key == key for view in list_views(context)):
        _set(context, key, "", principal, now)


def _set(context: Context, key: str, value: str, principal: Principal, now: datetime) -> None:
    sub = principal.actor.oidc_sub_hash
    context.store.configuration.set(
        f"{_PREFIX}{key}",
        value,
        actor_key_id=principal.actor.key_id,
        actor_sub=None if sub is None else str(sub),
        since=now,
        # No verdict depends on it, so the log has no leaf of it.
        announce=lambda _: None,
    )
