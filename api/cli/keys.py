"""``keys``: who may use the service, and for what."""

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
    from spanproof.operations.access.keys import NewKey
    from spanproof.operations.tenants import Tenants

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"([0-9]{1,5})([mhdw])", re.ASCII)
_ONCE = "Save it now: it is shown only once."
KeyArgument = Annotated[
    str, typer.Argument(metavar="KEY_ID", help="The id that 'keys list' shows.")
]


def build_key_commands() -> typer.Typer:
    """The commands of ``spanproof keys``."""
    group = typer.Typer(help="API keys.", rich_markup_mode=None)
    group.callback()(_keys)
    group.command("create")(create)
    group.command("list")(list_all)
    group.command("rotate")(rotate)
    group.command("revoke")(revoke)
    return group


def _keys() -> None:
    """Create, list, rotate and revoke API keys."""


def create(
    *,
    scope: Annotated[
        list[str],
        typer.Option(help="Scope: ingest, verify, read, audit or admin; may be repeated."),
    ],
    tenant: Annotated[
        str, typer.Option(help="Tenant of the key; created if new.")
    ] = DEFAULT_TENANT,
    expires: Annotated[
        str, typer.Option(help="Lifetime (90d, 12h), end (ISO 8601), or 'never'.")
    ] = "90d",
    label: Annotated[str | None, typer.Option(help="A note for 'keys list'.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Create a key, show it once and record it in the tenant's log.

    Once a key exists, every request needs one.
    """
    from spanproof.operations.access.keys import KeyRequest, check_request, create_key
    from spanproof.operations.tenants import Tenants

    now = datetime.now(UTC)
    wanted = KeyRequest(scopes=tuple(scope), expires_at=read_moment(expires, now), label=label)
    tenants = Tenants(load_settings())
    try:
        # Check the request first: an invalid one creates no tenant.
        wanted = check_request(wanted, now=now)
        made = create_key(tenants.default, tenants.create(tenant), wanted, now=now)
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

    with open_session() as context:
        found = list_keys(context, tenant, now=datetime.now(UTC))
    if as_json:
        write_json({"keys": [each.to_json() for each in found]})
        return
    for each in found:
        row = each.to_json()
        words = (row["key_id"], row["tenant"], row["state"], ",".join(row["scopes"]))
        ends = f"until {row['ends_at']}" if row["ends_at"] else "no end"
        note = f"  {row['label']!a}" if row["label"] else ""
        write_bytes(f"{'  '.join(words)}  {ends}{note}\n".encode())


def rotate(
    key_id: KeyArgument,
    *,
    overlap: Annotated[str, typer.Option(help="How long the old key stays valid.")] = "24h",
    as_json: JsonOption = False,
) -> None:
    """Replace a key: the new one has the same scopes and the same lifetime."""
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
    """Revoke a key from now on, and record it in the tenant's log."""
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
    """Parse a duration such as 30m, 12h, 90d or 4w; raise InputError otherwise."""
    found = _SPAN.fullmatch(text)
    if found is None:
        msg = f"Expected a duration such as 12h or 90d, got {text!r}."
        raise InputError(msg, hint="Give a number and one of m, h, d, w.")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def read_moment(text: str, now: datetime) -> datetime | None:
    """Parse a duration from now or a date; None for 'never'. Raises InputError otherwise."""
    if text == "never":
        return None
    if _SPAN.fullmatch(text):
        return now + read_span(text)
    try:
        return parse_moment(text)
    except ValueError:
        msg = f"Expected a duration such as 90d, a date such as 2027-01-31, or never, got {text!r}."
        raise InputError(msg, hint="Give --expires 90d.") from None


def _find_tenant(tenants: Tenants, key_id: str) -> str:
    from spanproof.operations.errors import KeyNotFoundError

    key = tenants.default.store.access_keys.find(key_id)
    if key is None:
        msg = f"Expected the id of a key, got {key_id!r}."
        raise KeyNotFoundError(msg, hint="List the keys: 'spanproof keys list'.")
    return key.tenant


def _show_new(made: NewKey, *, as_json: bool) -> None:
    if as_json:
        write_json(made.to_json())
    else:
        write_bytes(f"{made.text}\n".encode())
    write_note(_ONCE)
