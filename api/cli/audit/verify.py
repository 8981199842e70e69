"""``audit verify``: is this receipt what it says? Asked of files alone, unless it is replayed."""

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
        Path, typer.Option(metavar="FILE", help="Whom to trust: what 'audit trust' wrote.")
    ],
    source: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A source document to compare; may be repeated."),
    ] = None,
    canonical: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="A canonical text ('spanproof text' writes it); may be repeated."
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="The policy under which it must say 'pass'."),
    ] = None,
    witness: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="NOTE",
            help="A checkpoint that witnesses cosigned, or a .tlog-proof; may be repeated.",
        ),
    ] = None,
    tombstone: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A tombstone ('erase --tombstone' wrote it) of a document that is gone; "
            "may be repeated.",
        ),
    ] = None,
    replay: Annotated[
        bool,
        typer.Option(
            "--replay", help="Compute the verdicts anew, from the own store or from --pack."
        ),
    ] = False,
    pack: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="An evidence pack with the documents for --replay."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Check receipts offline: signature, log, time, documents, spans, policy, a line each.

    Exit 0 ok; 1 something failed; 2 malformed; 3 the policy is not met; 4 something that was asked
    for could not be checked. Of several receipts the lowest code other than 0.
    """
    from spanproof.operations.receipts.check import Problem, open_audit

    try:
        with _open_replay(pack, wanted=replay) as recompute:
            audit = open_audit(
                trust,
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
        # A tombstone that proves nothing: whoever gave it would have it excuse something.
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
    """What computes a receipt's verdicts anew: only this needs a store, and a model."""
    if not wanted:
        if pack is not None:
            msg = "Expected --replay beside --pack, got --pack alone."
            raise InputError(msg, hint="Add --replay, or leave --pack out.")
        yield None
        return
    from spanproof.api.cli.session import load_settings, open_session
    from spanproof.operations.replay.receipt import replay_from_pack, replay_receipt

    if pack is not None:
        yield partial(replay_from_pack, load_settings(), pack)
        return
    with open_session() as services:
        yield partial(replay_receipt, services)


def _check(receipts: list[Path], audit: Audit, *, as_json: bool) -> int:
    """Check one after the other; one that cannot be read keeps no other from being checked."""
    from spanproof.operations.receipts.check import check_file
    from spanproof.receipt.check.report import find_worst

    outcomes, rows = [], []
    trust = {"version": audit.trust.version, "digest": str(audit.trust.digest)}
    if not as_json:
        write_bytes(f"trust file version {trust['version']}, {trust['digest']}\n".encode())
    for path in receipts:
        check = check_file(path, audit)
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
    """The one line of a receipt that is not as it should be: which question, and why."""
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
    """Without what could move a terminal's cursor: names of files are the sender's choice."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
