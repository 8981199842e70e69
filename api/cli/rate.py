"""Progress of a long run on stderr: one renewed line, or a plain line now and then."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from spanproof.api.cli.output import is_watched, write_note

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds between two lines: on a terminal one line is renewed, in a log each of them stays.
WATCHED_SECONDS = 1.0
LOGGED_SECONDS = 30.0
_PARTS = 20
#: Go to the start of the line and clear it.
_RENEW = "\r\x1b[K"


class ProgressRate:
    """Writes count, share, rate and time left, not more often than a reader can use."""

    def __init__(self, what: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        """``what`` is counted; ``clock`` gives seconds."""
        self._what = what
        self._clock = clock
        self._is_watched = is_watched()
        self._every = WATCHED_SECONDS if self._is_watched else LOGGED_SECONDS
        self._last = self._began = clock()
        self._first: tuple[int, float] | None = None

    def show(self, count: int, share: float) -> None:
        """Show the progress if it is time to; the first call marks where this run began."""
        now = self._clock()
        if self._first is None:
            self._first = (count, share)
            self._began = now
            return
        if now - self._last < self._every:
            return
        self._last = now
        line = describe_rate(
            self._what, count=count, share=share, first=self._first, seconds=now - self._began
        )
        if self._is_watched:
            sys.stderr.write(f"{_RENEW}{draw_bar(share)} {line}")
            sys.stderr.flush()
        else:
            write_note(line)

    def clear(self) -> None:
        """Take the renewed line away before something else is written."""
        if self._is_watched:
            sys.stderr.write(_RENEW)
            sys.stderr.flush()


def draw_bar(share: float) -> str:
    """A bar of so many parts, like ``[#####---------------]``; ``share`` is in [0, 1]."""
    full = round(_PARTS * min(1.0, max(0.0, share)))
    return f"[{'#' * full}{'-' * (_PARTS - full)}]"


def describe_rate(
    what: str, *, count: int, share: float, first: tuple[int, float], seconds: float
) -> str:
    """Like ``12800 pairs, 26.7 %, 24.1 a second, 24 min left``.

    ``share`` in [0, 1] is the part done, ``first`` count and share when this run began: an earlier
    run's work does not count for the rate.
    """
    done, gained = count - first[0], share - first[1]
    line = f"{count} {what}, {share:.1%}".replace("%", " %")
    if done <= 0 or gained <= 0 or seconds <= 0:
        return line
    left = seconds * max(0.0, 1 - share) / gained
    return f"{line}, {done / seconds:.1f} a second, {_describe_time(left)} left"


def _describe_time(seconds: float) -> str:
    if seconds < 90:
        return f"{round(seconds)} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
