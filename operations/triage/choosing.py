"""The answers that a view shows: those that pass its filters, in its period."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError
from spanproof.store.records import VerificationFilter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from numpy.typing import NDArray

    from spanproof.operations.context import Context
    from spanproof.store.facts.columns import Facts

Sort = Literal["newest", "oldest", "failures"]
SORTS: tuple[Sort, ...] = get_args(Sort)
#: Filters that one and the same citation must meet where there are several of them.
_OF_A_VERDICT = ("outcome", "code", "doc_hash", "index_version")
_NO_FILTER = VerificationFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is asked for. ``facts`` are values by the names of ``store.facts.reading.COLUMNS``.

    ``rest`` holds the filters that are no fact: a page, a span, an answer. ``words`` are searched.
    ``since`` is inclusive, ``until`` exclusive.
    """

    facts: Mapping[str, str] = field(default_factory=dict)
    rest: VerificationFilter = _NO_FILTER
    words: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    sort: Sort = "newest"


@dataclass(frozen=True, kw_only=True, eq=False)
class Chosen:
    """The facts of all answers, and the places of those that the view shows, oldest first.

    ``before`` are those of the period of the same length before it, None without a period.
    """

    facts: Facts
    places: NDArray[np.int64]
    before: NDArray[np.int64] | None
    sort: Sort = "newest"

    def list(self, skip: int, limit: int) -> tuple[int, ...]:
        """The numbers of the answers of one page, in the order of the view."""
        ordered = self.places if self.sort == "oldest" else self.places[::-1]
        if self.sort == "failures":
            ordered = ordered[np.argsort(-self.facts.failed[ordered], kind="stable")]
        return tuple(int(each) for each in self.facts.numbers[ordered[skip : skip + limit]])


def choose(context: Context, view: View, *, now: datetime) -> Chosen:
    """Find the answers of a view."""
    source = context.store.facts
    facts = source.load()
    passes = np.ones(len(facts), dtype=bool)
    for name, value in view.facts.items():
        passes &= facts.columns[name].has(value)
    if view.words is not None:
        passes &= facts.is_numbered(source.find_words(view.words))
    if (narrow := _narrow(view)) is not None:
        passes &= facts.is_numbered(source.find_filtered(narrow))
    until = (now if view.until is None else view.until).timestamp()
    is_early = facts.seconds < until if view.until is not None else np.ones(len(facts), dtype=bool)
    before = None
    if view.since is None:
        inside = passes & is_early
    else:
        since = view.since.timestamp()
        if view.until is not None and since >= until:
            msg = f"Expected a period that begins before it ends, got {view.since:%Y-%m-%d %H:%M}."
            raise InputError(msg, hint="Choose an earlier first day.")
        inside = passes & is_early & (facts.seconds >= since)
        # A period that is still to come is as long as nothing.
        length = max(until - since, 0)
        earlier = (facts.seconds >= since - length) & (facts.seconds < since)
        before = np.flatnonzero(passes & earlier)
    return Chosen(
        facts=facts, places=_order(facts, np.flatnonzero(inside)), before=before, sort=view.sort
    )


def _order(facts: Facts, places: NDArray[np.int64]) -> NDArray[np.int64]:
    # Numbers are almost in the order of the times: a stable sort of that is quick.
    return places[np.argsort(facts.seconds[places], kind="stable")]


def _narrow(view: View) -> VerificationFilter | None:
    """What only the database can tell: filters that meet in one verdict, pages, spans, names."""
    meeting = {name: view.facts[name] for name in _OF_A_VERDICT if name in view.facts}
    if view.rest == _NO_FILTER and len(meeting) < 2:
        return None
    doc_hash = meeting.get("doc_hash")
    return replace(
        view.rest,
        outcome=meeting.get("outcome"),
        code=meeting.get("code"),
        index_version=meeting.get("index_version"),
        doc_hash=None if doc_hash is None else Digest.parse(doc_hash),
    )
