"""Which pairs of values fail more often than the two values alone would bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanproof.monitor.estimate import compute_wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spanproof.monitor.estimate import Interval

    Ints = NDArray[np.int64]

#: Fewer failures than these are no pattern.
LEAST_FAILED = 3
#: A share without the other value counts for itself from about so many answers on.
_ENOUGH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A pair by the numbers of its two values, and its counts.

    ``expected`` is the larger share of failures that either value has without the other. ``excess``
    are the failures above that.
    """

    first: int
    second: int
    answers: int
    failed: int
    rate: Interval
    expected: float

    @property
    def excess(self) -> float:
        """The failures above the expected ones."""
        return self.failed - self.answers * self.expected

    @property
    def least_excess(self) -> float:
        """The same at the lower end of the rate's interval: what pairs are ranked by."""
        return self.answers * (self.rate.low - self.expected)


def find_excess(answers: Ints, failed: Ints, *, most: int) -> list[Cell]:
    """The pairs of one table that stand out, the largest least excess first.

    ``answers`` and ``failed`` count each pair: shape (values of one fact + 1, of the other + 1).
    The last row and the last column count each value alone, their corner all answers.
    """
    if not failed[-1, -1]:
        return []
    # Of the first value without the second, and the other way round.
    expected = np.maximum(_rate_without(answers, failed), _rate_without(answers.T, failed.T).T)
    counts, fails = answers[:-1, :-1], failed[:-1, :-1]
    excess = np.where(fails >= LEAST_FAILED, fails - counts * expected, 0.0)
    # Wilson's interval is computed for those that could be among the first.
    order = np.argsort(-excess, axis=None, kind="stable")[: most * 10]
    found = []
    for place in order:
        first, second = np.unravel_index(place, excess.shape)
        if excess[first, second] <= 0:
            break
        count, fail = int(counts[first, second]), int(fails[first, second])
        cell = Cell(
            first=int(first),
            second=int(second),
            answers=count,
            failed=fail,
            rate=compute_wilson(fail, count),
            expected=float(expected[first, second]),
        )
        if cell.least_excess > 0:
            found.append(cell)
    return sorted(found, key=lambda cell: -cell.least_excess)[:most]


def _rate_without(answers: Ints, failed: Ints) -> NDArray[np.float64]:
    """The share of failures that each row's value has without each column's.

    With few such answers it leans on what may be assumed: the row's own share where the column's
    value is in all answers, for then the pair says nothing new; the share of all where it is rare.
    """
    of_rows = failed[:-1, -1:] / np.maximum(answers[:-1, -1:], 1)
    common = answers[-1:, :-1] / answers[-1, -1]
    assumed = common * of_rows + (1 - common) * failed[-1, -1] / answers[-1, -1]
    others = answers[:-1, -1:] - answers[:-1, :-1]
    fails = failed[:-1, -1:] - failed[:-1, :-1]
    found: NDArray[np.float64] = (fails + _ENOUGH * assumed) / (others + _ENOUGH)
    return found
