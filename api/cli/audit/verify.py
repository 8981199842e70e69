"""``audit verify``: check receipts offline, from files alone unless they are replayed."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_error, write_json, write_problem
from spanproof.core.errors import EvidenceError, InputError, SpanproofError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.operations.receipts.check import Audit, FileCheck
    from spanproof.receipt.check.report import Line
    from spanproof.receipt.statement.predicate import Predicate

_WIDTH = 13


def verify(
    receipts: Annotated[
        list[Path], typer.Argument(metavar="RECEIPT…", help="Receipts (*.sigstore.json).")
    ],
    *,
    trust: Annotated[
        Path, typer.Option(metavar="FILE", help="Trust file, written by 'audit trust'.")
    ],
    answer: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The answer that the receipt is to be of: its prose or payload."
        ),
    ] = None,
    source: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A source document to compare with; may be repeated."),
    ] = None,
    canonical: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="A canonical text, written by 'spanproof text'; may be repeated."
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="The policy under which the result must be 'pass'."),
    ] = None,
    witness: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="NOTE",
            help="A checkpoint cosigned by witnesses, or a .tlog-proof; may be repeated.",
        ),
    ] = None,
    tombstone: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="The tombstone of an erased document, written by 'erase --tombstone'; may "
            "be repeated.",
        ),
    ] = None,
    replay: Annotated[
        bool,
        typer.Option("--replay", help="Recompute the verdicts, from this store or from --pack."),
    ] = False,
    pack: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The evidence pack that holds the documents for --replay."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Check receipts offline: signature, log, time, answer, documents, spans, policy.

    Several receipts are also held against each other: a log has one history.

    Exit 0 ok; 1 a check failed; 2 malformed input; 3 the policy is not met; 4 a requested check
    could not run. For several receipts: the lowest code other than 0.
    """
    from spanproof.operations.receipts.check import Problem, open_audit

    try:
        with _open_replay(pack, wanted=replay) as recompute:
            audit = open_audit(
                trust,
                answer=answer,
                sources=source or (),
                texts=canonical or (),
                witnessed=witness or (),
                tombstones=tombstone or (),
                policy=policy,
                recompute=recompute,
            )
            return _check(receipts, audit, as_json=as_json)
    except InputError as error:
        write_problem(error)
        return ExitCode.MALFORMED
    except EvidenceError as error:
        # An invalid tombstone fails: it was given as the reason for a missing document.
        write_problem(error)
        return ExitCode.FAILED
    except SpanproofError as error:
        write_problem(error)
        return ExitCode.NOT_CHECKED
    except OSError as error:
        problem = Problem.of_system(error)
        write_error(problem.code, str(problem))
        return ExitCode.NOT_CHECKED


@contextmanager
def _open_replay(
    pack: Path | None, *, wanted: bool
) -> Iterator[Callable[[Predicate], Line] | None]:
    """Recomputes a receipt's verdicts; only this needs a store and a model."""
    if not wanted:
        if pack is not None:
            msg = "Expected --replay beside --pack, got --pack alone."
            raise InputError(msg, hint="Add --replay, or omit --pack.")
        yield None
        return
    from spanproof.api.cli.session import load_settings, open_session
    from spanproof.operations.replay.receipt import replay_from_pack, replay_receipt

    if pack is not None:
        yield partial(replay_from_pack, load_settings(), pack)
        return
    with open_session() as context:
        yield partial(replay_receipt, context)


def _check(receipts: list[Path], audit: Audit, *, as_json: bool) -> int:
    """Check each receipt; an unreadable one does not stop the others."""
    from spanproof.operations.receipts.check import check_files
    from spanproof.receipt.check.report import find_worst

    outcomes, rows = [], []
    trust = {"version": audit.trust.version, "digest": str(audit.trust.digest)}
    if not as_json:
        write_bytes(f"trust file version {trust['version']}, {trust['digest']}\n".encode())
    for check in check_files(receipts, audit):
        outcomes.append(check.outcome)
        _write_failure(check)
        if as_json:
            rows.append(check.to_json())
        else:
            write_bytes("".join(f"{_clean(line)}\n" for line in _render(check)).encode())
    worst = find_worst(outcomes)
    if as_json:
        write_json(
            {"outcome": worst.name, "exit_code": int(worst), "trust": trust, "receipts": rows}
        )
    return int(worst)


def _write_failure(check: FileCheck) -> None:
    """The line for a receipt that fails: which check, and why."""
    if check.problem is not None:
        write_error(check.problem.code, f"{check.path}: {check.problem}")
    elif check.report is not None and check.report.decisive is not None:
        line = check.report.decisive
        write_error(
            line.code or line.status.name,
            f"{check.path}: {line.question} {line.status}: {line.words}",
        )


def _render(check: FileCheck) -> list[str]:
    report = check.report
    title = f"{check.outcome.name.replace('_', ' ')} {check.path}"
    if report is None:
        return [title]
    rows = [(line.question.value, line.status.value, line.words) for line in report.lines]
    lines = [f"  {name:{_WIDTH}}{status:{_WIDTH}}{words}" for name, status, words in rows]
    return [title, *lines, f"  {'LIMITATIONS':{_WIDTH}}{report.limitation}"]


def _clean(line: str) -> str:
    """The text without control characters: the sender chose the file names."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
