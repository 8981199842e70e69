"""Facts of many answers as numpy columns: filters and counts without a question to the database.

100,000 answers take about 5 MB, and each count a millisecond. Values are numbered in the order in
which they were first seen; each answer has a set of them, and the sets are numbered too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]


class Sets:
    """The distinct sets of one fact's values, as they are met."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self.members: list[tuple[int, ...]] = []
        self._value_numbers: dict[str, int] = {}
        self._set_numbers: dict[tuple[str, ...], int] = {}

    def number(self, values: tuple[str, ...]) -> int:
        """The number of a set."""
        found = self._set_numbers.get(values)
        if found is None:
            found = self._set_numbers[values] = len(self.members)
            self.members.append(tuple(map(self._number_value, values)))
        return found

    def _number_value(self, value: str) -> int:
        found = self._value_numbers.setdefault(value, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class FactColumn:
    """One fact of all answers: ``values``, the ``members`` of each set, and each answer's set."""

    values: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    sets: Ints

    @cached_property
    def _flat(self) -> tuple[Ints, Ints, Ints]:
        """The members of all sets in a row, where each set starts there, how many it has."""
        sizes = np.array([len(each) for each in self.members], dtype=np.int64)
        flat = np.array([value for each in self.members for value in each], dtype=np.int64)
        return flat, np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64), sizes

    def has(self, value: str) -> Mask:
        """Which answers have the value."""
        if value not in self.values:
            return np.zeros(len(self.sets), dtype=bool)
        number = self.values.index(value)
        return np.array([number in each for each in self.members], dtype=bool)[self.sets]

    def count(self, chosen: Ints) -> Ints:
        """How many of the chosen answers have each value."""
        flat, _, sizes = self._flat
        of_sets = np.bincount(self.sets[chosen], minlength=len(self.members))
        found = np.bincount(flat, weights=np.repeat(of_sets, sizes), minlength=len(self.values))
        return found.astype(np.int64)

    def expand(self, chosen: Ints) -> tuple[Ints, Ints]:
        """Each pair of a place in ``chosen`` and a value that the answer there has."""
        flat, starts, sizes = self._flat
        sets = self.sets[chosen]
        many = sizes[sets]
        places = np.repeat(np.arange(len(chosen)), many)
        first = np.repeat(np.cumsum(many) - many, many)
        return places, flat[np.repeat(starts[sets], many) + np.arange(len(places)) - first]


@dataclass(frozen=True, kw_only=True, eq=False)
class Facts:
    """All answers at one moment, in the order of their numbers.

    ``numbers`` are those of their rows, ``seconds`` their times since 1970, ``failed`` how many
    verdicts fail. ``columns`` are the facts by name.
    """

    numbers: Ints
    seconds: NDArray[np.float64]
    failed: Ints
    columns: dict[str, FactColumn]

    def __len__(self) -> int:
        return len(self.numbers)

    def is_numbered(self, numbers: Iterable[int]) -> Mask:
        """Which answers have one of these numbers."""
        return np.isin(self.numbers, np.fromiter(numbers, dtype=np.int64))
