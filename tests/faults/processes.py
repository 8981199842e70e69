"""A process that a fault may end at any moment."""

from __future__ import annotations

import os
import traceback
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable


def fork(work: Callable[[], None]) -> int:
    """Do this in a process of its own, which ends with 0 unless it raises; its number.

    Nothing may be open here: SQLite's locks do not outlive a fork.
    """
    child = os.fork()
    if child == 0:
        _end(work)
    return child


def wait(child: int) -> int:
    """Its exit status; negative for the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _end(work: Callable[[], None]) -> NoReturn:
    try:
        work()
    except BaseException:  # noqa: BLE001 - the child must end here, whatever happens
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
