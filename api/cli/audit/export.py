"""``audit export``: a folder, or an archive, with everything that an auditor needs."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_error, write_json, write_note
from spanproof.api.cli.session import open_session


def export(
    verifications: Annotated[
        list[str],
        typer.Argument(metavar="VERIFICATION_ID…", help="Verifications that are kept here."),
    ],
    *,
    output: Annotated[
        Path, typer.Option(metavar="DIR", help="A folder (or file) that does not exist yet.")
    ],
    as_zip: Annotated[bool, typer.Option("--zip", help="Write one archive instead.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Write an evidence pack: originals, texts, marked pages, receipts, the log, a page to read.

    Exit 0 the pack has all of it; 1 it lacks something, told line by line; 2 malformed; 3 it could
    not be written, and nothing of it is there.
    """
    from spanproof.operations.export.pack import export_pack

    with open_session() as services:
        report = export_pack(services, verifications, output, is_zip=as_zip)
    gaps = [
        *(("DOCUMENT_NOT_FOUND", f"{ref} is not kept here") for ref in report.missing),
        *(("NOT_DRAWN", problem) for problem in report.problems),
        *(("RECEIPT_NOT_FOUND", f"{each} has no receipt") for each in report.without_receipt),
        *(("VERIFICATION_ERASED", f"{each} was erased") for each in report.erased),
    ]
    for code, words in gaps:
        write_error(code, f"Expected it in the pack, got none: {words}.")
    if as_json:
        write_json(report.to_json())
    else:
        write_note(f"Wrote {report.path}: {report.files} files, {report.bytes} bytes")
    return ExitCode.FAILED if gaps else ExitCode.OK
