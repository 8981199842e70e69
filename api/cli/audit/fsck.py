"""``audit fsck``: is the log complete and unchanged?"""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_error, write_json, write_problem, write_rich
from spanproof.core.errors import (
    BlobDigestMismatchError,
    InputError,
    LogDamagedError,
    SpanproofError,
)

if TYPE_CHECKING:
    from spanproof.operations.fsck.report import FsckReport

#: Failures shown on a terminal; --json lists more.
_SHOWN = 20


def fsck(
    place: Annotated[
        str | None,
        typer.Argument(
            metavar="DIR|URL",
            help="A folder of tiles, an evidence pack, or the address of a log. Default: "
            "the log of this store.",
        ),
    ] = None,
    *,
    trust: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Trust file, written by 'audit trust'. Default: the keys of this store.",
        ),
    ] = None,
    checkpoint: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A checkpoint saved earlier; may be repeated."),
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(help="Name of the log in the trust file (default: the current one)."),
    ] = None,
    signatures: Annotated[
        bool, typer.Option("--signatures", help="Verify the signature of every leaf too.")
    ] = False,
    keep: Annotated[
        bool,
        typer.Option("--keep/--no-keep", help="Record the result as a leaf of this store's log."),
    ] = True,
    as_json: JsonOption = False,
) -> int:
    """Read a whole log and recompute it: entries, tiles, root, signature, history.

    Exit 0 everything is correct; 1 something is wrong, one line each; 2 malformed input; 4 a
    requested check could not run.
    """
    try:
        report = _check(
            place, trust, checkpoint or [], origin, with_signatures=signatures, with_log=keep
        )
    except InputError as error:
        write_problem(error)
        return ExitCode.MALFORMED
    except (BlobDigestMismatchError, LogDamagedError) as error:
        # Stored data that has changed is a finding, not a failure of the check.
        write_problem(error)
        return ExitCode.FAILED
    except SpanproofError as error:
        write_problem(error)
        return ExitCode.NOT_CHECKED
    except OSError as error:
        message = f"Expected to read the log, got {error.strerror or error!r}. Check the folder."
        write_error("IO_ERROR", message)
        return ExitCode.NOT_CHECKED
    for found in report.findings[:_SHOWN]:
        write_error(found.code, f"{found.place}: {found.message}")
    if not report.findings:
        for line in report.unchecked:
            write_error("NOT_CHECKED", f"{line.question}: {line.words}")
    if as_json:
        write_json(report.to_json())
    else:
        write_rich(*map(_plain, _render(report)))
    return _EXIT[report.outcome.value]


_EXIT = {
    "OK": ExitCode.OK,
    "FAILED": ExitCode.FAILED,
    "NOT CHECKED": ExitCode.NOT_CHECKED,
}


def _check(
    place: str | None,
    trust: Path | None,
    checkpoints: list[Path],
    origin: str | None,
    *,
    with_signatures: bool,
    with_log: bool,
) -> FsckReport:
    from spanproof.operations.fsck.place import check_place
    from spanproof.operations.fsck.report import FsckOptions
    from spanproof.operations.log.source import read_note
    from spanproof.operations.receipts.trust import load_trust

    options = FsckOptions(
        older=[read_note(path) for path in checkpoints],
        origin=origin,
        with_signatures=with_signatures,
    )
    if place is None:
        from spanproof.api.cli.session import open_session
        from spanproof.operations.fsck.store import check_store

        with open_session() as context:
            known = None if trust is None else load_trust(trust)
            return check_store(context, known, options, with_log=with_log)
    if trust is None:
        msg = "Expected --trust FILE for a log of another store, got none."
        raise InputError(msg, hint="Ask the operator of the log for it: 'spanproof audit trust'.")
    return check_place(place, load_trust(trust), options)


def _render(report: FsckReport) -> list[str]:
    lines = [f"{line.question:<11} {line.status.value:<12} {line.words}" for line in report.lines]
    return [*lines, f"TRUST       {report.trust_digest}", report.outcome.value]


def _plain(line: str) -> Any:  # noqa: ANN401 - a rich renderable
    from rich.text import Text

    return Text("".join(c if c.isprintable() else " " for c in line))
