"""``log cosign``: ask witnesses to sign the newest head of this store's log."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_error, write_json
from spanproof.api.cli.session import load_settings
from spanproof.core.errors import SettingsError

if TYPE_CHECKING:
    from spanproof.operations.log.cosign import CosignReport

_HINTS = {
    "UNAVAILABLE": "Ask again later.",
    "REFUSED": "Give the witness this log's verifier key, so that it watches the log.",
    "CONTRADICTED": "Stop signing until you know which history is right.",
}


def log_cosign(
    *,
    policy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Policy file that names the witnesses; default SPANPROOF_LOG_WITNESSES.",
        ),
    ] = None,
    origin: Annotated[
        str | None, typer.Option(help="Name of a log of this store (default: the current one).")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the cosigned head to this file.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Send the newest signed head to the witnesses; verify and store their signatures.

    Exit 0 enough of them cosigned; 1 too few did, or one has seen a different history.
    """
    import httpx

    from spanproof.operations.assembly import open_context
    from spanproof.operations.log.cosign import TIMEOUT, cosign_head
    from spanproof.operations.log.witness import read_policy
    from spanproof.operations.sampling.drawing import list_drawn_late
    from spanproof.operations.sampling.epochs import advance_draws
    from spanproof.store.log.reading import LogReader, find_current_origin
    from spanproof.store.migration import locked_file

    settings = load_settings()
    place = policy or settings.log_witnesses
    if place is None:
        msg = "Expected a policy that names witnesses, got none."
        raise SettingsError(msg, hint="Give --policy FILE, or set SPANPROOF_LOG_WITNESSES.")
    known = read_policy(place)
    with (
        open_context(settings) as context,
        httpx.Client(timeout=TIMEOUT, follow_redirects=False) as client,
        # Signatures are kept in the order in which they are given: the first above a leaf draws.
        locked_file(context.store.home / "cosign.lock"),
    ):
        database = context.store.database
        named = origin or find_current_origin(database)
        if named is None:
            msg = "Expected a log in this store, got none."
            raise SettingsError(msg, hint="Verify an answer first: that starts the log.")
        is_drawing = bool(list_drawn_late(context))
        if is_drawing and named == context.log.origin:
            # The newest leaves too: the answers that they name are drawn by what is signed now.
            context.log.publish()
        report = cosign_head(
            LogReader.find(database, named),
            database,
            known,
            client=client,
            clock=lambda: datetime.now(UTC),
        )
        if is_drawing:
            advance_draws(context)
    if output is not None:
        output.write_text(report.note, encoding="utf-8")
    for each in report.outcomes:
        if each.status.value != "COSIGNED":
            message = f"Expected {each.name!r} to cosign the head, got: {each.words}. "
            write_error(f"WITNESS_{each.status.value}", message + _HINTS[each.status.value])
    if as_json:
        write_json(report.to_json())
    else:
        write_bytes(_render(report).encode("utf-8", "replace"))
    is_witnessed = report.is_witnessed and not report.is_contradicted
    return ExitCode.OK if is_witnessed else ExitCode.FAILED


def _render(report: CosignReport) -> str:
    head = report.checkpoint
    lines = [f"{head.origin}: {head.size} leaves"]
    for each in report.outcomes:
        words = f"{each.name} {each.status.value}: {each.words}"
        lines.append("".join(c if c.isprintable() else " " for c in words))
    if report.is_contradicted:
        lines.append("CONTRADICTED: a witness has seen a different history; stop signing.")
    else:
        lines.append("WITNESSED" if report.is_witnessed else "NOT WITNESSED: the policy wants more")
    return "\n".join(lines) + "\n"
