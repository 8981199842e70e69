"""Work in a process of its own, which has all that this one has."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from tests.faults.mutation.cold import ALIVE, FAILED

if TYPE_CHECKING:
    from collections.abc import Callable


def run_fork(work: Callable[[], int]) -> int:
    """How a fork that does this work ends."""
    child = os.fork()
    if child == 0:
        _end(work)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    # What it started and left behind.
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return status


def name_status(status: int) -> str:
    """What the end of a fork, or of another process, says of its mutant."""
    if status in {-signal.SIGALRM, -signal.SIGPROF}:
        return "timeout"
    return "survived" if status == ALIVE else "killed"


def _end(work: Callable[[], int]) -> NoReturn:
    status = FAILED
    try:
        os.setpgid(0, 0)
        status = work()
    finally:
        os._exit(status)
