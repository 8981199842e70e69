"""``log prove``: the files that bound a receipt's time by the clocks of witnesses."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_json
from spanproof.api.cli.session import open_session


def log_prove(
    verification_id: Annotated[str, typer.Argument(metavar="VERIFICATION_ID")],
    *,
    output: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the files; made where it is not.")
    ],
    as_json: JsonOption = False,
) -> int:
    """Write the proofs that 'audit verify --witness' takes for a receipt.

    ID.tlog-proof shows its leaf under a head that witnesses cosigned. ID.older.txt is an earlier
    such head, ID.growth.txt the proof that the receipt's own head grew out of it.
    """
    from spanproof.operations.log.prove import prove_time

    with open_session() as services:
        found = prove_time(services.store, verification_id)
    files = {"tlog-proof": found.proof.encode("utf-8")}
    if found.older is not None and found.growth is not None:
        files |= {"older.txt": found.older.encode("utf-8"), "growth.txt": found.growth}
    output.mkdir(parents=True, exist_ok=True)
    paths = []
    for ending, content in files.items():
        path = output / f"{verification_id}.{ending}"
        path.write_bytes(content)
        paths.append(str(path))
    if as_json:
        sizes = {"by_size": found.by_size, "after_size": found.after_size}
        write_json({"index": found.index, **sizes, "files": paths})
    else:
        write_bytes("".join(f"{path}\n" for path in paths).encode("utf-8", "replace"))
    return ExitCode.OK
