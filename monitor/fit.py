"""Whether as many answers were drawn as the plan's probabilities say: exact tests.

In a stratum every answer is drawn with the same probability, so the number that is drawn has a
binomial distribution: exactly, where the bits of the answers are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: The chance that a fair draw of a whole epoch is called unfair. An audit accuses somebody: of a
#: hundred tenants with an epoch a day one is accused by chance in 27 years.
LEVEL = 1e-6
#: Callers choose models and index versions: so many groups are tested, those with most answers.
MAX_GROUPS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawCount:
    """How many answers of a group came in, and how many of them were drawn.

    ``model`` or ``index_version`` narrows a stratum; without both it is the whole stratum.
    """

    stratum: str
    model: str | None = None
    index_version: str | None = None
    probability: float
    answers: int
    chosen: int

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole stratum."""
        return self.model is None and self.index_version is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The exact p-value of a count, and the level that it is held against."""

    count: DrawCount
    p_value: float
    level: float

    @property
    def is_fair(self) -> bool:
        """Whether a fair draw may have come to this."""
        return self.p_value >= self.level


def fit_rates(counts: Iterable[DrawCount], *, level: float = LEVEL) -> tuple[Fit, ...]:
    """The test of each group: together they call a fair draw unfair with a chance of ``level``.

    One half of the level is shared by the strata, the other by the parts of them. A probability of
    0 or 1 leaves nothing to chance, and another check sees to it.
    """
    open_to_chance = [each for each in counts if 0 < each.probability < 1 and each.answers]
    whole = [each for each in open_to_chance if each.is_whole]
    parts = sorted(
        (each for each in open_to_chance if not each.is_whole),
        key=lambda each: (-each.answers, each.stratum, each.model or "", each.index_version or ""),
    )[:MAX_GROUPS]
    return (*_fit(whole, level / 2), *_fit(parts, level / 2))


def compute_p_value(answers: int, chosen: int, probability: float) -> float:
    """Twice the chance of a count as far out on its own side, at most 1."""
    # A second of start-up, so only where a draw is tested.
    from scipy.stats import binom

    low = float(binom.cdf(chosen, answers, probability))
    high = float(binom.sf(chosen - 1, answers, probability))
    return min(1.0, 2 * min(low, high))


def _fit(counts: Sequence[DrawCount], level: float) -> list[Fit]:
    return [
        Fit(
            count=each,
            p_value=compute_p_value(each.answers, each.chosen, each.probability),
            level=level / len(counts),
        )
        for each in counts
    ]
