"""The counts of a view: totals, one bar a stretch of time, each fact's values, and pairs."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from spanproof.monitor.estimate import compute_wilson
from spanproof.monitor.excess import LEAST_FAILED, Cell, find_excess

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spanproof.monitor.estimate import Interval
    from spanproof.operations.triage.choosing import Chosen
    from spanproof.store.facts.columns import FactColumn, Facts

    Ints = NDArray[np.int64]

#: The results of an answer, worst first.
RESULTS = ("fail", "error", "review", "pass")
#: The facts that are counted, in the order in which they are shown.
FACETS = (
    "result",
    "outcome",
    "code",
    "generator_model",
    "prompt_id",
    "index_version",
    "doc_hash",
    "policy",
    "label",
)
#: What a person chooses when an answer is made; the others are what became of it.
_CAUSES = ("generator_model", "prompt_id", "index_version", "doc_hash", "policy", "label")
#: Values of one fact that are looked at in pairs: those with the most failures.
_MOST_PAIRED = 100
MOST_PAIRS = 8
#: At most this many bars; each is as long as the first of these that leaves no more.
MOST_BARS = 40
_STEPS = tuple(
    timedelta(hours=1) * hours for hours in (1, 6, 24, 24 * 7, 24 * 28, 24 * 364, 24 * 3640)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Answers, and how many have each result; ``rate`` is the share that fails."""

    answers: int
    results: dict[str, int]
    rate: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """The answers of a stretch of time: ``since`` inclusive, ``until`` exclusive."""

    since: datetime
    until: datetime
    results: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetValue:
    """A value of a fact, the answers that have it, and how many of those fail."""

    value: str
    answers: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A fact: its values with the most failures, and how many values there are."""

    name: str
    values: tuple[FacetValue, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two values of two facts that fail together more often than each alone would bring."""

    first: tuple[str, str]
    second: tuple[str, str]
    cell: Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Everything that is counted of a view."""

    now: Totals
    before: Totals | None
    bars: tuple[Bar, ...]
    facets: tuple[Facet, ...]
    pairs: tuple[Pair, ...]


def make_overview(chosen: Chosen, *, values_shown: int) -> Overview:
    """Count a view; each facet has at most ``values_shown`` values."""
    facts, places = chosen.facts, chosen.places
    fails = facts.columns["result"].has("fail")[places]
    return Overview(
        now=_count(facts, places),
        before=None if chosen.before is None else _count(facts, chosen.before),
        bars=_draw_bars(facts, places),
        facets=tuple(
            _count_values(name, facts.columns[name], places, places[fails], values_shown)
            for name in FACETS
        ),
        pairs=_find_pairs(facts, places, fails),
    )


def _count(facts: Facts, places: Ints) -> Totals:
    column = facts.columns["result"]
    counted = dict(zip(column.values, column.count(places).tolist(), strict=True))
    failed, total = counted.get("fail", 0), len(places)
    return Totals(
        answers=total,
        results={name: counted.get(name, 0) for name in RESULTS},
        rate=compute_wilson(failed, total) if total else None,
    )


def _draw_bars(facts: Facts, places: Ints) -> tuple[Bar, ...]:
    if not len(places):
        return ()
    seconds = facts.seconds[places]
    first, last = (datetime.fromtimestamp(float(each), UTC) for each in (seconds[0], seconds[-1]))
    step = next((each for each in _STEPS if (last - first) / each < MOST_BARS - 1), _STEPS[-1])
    # From midnight, so that a bar of a day is a day.
    start = first.replace(minute=0, second=0, microsecond=0)
    if step >= timedelta(days=1):
        start = start.replace(hour=0)
    many = int((last - start) / step) + 1
    width = step.total_seconds()
    bars = np.floor((seconds - start.timestamp()) / width).astype(np.int64)
    column = facts.columns["result"]
    results = {}
    for name in RESULTS:
        has = column.has(name)[places]
        results[name] = np.bincount(bars[has], minlength=many).tolist()
    return tuple(
        Bar(
            since=start + step * number,
            until=start + step * (number + 1),
            results={name: results[name][number] for name in RESULTS},
        )
        for number in range(many)
    )


def _count_values(name: str, column: FactColumn, places: Ints, failed: Ints, most: int) -> Facet:
    answers, fails = column.count(places), column.count(failed)
    # Those with the most failures first, then the most frequent.
    order = np.lexsort((-answers, -fails))
    order = order[answers[order] > 0]
    return Facet(
        name=name,
        values=tuple(
            FacetValue(
                value=column.values[each], answers=int(answers[each]), failed=int(fails[each])
            )
            for each in order[:most]
        ),
        total=len(order),
    )


class _Side:
    """One fact in a table of pairs: its kept values, and which answer has which of them."""

    def __init__(self, name: str, column: FactColumn, places: Ints, failed: Ints) -> None:
        self.name, self._column, self._places = name, column, places
        self.answers, self.failed = column.count(places), column.count(failed)
        order = np.argsort(-self.failed, kind="stable")[:_MOST_PAIRED]
        self.kept = order[self.failed[order] >= LEAST_FAILED]
        self._lookup = np.full(len(column.values), -1, dtype=np.int64)
        self._lookup[self.kept] = np.arange(len(self.kept))
        self.places, self.values = self._expand(np.arange(len(places)))

    @property
    def is_useful(self) -> bool:
        """Whether there is more than one value: else it divides nothing."""
        return len(self.kept) > 0 and int((self.answers > 0).sum()) > 1

    def _expand(self, among: Ints) -> tuple[Ints, Ints]:
        places, values = self._column.expand(self._places[among])
        values = self._lookup[values]
        return places[values >= 0], values[values >= 0]

    def cross(self, other: _Side, fails: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Answers and failures of each pair, with each value alone and the total at the end."""
        again, theirs = other._expand(self.places)
        shape = len(self.kept) + 1, len(other.kept) + 1
        keys = self.values[again] * shape[1] + theirs
        size = shape[0] * shape[1]
        answers = np.bincount(keys, minlength=size).reshape(shape)
        weights = fails[self.places[again]]
        failed = np.bincount(keys, weights=weights, minlength=size).astype(np.int64).reshape(shape)
        for table, own, their, total in (
            (answers, self.answers, other.answers, len(fails)),
            (failed, self.failed, other.failed, int(fails.sum())),
        ):
            table[:-1, -1], table[-1, :-1], table[-1, -1] = own[self.kept], their[other.kept], total
        return answers, failed


def _find_pairs(facts: Facts, places: Ints, fails: NDArray[np.bool_]) -> tuple[Pair, ...]:
    sides = [_Side(name, facts.columns[name], places, places[fails]) for name in _CAUSES]
    useful = [each for each in sides if each.is_useful]
    found = [
        Pair(
            first=(first.name, _name(facts, first, cell.first)),
            second=(second.name, _name(facts, second, cell.second)),
            cell=cell,
        )
        for first, second in itertools.combinations(useful, 2)
        for cell in find_excess(*first.cross(second, fails), most=MOST_PAIRS)
    ]
    return tuple(sorted(found, key=lambda pair: -pair.cell.least_excess)[:MOST_PAIRS])


def _name(facts: Facts, side: _Side, number: int) -> str:
    return facts.columns[side.name].values[int(side.kept[number])]
