"""Agreement of two binary judgements, with intervals of 95 per cent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The normal quantile of a two-sided interval of 95 per cent.
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of a count, and its Wilson interval; ``value`` is None if the total is 0."""

    hits: int
    total: int

    @property
    def value(self) -> float | None:
        """The share itself."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's score interval (1927): it stays within 0 and 1 and holds for few counts."""
        if not self.total:
            return None
        n, p = self.total, self.hits / self.total
        centre = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
        return max(0.0, centre - half), min(1.0, centre + half)

    def to_json(self) -> dict[str, Any]:
        """Value, interval and what was counted."""
        interval = self.interval
        return {
            "value": None if self.value is None else round(self.value, 6),
            "low": None if interval is None else round(interval[0], 6),
            "high": None if interval is None else round(interval[1], 6),
            "hits": self.hits,
            "total": self.total,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How often the found fields agree with a person's labels."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @classmethod
    def of(cls, judged: Iterable[tuple[bool, bool]]) -> Confusion:
        """Count pairs (found, labelled)."""
        cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
        for pair in judged:
            cells[pair] += 1
        return cls(
            true_positives=cells[True, True],
            false_positives=cells[True, False],
            false_negatives=cells[False, True],
            true_negatives=cells[False, False],
        )

    @property
    def total(self) -> int:
        """All pairs."""
        return (
            self.true_positives + self.false_positives + self.false_negatives + self.true_negatives
        )

    @property
    def agreement(self) -> Share:
        """Where both say the same."""
        return Share(hits=self.true_positives + self.true_negatives, total=self.total)

    @property
    def precision(self) -> Share:
        """The right ones among the found fields."""
        found = self.true_positives + self.false_positives
        return Share(hits=self.true_positives, total=found)

    @property
    def recall(self) -> Share:
        """The found ones among the right fields."""
        wanted = self.true_positives + self.false_negatives
        return Share(hits=self.true_positives, total=wanted)

    def to_json(self) -> dict[str, Any]:
        """The four counts and the shares computed from them."""
        return {
            "true_positives": self.true_positives,
            "false_positives": self.false_positives,
            "false_negatives": self.false_negatives,
            "true_negatives": self.true_negatives,
            "agreement": self.agreement.to_json(),
            "precision": self.precision.to_json(),
            "recall": self.recall.to_json(),
            "kappa": find_kappa(self),
        }


def find_kappa(cells: Confusion) -> dict[str, float | None]:
    """Cohen's kappa with its large-sample interval (Fleiss, Cohen and Everitt 1969).

    None if both judges say one thing throughout: chance then explains everything.
    """
    total = cells.total
    nothing: dict[str, float | None] = {"value": None, "low": None, "high": None}
    if not total:
        return nothing
    a, b = cells.true_positives / total, cells.false_positives / total
    c, d = cells.false_negatives / total, cells.true_negatives / total
    rows, columns = (a + b, c + d), (a + c, b + d)
    observed = a + d
    expected = rows[0] * columns[0] + rows[1] * columns[1]
    if math.isclose(expected, 1.0):
        return nothing
    kappa = (observed - expected) / (1 - expected)
    agreed = sum(p * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i, p in enumerate((a, d)))
    crossed = (1 - kappa) ** 2 * (b * (columns[0] + rows[1]) ** 2 + c * (columns[1] + rows[0]) ** 2)
    rest = (kappa - expected * (1 - kappa)) ** 2
    error = math.sqrt(max(0.0, agreed + crossed - rest) / total) / (1 - expected)
    return {
        "value": round(kappa, 6),
        "low": round(max(-1.0, kappa - _Z * error), 6),
        "high": round(min(1.0, kappa + _Z * error), 6),
    }
