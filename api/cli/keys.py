"""``keys``: who may use the service, and what for."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_bytes, write_json, write_note
from spanproof.api.cli.session import load_settings, open_session
from spanproof.core.errors import InputError
from spanproof.core.moment import parse_moment
from spanproof.operations.context import DEFAULT_TENANT

if TYPE_CHECKING:
    from spanproof.operations.access.keys import ShownKey
    from spanproof.operations.tenants import Tenants

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"([0-9]{1,5})([mhdw])", re.ASCII)
_ONCE = "Keep it now: it is shown this once."
KeyArgument = Annotated[str, typer.Argument(metavar="KEY_ID", help="As 'keys list' names it.")]


def build_key_commands() -> typer.Typer:
    """The commands of ``spanproof keys``."""
    group = typer.Typer(help="API keys: who may use the service.", rich_markup_mode=None)
    group.callback()(_keys)
    group.command("create")(create)
    group.command("list")(list_all)
    group.command("rotate")(rotate)
    group.command("revoke")(revoke)
    return group


def _keys() -> None:
    """Make keys, list them, let one follow another, revoke one."""


def create(
    *,
    scope: Annotated[
        list[str],
        typer.Option(help="What it may do: ingest, verify, read, audit, admin; repeat it."),
    ],
    tenant: Annotated[
        str, typer.Option(help="Whose documents and answers; made where there is none.")
    ] = DEFAULT_TENANT,
    expires: Annotated[
        str, typer.Option(help="How long it counts (90d, 12h), until when (ISO 8601), or 'never'.")
    ] = "90d",
    label: Annotated[str | None, typer.Option(help="A note that the list shows.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key and show it this once; the tenant's log says that it begins.

    From the first key on, every request needs one.
    """
    from spanproof.operations.access.keys import KeyWish, check_wish, create_key
    from spanproof.operations.tenants import Tenants

    now = datetime.now(UTC)
    wish = KeyWish(scopes=tuple(scope), expires_at=read_moment(expires, now), label=label)
    tenants = Tenants(load_settings())
    try:
        # First what may be wrong with the wish: no tenant is made for one that is none.
        wish = check_wish(wish, now=now)
        made = create_key(tenants.default, tenants.create(tenant), wish, now=now)
    finally:
        tenants.close()
    _show_new(made, as_json=as_json)


def list_all(
    *,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's keys.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the keys, without their secrets."""
    from spanproof.operations.access.keys import list_keys

    with open_session() as services:
        found = list_keys(services, tenant, now=datetime.now(UTC))
    if as_json:
        write_json({"keys": [each.to_json() for each in found]})
        return
    for each in found:
        row = each.to_json()
        words = (row["key_id"], row["tenant"], row["state"], ",".join(row["scopes"]))
        ends = f"until {row['ends_at']}" if row["ends_at"] else "without an end"
        note = f"  {row['label']!a}" if row["label"] else ""
        write_bytes(f"{'  '.join(words)}  {ends}{note}\n".encode())


def rotate(
    key_id: KeyArgument,
    *,
    overlap: Annotated[str, typer.Option(help="How long the old key counts beside it.")] = "24h",
    as_json: JsonOption = False,
) -> None:
    """Make the key that follows another: the same scopes, as long a life."""
    from spanproof.operations.access.keys import rotate_key
    from spanproof.operations.tenants import Tenants

    now = datetime.now(UTC)
    wait = read_span(overlap)
    tenants = Tenants(load_settings())
    try:
        tenant = tenants.find(_find_tenant(tenants, key_id))
        made = rotate_key(tenants.default, tenant, key_id, overlap=wait, now=now)
    finally:
        tenants.close()
    _show_new(made, as_json=as_json)


def revoke(key_id: KeyArgument, *, as_json: JsonOption = False) -> None:
    """Let a key count no more, from now on; the tenant's log says so."""
    from spanproof.operations.access.keys import revoke_key
    from spanproof.operations.tenants import Tenants

    tenants = Tenants(load_settings())
    try:
        tenant = tenants.find(_find_tenant(tenants, key_id))
        done = revoke_key(tenants.default, tenant, key_id, now=datetime.now(UTC))
    finally:
        tenants.close()
    if as_json:
        write_json(done.to_json())
    else:
        write_note(f"Revoked {done.key.key_id}")


def read_span(text: str) -> timedelta:
    """A span of time as 30m, 12h, 90d or 4w; raise InputError for anything else."""
    found = _SPAN.fullmatch(text)
    if found is None:
        msg = f"Expected a span of time such as 12h or 90d, got {text!r}."
        raise InputError(msg, hint="Give a number and one of m, h, d, w.")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def read_moment(text: str, now: datetime) -> datetime | None:
    """A span from now, or a moment; None for 'never'. Raises InputError for anything else."""
    if text == "never":
        return None
    if _SPAN.fullmatch(text):
        return now + read_span(text)
    try:
        return parse_moment(text)
    except ValueError:
        msg = f"Expected a span such as 90d, a moment such as 2027-01-31, or never, got {text!r}."
        raise InputError(msg, hint="Give --expires 90d.") from None


def _find_tenant(tenants: Tenants, key_id: str) -> str:
    from spanproof.operations.errors import KeyNotFoundError

    key = tenants.default.store.access_keys.find(key_id)
    if key is None:
        msg = f"Expected the id of a key, got {key_id!r}."
        raise KeyNotFoundError(msg, hint="List the keys: 'spanproof keys list'.")
    return key.tenant


def _show_new(made: ShownKey, *, as_json: bool) -> None:
    if as_json:
        write_json(made.to_json())
    else:
        write_bytes(f"{made.text}\n".encode())
    write_note(_ONCE)
