"""``erase``: erase content on request and record a tombstone in the log."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_json
from spanproof.api.cli.session import open_session
from spanproof.core.errors import OutputError

if TYPE_CHECKING:
    from spanproof.operations.erasing import ErasureReport


def erase(
    ref: Annotated[
        str,
        typer.Argument(
            metavar="DOC|VERIFICATION|ANSWER",
            help="A doc_hash, a doc_id, a verification_id, or the answer_id of a submitted answer.",
        ),
    ],
    *,
    reason: Annotated[
        str, typer.Option(help="Reason, without personal data: it is kept permanently.")
    ],
    with_verifications: Annotated[
        bool,
        typer.Option(
            "--with-verifications",
            help="Also erase the texts of all verifications that cite the document.",
        ),
    ] = False,
    tombstone: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the tombstone to this file, for 'audit verify --tombstone'."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Erase a document or an answer permanently; the log records it first.

    Receipts stay valid and can still be checked. Erased content cannot be restored, and the same
    bytes are refused later.
    """
    from spanproof.operations.erasing import erase as erase_content

    with open_session() as context:
        reports = erase_content(context, ref, reason=reason, with_verifications=with_verifications)
    if tombstone is not None:
        _write_tombstone(tombstone, reports[0])
    if as_json:
        write_json({"erased": [report.to_json() for report in reports]})
    else:
        lines = [line for report in reports for line in _render(report)]
        write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    return ExitCode.OK


def _write_tombstone(path: Path, report: ErasureReport) -> None:
    from spanproof.receipt.keys.key_files import replace_file

    if report.bundle is None:
        msg = f"Expected a tombstone of the log in use, got one of {report.record.origin!r}."
        raise OutputError(msg, hint="That log is closed; it keeps its own copy of the tombstone.")
    try:
        replace_file(path, report.bundle, mode=0o600)
    except OSError as error:
        msg = f"Expected to write {str(path)!r}, got {error.strerror or error!r}."
        hint = "The content is erased; run the command again with another FILE."
        raise OutputError(msg, hint=hint) from error


def _render(report: ErasureReport) -> list[str]:
    record = report.record
    lines = [
        (
            f"erased {record.kind} {record.subject}: {report.removed} parts removed, "
            f"tombstone at leaf {record.index} of {record.origin}"
        )
    ]
    lines += [f"kept {each}: another document has it too" for each in report.content.shared]
    if report.quoting:
        lines.append(
            f"{len(report.quoting)} verifications cite it and may still quote it "
            f"(--with-verifications): {', '.join(report.quoting[:3])}"
            + (" …" if len(report.quoting) > 3 else "")
        )
    return lines
