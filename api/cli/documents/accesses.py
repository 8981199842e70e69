"""``accesses``: who asked for which evidence."""

from __future__ import annotations

from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_bytes, write_json, write_note
from spanproof.api.cli.session import open_session


def build_access_commands() -> typer.Typer:
    """The commands of ``spanproof accesses``."""
    group = typer.Typer(help="Who asked for which evidence.", rich_markup_mode=None)
    group.callback()(_accesses)
    group.command("days")(days)
    group.command("export")(export)
    group.command("digest")(digest)
    return group


def _accesses() -> None:
    """List and export the access log."""


def days(*, as_json: JsonOption = False) -> None:
    """List the days of the access log, each with the digest over its lines."""
    from spanproof.operations.accesses import list_days

    with open_session() as context:
        rows = list_days(context)
    if as_json:
        write_json({"days": rows})
        return
    for row in rows:
        words = "in the log" if row["is_logged"] else "not in the log yet"
        write_bytes(f"{row['day']}  {row['accesses']}  {row['digest']}  {words}\n".encode())


def export(
    day: Annotated[str, typer.Argument(metavar="DAY", help="A UTC day, such as 2026-11-23.")],
    *,
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV instead of NDJSON.")] = False,
) -> None:
    """Print the lines of a day as NDJSON or CSV."""
    from spanproof.operations.accesses import COLUMNS, list_accesses, record_command
    from spanproof.operations.presentation.listed import write_csv, write_ndjson

    with open_session() as context:
        record_command(context, "accesses", day)
        rows = list_accesses(context, day)
    write_bytes(write_csv(rows, COLUMNS) if as_csv else write_ndjson(rows))


def digest() -> None:
    """Log the digest of each day that is over and has none."""
    from spanproof.operations.accesses import log_digests

    with open_session() as context:
        count = log_digests(context)
    write_note(f"{count} days logged")
