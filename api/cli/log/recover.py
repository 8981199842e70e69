"""``log recover``: go on under a new origin where the log can never sign again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_bytes, write_json, write_note
from spanproof.api.cli.session import open_session
from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from spanproof.operations.log.recover import Recovery

_NEXT = (
    "Where SPANPROOF_LOG_ORIGIN is set, set it to {origin!r}."
    " Give auditors the new trust file: 'spanproof audit trust --output FILE'."
)


def recover(
    *,
    new_shard: Annotated[
        bool,
        typer.Option("--new-shard", help="Close the log for good and open another after it."),
    ] = False,
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why; the new log's first leaf says it.")
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(metavar="NEW", help="The new log's name (default: the old one, numbered)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Close a log that was set back or lost its mark, and open the one that goes on.

    The old log's receipts stay valid. Interrupted, run it again.
    """
    from spanproof.operations.log.recover import DEFAULT_REASON
    from spanproof.operations.log.recover import recover as recover_log

    if not new_shard:
        msg = "Expected to be told to close the log for good, got no --new-shard."
        raise InputError(msg, hint="There is no way back: give --new-shard once you are sure.")
    with open_session() as services:
        done = recover_log(
            services.settings, services.store, origin=origin, reason=reason or DEFAULT_REASON
        )
    _show(done, as_json=as_json)


def _show(done: Recovery, *, as_json: bool) -> None:
    if as_json:
        write_json(done.to_json())
        return
    closed, opened = done.closed, done.opened
    text = f"{closed.origin} is closed at {closed.size} leaves; {opened.origin} goes on.\n"
    write_bytes(text.encode("utf-8", "replace"))
    write_note(_NEXT.format(origin=opened.origin))
