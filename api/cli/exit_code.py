"""Exit codes, and how a result or an error becomes one."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.errors import SpanproofError


class ExitCode(IntEnum):
    """What the process ends with."""

    OK = 0
    #: ``verify``: fail or review. ``find``: not found. ``doctor``, ``demo``: not as it should be.
    FAILED = 1
    #: The arguments or the input are not well formed.
    MALFORMED = 2
    #: Something could not be done; for ``ingest``, a document was refused.
    ERROR = 3
    #: ``audit``: something that was asked for could not be checked.
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

#: Worst first. Results keep the contract's order (fail, error, review, pass); an answer that is not
#: well formed comes before them, since until it is mended nobody knows what it would come to.
_WORST_FIRST = ("malformed", "fail", "error", "review", "pass")


def of_error(error: SpanproofError) -> ExitCode:
    """2 where the caller's input is to blame, else 3."""
    return ExitCode.MALFORMED if isinstance(error, InputError) else ExitCode.ERROR


def of_results(results: Iterable[str]) -> ExitCode:
    """The exit code of the worst of several results, ``malformed`` among them; none is no pass."""
    worst = min(results, key=_WORST_FIRST.index, default="malformed")
    return OF_RESULT.get(worst, ExitCode.MALFORMED)
