"""``backfill``: locate the chunks of an existing store, and grade old chat logs."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_json, write_note
from spanproof.api.cli.session import open_session
from spanproof.core.errors import InputError
from spanproof.operations.verification.request import VerificationRequest


def backfill(
    chunks: Annotated[
        Path,
        typer.Argument(
            metavar="CHUNKS.jsonl", help="Lines with chunk_id, text and doc_hash or doc_id."
        ),
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(metavar="PATCH.jsonl", help="Output file: a patch or a reason per chunk."),
    ],
    logs: Annotated[
        Path | None,
        typer.Option(metavar="LOGS.jsonl", help="Old answers to verify and grade, one a line."),
    ] = None,
    graded: Annotated[
        Path | None, typer.Option(metavar="OUT.jsonl", help="Output file for the grades.")
    ] = None,
    answer_format: Annotated[
        str, typer.Option("--format", metavar="NAME[,NAME]", help="Format of the logs.")
    ] = "native",
    policy: Annotated[
        str | None, typer.Option(help="balanced (default), strict or review.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Locate the chunks of an existing store in their documents, and write a metadata patch.

    Exit 0 every chunk was found and every log verified; 1 some were not, see their lines; 2 an
    unusable file. Nothing is guessed: a text that occurs twice gets no offsets.
    """
    from spanproof.operations.backfill.chunks import backfill_chunks, require_other
    from spanproof.operations.backfill.logs import import_logs

    if (logs is None) is not (graded is None):
        msg = "Expected --logs and --graded together, got one of them."
        raise InputError(msg, hint="Give both, or neither.")
    inputs = [chunks] if logs is None else [chunks, logs]
    outputs = [output] if graded is None else [output, graded]
    for at, path in enumerate(outputs):
        require_other(path, *inputs, *outputs[:at])
    with open_session() as context:
        found = backfill_chunks(context, chunks, output)
        read = None
        if logs is not None and graded is not None:
            request = VerificationRequest(format=answer_format, policy=policy)
            read = import_logs(context, logs, graded, found.placed, request)
    told = found.to_json() | ({} if read is None else read.to_json())
    if as_json:
        write_json(told)
    else:
        write_note(f"{told['located']} of {told['chunks']} chunks located: {output}")
        for name, count in told["unlocatable"].items():
            write_note(f"{count} {name}")
        if read is not None:
            write_note(f"{told['logs']} logs graded {told['grades']}, results {told['results']}")
    return ExitCode.OK if found.is_whole and (read is None or read.is_whole) else ExitCode.FAILED
