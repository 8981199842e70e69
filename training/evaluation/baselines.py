"""What a model must beat: the words that claim and premise share, and the claim read alone.

Containment sees no order and no number's place; what the claim alone gives away, a data set's
authors put into it. A source on which either comes near the model says little about reading.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from training.pairs import LABEL_IDS, read_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from training.evaluation.metrics import Array
    from training.pairs import Pair

_WORD = re.compile(r"\w+")
#: Words and pairs of words that fewer training claims hold are left out.
_LEAST_CLAIMS = 3
#: Weight of the squared weights in the summed cost: scikit-learn's default, C = 1.
_RIDGE = 1.0
_STEPS = 60


def measure_containment(pair: Pair) -> float:
    """The share of the claim's words that the premise holds."""
    words = _WORD.findall(pair.hypothesis.lower())
    held = set(_WORD.findall(pair.premise.lower()))
    return sum(word in held for word in words) / max(1, len(words))


class ClaimOnly:
    """Logistic regression on the TF-IDF of a claim's words and pairs of words; no premise."""

    def __init__(self, *, places: dict[str, int], rarity: Array, weights: Array) -> None:
        """Use ``fit``, which makes all three."""
        self._places = places
        self._rarity = rarity
        self._weights = weights

    @classmethod
    def fit(cls, claims: Sequence[str], entailed: Array) -> Self:
        """Fit on labelled claims, both classes weighing the same."""
        held = Counter(term for claim in claims for term in set(_terms(claim)))
        known = sorted(term for term, count in held.items() if count >= _LEAST_CLAIMS)
        places = {term: place for place, term in enumerate(known)}
        counts = np.array([held[term] for term in known], dtype=np.float64)
        rarity = np.log((1 + len(claims)) / (1 + counts)) + 1
        fitted = cls(places=places, rarity=rarity, weights=np.zeros(len(known) + 1))
        fitted._weights = _fit_logistic(fitted._encode(claims), entailed)
        return fitted

    @classmethod
    def of_file(cls, path: Path) -> Self:
        """Fit on the pairs of a training file that may shape shipped weights."""
        pairs = list(read_pairs(path, shippable_only=True))
        entailed = np.array([pair.label == LABEL_IDS["entailment"] for pair in pairs])
        return cls.fit([pair.hypothesis for pair in pairs], entailed)

    def score(self, claims: Iterable[str]) -> Array:
        """The probability in [0, 1] that each claim is entailed, by itself."""
        rows = self._encode(list(claims))
        return _sigmoid(rows.multiply(self._weights[:-1]) + self._weights[-1])

    def _encode(self, claims: Sequence[str]) -> _Rows:
        starts: list[int] = []
        columns: list[int] = []
        values: list[Array] = []
        for claim in claims:
            counts = Counter(
                place for term in _terms(claim) if (place := self._places.get(term)) is not None
            )
            row = np.fromiter(counts.values(), dtype=np.float64) * self._rarity[list(counts)]
            starts.append(len(columns))
            columns.extend(counts)
            values.append(row / max(float(np.linalg.norm(row)), 1e-12))
        return _Rows(
            starts=np.array(starts, dtype=np.int64),
            columns=np.array(columns, dtype=np.int64),
            values=np.concatenate(values) if values else np.zeros(0),
            width=len(self._places),
        )


class _Rows:
    """A sparse matrix by rows: no more than a logistic regression needs of one."""

    def __init__(self, *, starts: Array, columns: Array, values: Array, width: int) -> None:
        self.count = len(starts)
        self.width = width
        self._columns = columns
        self._values = values
        lengths = np.diff(np.append(starts, len(columns)))
        self._rows = np.repeat(np.arange(self.count), lengths)

    def multiply(self, weights: Array) -> Array:
        """The matrix times a column."""
        parts = self._values * weights[self._columns]
        return np.bincount(self._rows, weights=parts, minlength=self.count)

    def multiply_transposed(self, column: Array) -> Array:
        """The transposed matrix times a column."""
        parts = self._values * column[self._rows]
        return np.bincount(self._columns, weights=parts, minlength=self.width)


def _terms(claim: str) -> list[str]:
    words = _WORD.findall(claim.lower())
    return words + [f"{first} {second}" for first, second in pairwise(words)]


def _sigmoid(values: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-np.clip(values, -40, 40)))
    return result


def _fit_logistic(rows: _Rows, entailed: Array) -> Array:
    """Weights of every column and, last, the intercept, which is not regularised."""
    import torch

    share = entailed.mean()
    cost = np.where(entailed, 0.5 / max(share, 1e-9), 0.5 / max(1 - share, 1e-9))
    weights = torch.zeros(rows.width + 1, dtype=torch.float64, requires_grad=True)
    solver = torch.optim.LBFGS([weights], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def measure() -> Any:  # noqa: ANN401 - what the solver takes
        values = weights.detach().numpy()
        margins = rows.multiply(values[:-1]) + values[-1]
        gaps = cost * (_sigmoid(margins) - entailed)
        gradient = np.append(rows.multiply_transposed(gaps), gaps.sum())
        gradient[:-1] += _RIDGE * values[:-1]
        weights.grad = torch.from_numpy(gradient / rows.count)
        signed = np.where(entailed, margins, -margins)
        total = (cost * np.logaddexp(0, -signed)).sum() + _RIDGE / 2 * (values[:-1] ** 2).sum()
        return torch.tensor(total / rows.count)

    solver.step(measure)  # type: ignore[no-untyped-call]
    result: Array = weights.detach().numpy().copy()
    return result
