"""Exit codes, and which result or error gives which."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.errors import SpanproofError


class ExitCode(IntEnum):
    """The exit code of the process."""

    OK = 0
    #: ``verify``: fail or review. ``find``: not found. ``doctor``, ``demo``: a check failed.
    FAILED = 1
    #: Malformed arguments or input.
    MALFORMED = 2
    #: An error; for ``ingest``: a document was refused.
    ERROR = 3
    #: ``audit``: a requested check could not run.
    NOT_CHECKED = 4
    #: 128 + SIGINT and 128 + SIGPIPE, as a shell reports a process that a signal ended.
    INTERRUPTED = 130
    OUTPUT_CLOSED = 141


#: The exit code of a block's ``result``.
OF_RESULT = {
    "pass": ExitCode.OK,
    "review": ExitCode.FAILED,
    "fail": ExitCode.FAILED,
    "error": ExitCode.ERROR,
}

#: Worst first: results in the contract's order (fail, error, review, pass), and before them a
#: malformed answer, whose result is unknown.
_WORST_FIRST = ("malformed", "fail", "error", "review", "pass")


def of_error(error: SpanproofError) -> ExitCode:
    """2 if the caller's input is the cause, else 3."""
    return ExitCode.MALFORMED if isinstance(error, InputError) else ExitCode.ERROR


def of_results(results: Iterable[str]) -> ExitCode:
    """The exit code of the worst result, ``malformed`` included; no result is not a pass."""
    worst = min(results, key=_WORST_FIRST.index, default="malformed")
    return OF_RESULT.get(worst, ExitCode.MALFORMED)
