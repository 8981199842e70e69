"""``documents``: withdraw or amend a document, set its dates and labels, list what it affects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import (  # noqa: TC001 - typer reads annotations
    DocumentArgument,
    JsonOption,
)
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_json
from spanproof.api.cli.session import open_session
from spanproof.core.errors import InputError
from spanproof.core.moment import parse_moment

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.receipt.statement.events import SourceAction

ReasonOption = Annotated[
    str, typer.Option(help="Reason, without personal data: it is kept permanently.")
]
SinceOption = Annotated[
    str | None,
    typer.Option("--from", metavar="MOMENT", help="From when it counts (default: now)."),
]
#: What removes a date or a label.
NONE = "none"


def build_document_commands() -> typer.Typer:
    """The commands of ``spanproof documents``."""
    group = typer.Typer(help="What holds of a stored document.", rich_markup_mode=None)
    group.callback()(_documents)
    group.command("withdraw")(withdraw)
    group.command("reinstate")(reinstate)
    group.command("amend")(amend)
    group.command("set")(set_dates)
    group.command("show")(show)
    group.command("affected")(affected)
    return group


def _documents() -> None:
    """Withdraw and amend documents, set their dates and labels."""


def withdraw(
    doc: DocumentArgument,
    *,
    reason: ReasonOption,
    since: SinceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Withdraw a document: answers that cite it no longer pass."""
    _change(doc, "withdraw", reason, as_json=as_json, since=since)


def reinstate(doc: DocumentArgument, *, reason: ReasonOption, as_json: JsonOption = False) -> None:
    """Take back a withdrawal or an amendment."""
    _change(doc, "reinstate", reason, as_json=as_json)


def amend(
    doc: DocumentArgument,
    *,
    by: Annotated[str, typer.Option(metavar="DOC", help="The document that amends it.")],
    reason: ReasonOption,
    since: SinceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that another document amends this one."""
    _change(doc, "amend", reason, as_json=as_json, since=since, by=by)


def set_dates(
    doc: DocumentArgument,
    *,
    reason: ReasonOption,
    valid_from: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="In force from then on, or 'none'.")
    ] = None,
    valid_until: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="Not in force from then on, or 'none'.")
    ] = None,
    licence: Annotated[str | None, typer.Option(metavar="TEXT", help="A label, or 'none'.")] = None,
    confidentiality: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A label, or 'none'.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Set dates and labels of a document; what is not given stays."""
    dates = {"valid_from": valid_from, "valid_until": valid_until}
    labels = {"licence": licence, "confidentiality": confidentiality}
    given: dict[str, Any] = {
        name: None if text == NONE else _read_moment(name, text)
        for name, text in dates.items()
        if text is not None
    }
    given |= {
        name: None if text == NONE else text for name, text in labels.items() if text is not None
    }
    _change(doc, "set", reason, as_json=as_json, given=given)


def show(doc: DocumentArgument, *, as_json: JsonOption = False) -> None:
    """Show a document, what holds of it, and every change."""
    from spanproof.operations.documents.source_states import change_to_json, list_changes
    from spanproof.operations.documents.stored import show_document

    with open_session() as context:
        report = show_document(context, doc)
        changes = list_changes(context, report.record.document.doc_hash)
    row = report.to_json() | {"changes": [change_to_json(each) for each in changes]}
    if as_json:
        write_json(row)
        return
    lines = [f"{row['doc_hash']}  {row['title'] or row['doc_id']}"]
    lines += [f"{name}: {value}" for name, value in (row["source_state"] or {}).items() if value]
    lines += [f"{each['time']}  {each['action']}  {each['reason']}" for each in row["changes"]]
    _write(lines)


def affected(
    doc: DocumentArgument,
    *,
    as_json: JsonOption = False,
) -> int:
    """List the kept answers that a new verification would judge by other codes.

    Nothing is changed. Exit 1 if there are any.
    """
    from spanproof.operations.documents.affected import list_affected

    rows: list[dict[str, Any]] = []
    cursor = None
    with open_session() as context:
        while True:
            page = list_affected(context, doc, cursor=cursor, limit=200)
            rows += [each.to_json() for each in page.answers]
            cursor = page.next_cursor
            if cursor is None:
                break
    if as_json:
        write_json({"affected": rows})
    else:
        _write(
            [
                f"{row['verification_id']}  {row['verified_at']}  was {row['result']}  "
                f"{' '.join(row['codes'])}"
                for row in rows
            ]
        )
    return ExitCode.FAILED if rows else ExitCode.OK


def _change(
    doc: str,
    action: SourceAction,
    reason: str,
    *,
    as_json: bool,
    since: str | None = None,
    by: str | None = None,
    given: dict[str, Any] | None = None,
) -> None:
    from spanproof.operations.documents.source_states import change_to_json
    from spanproof.operations.documents.sources import SourceOrder, change_source

    order = SourceOrder(
        action=action,
        reason=reason,
        since=None if since is None else _read_moment("from", since),
        by=by,
        given=given,
    )
    with open_session() as context:
        row = change_to_json(change_source(context, doc, order))
    if as_json:
        write_json(row)
    else:
        state = {name: value for name, value in row["source_state"].items() if value}
        told = ", ".join(f"{name} {value}" for name, value in state.items()) or "nothing"
        _write([f"{row['doc_hash']}: {told}", "'spanproof documents affected' lists the answers."])


def _read_moment(name: str, text: str) -> datetime:
    try:
        return parse_moment(text)
    except ValueError as error:
        msg = f"Expected a moment as --{name.replace('_', '-')}, got {text!r}."
        raise InputError(msg, hint="Give a day or a moment, such as 2026-11-23.") from error


def _write(lines: list[str]) -> None:
    write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
