"""``audit replay``: is what stands in a verification still what comes out of it?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.documents import JsonOption  # noqa: TC001 - typer reads annotations
from api.cli.exit_code import ExitCode
from api.cli.output import write_json, write_problem, write_rich
from api.cli.session import open_session
from core.errors import (
    BlobDigestMismatchError,
    InputError,
    SpanproofError,
    VerificationNotFoundError,
)

if TYPE_CHECKING:
    from api.operations.replay import ReplayReport

_SHOWN = 5


def replay(
    ref: Annotated[
        str,
        typer.Argument(
            metavar="VERIFICATION_ID|FILE",
            help="A verification that is kept here, or a file that 'verify --json' printed.",
        ),
    ],
    as_json: JsonOption = False,
) -> int:
    """Compute a verification anew from its payload, documents and model, and compare.

    Exit 0 the same bytes (REPLAYED), or the same decisions with numbers that another CPU explains
    (CONFORMS); 1 something differs; 2 malformed or unknown; 4 it could not be checked.
    """
    from api.operations.replay import load_file, load_stored
    from api.operations.replay import replay as compute

    try:
        with open_session() as services:
            path = Path(ref)
            stored = load_file(services, path) if path.is_file() else load_stored(services, ref)
            report = compute(services, stored)
    except (InputError, VerificationNotFoundError) as error:
        write_problem(error)
        return ExitCode.MALFORMED
    except BlobDigestMismatchError as error:
        # What is kept is not what was kept: that is a finding, not a fault of the check.
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
