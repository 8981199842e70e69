"""``audit consistency``: has the log only ever grown since an earlier head?"""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_error, write_json, write_problem
from spanproof.core.errors import InputError, SpanproofError

if TYPE_CHECKING:
    from spanproof.receipt.check.consistency import ConsistencyReport

_HINTS = {
    "PROOF_MISSING": "Give --log DIR|URL, or --proof FILE.",
    "TILE_MISSING": "Ask the log again, or give --proof FILE.",
    "CHECKPOINT_SIGNATURE": "Ask the operator of the log for the trust file.",
    "CHECKPOINT_ORIGIN": "Compare two heads of one log.",
}
_KEEP_BOTH = "Keep both files: together they are the proof."


def consistency(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="The older checkpoint.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The later checkpoint.")],
    *,
    trust: Annotated[
        Path, typer.Option(metavar="FILE", help="Trust file, written by 'audit trust'.")
    ],
    log: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|URL",
            help="Folder or address of the log's tiles: compute the proof from them.",
        ),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file with the proof: one base64 hash a line."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Check that a later signed head of a log contains an older one.

    Exit 0 it does; 1 it does not, or a signature is wrong; 2 malformed input; 4 not checked.
    """
    try:
        report = _check(old, new, trust, log, proof)
    except InputError as error:
        write_problem(error)
        return ExitCode.MALFORMED
    except SpanproofError as error:
        write_problem(error)
        return ExitCode.NOT_CHECKED
    except OSError as error:
        place = f" ({error.filename!r})" if error.filename else ""
        message = f"Expected to read the log, got {error.strerror or error!r}{place}. Check --log."
        write_error("IO_ERROR", message)
        return ExitCode.NOT_CHECKED
    if report.code is not None:
        hint = _HINTS.get(report.code, _KEEP_BOTH)
        message = f"Expected a head that only adds to the older, got: {report.words}. {hint}"
        write_error(report.code, message)
    if as_json:
        write_json(report.to_json())
    else:
        line = f"{report.status.value} {report.words}"
        shown = "".join(c if c.isprintable() else " " for c in line)
        write_bytes(f"{shown}\n".encode("utf-8", "replace"))
    return _EXIT[report.status.value]


_EXIT = {
    "OK": ExitCode.OK,
    "FAILED": ExitCode.FAILED,
    "NOT CHECKED": ExitCode.NOT_CHECKED,
}


def _check(
    old: Path, new: Path, trust: Path, log: str | None, proof: Path | None
) -> ConsistencyReport:
    from spanproof.operations.fsck.place import open_place
    from spanproof.operations.log.source import read_note
    from spanproof.operations.receipts.trust import load_trust
    from spanproof.receipt.check.consistency import MAX_PROOF_BYTES, check_heads, parse_proof

    if proof is not None and log is not None:
        msg = "Expected --proof or --log, got both."
        raise InputError(msg, hint="Run the command once with each.")
    older, newer, known = read_note(old), read_note(new), load_trust(trust)
    hashes = None
    if proof is not None:
        with proof.open("rb") as stream:
            hashes = parse_proof(stream.read(MAX_PROOF_BYTES + 1))
    with ExitStack() as stack:
        find = None
        if log is not None:
            find = stack.enter_context(closing(open_place(log))).find
        return check_heads(older, newer, known, find=find, hashes=hashes)
