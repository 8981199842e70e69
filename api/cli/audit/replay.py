"""``audit replay``: does recomputing a verification give the same result?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_error, write_json, write_note, write_problem, write_rich
from spanproof.api.cli.session import load_settings, open_session
from spanproof.core.errors import (
    BlobDigestMismatchError,
    InputError,
    SpanproofError,
    VerificationNotFoundError,
)

if TYPE_CHECKING:
    from spanproof.operations.replay.verification import ReplayReport

_SHOWN = 5


def replay(
    ref: Annotated[
        str,
        typer.Argument(
            metavar="VERIFICATION_ID|FILE",
            help="A verification id, a file written by 'verify --json', or a receipt "
            "(*.sigstore.json).",
        ),
    ],
    pack: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="For a receipt: read its documents from this evidence pack."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Recompute a verification from its payload, documents and model, and compare.

    Exit 0 the same bytes (REPLAYED), or the same decisions with small numeric differences between
    CPUs (CONFORMS); 1 something differs; 2 malformed or unknown; 4 not checked.
    """
    from spanproof.operations.replay.verification import load_file, load_stored
    from spanproof.operations.replay.verification import replay as compute

    path = Path(ref)
    if path.is_file() and path.name.endswith(".sigstore.json"):
        return _replay_receipt(path, pack, as_json=as_json)
    if pack is not None:
        msg = f"Expected a receipt (*.sigstore.json) beside --pack, got {ref!r}."
        raise InputError(msg, hint="Give a receipt of the pack, or omit --pack.")
    try:
        with open_session() as context:
            stored = load_file(context, path) if path.is_file() else load_stored(context, ref)
            report = compute(context, stored)
    except (InputError, VerificationNotFoundError) as error:
        write_problem(error)
        return ExitCode.MALFORMED
    except BlobDigestMismatchError as error:
        # Stored data that has changed is a finding, not a failure of the check.
        write_problem(error)
        return ExitCode.FAILED
    except SpanproofError as error:
        write_problem(error)
        return ExitCode.NOT_CHECKED
    if report.problem is not None:
        write_problem(report.problem)
    if as_json:
        write_json(report.to_json())
    elif report.problem is None:
        write_rich(*_render(report))
    return _EXIT[report.status.value]


def _replay_receipt(path: Path, pack: Path | None, *, as_json: bool) -> int:
    """The line SUPPORT of one receipt; 'audit verify' checks its signature."""
    from spanproof.operations.replay.receipt import load_predicate, replay_from_pack, replay_receipt

    try:
        predicate = load_predicate(path)
        if pack is None:
            with open_session() as context:
                line = replay_receipt(context, predicate)
        else:
            line = replay_from_pack(load_settings(), pack, predicate)
    except InputError as error:
        write_problem(error)
        return ExitCode.MALFORMED
    except SpanproofError as error:
        write_problem(error)
        return ExitCode.NOT_CHECKED
    if line.outcome.name != "OK":
        write_error(line.code or "NOT_CHECKED", line.words)
    if as_json:
        write_json({"receipt_id": predicate.receipt_id, "line": line.to_json()})
    else:
        write_note("Signature and log are not checked here: run 'audit verify'.")
        write_rich(_escape(f"{line.question.value} {line.status.value} {line.words}"))
    return int(line.outcome)


def _escape(line: str) -> str:
    from rich.markup import escape

    return escape(line)


_EXIT = {
    "REPLAYED": ExitCode.OK,
    "CONFORMS": ExitCode.OK,
    "DIFFERS": ExitCode.FAILED,
    "NOT_CHECKED": ExitCode.NOT_CHECKED,
}


def _render(report: ReplayReport) -> list[str]:
    from rich.markup import escape

    lines = [f"{report.status.value} {report.verification_id or ''}".rstrip()]
    lines.append(f"stored     {report.stored_digest}")
    lines.append(f"recomputed {report.recomputed_digest}")
    if report.greatest_logit_difference is not None:
        lines.append(f"greatest difference of a logit {report.greatest_logit_difference:.2e}")
    for each in report.differences[:_SHOWN]:
        row = each.to_json()
        lines.append(f"{row['path']}: stored {row['stored']!r}, recomputed {row['recomputed']!r}")
    if len(report.differences) > _SHOWN:
        lines.append(f"… {len(report.differences) - _SHOWN} more differences (--json)")
    return [escape(line) for line in lines]
