"""The characters of one page by two engines, and which of them appear at the same place.

A character of the other engine *belongs* to our character whose origin (left edge on the base
line) is within half a user unit of its own; a character that belongs to none of ours is *loose*. So
an overlapping neighbour line never counts as part of a span, and reading order decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import QUANTUM, CharFlag
from spanproof.core.documents.match_views import to_codes
from spanproof.ingest.assembly.characters import REPLACEMENT
from spanproof.ingest.cross_check.folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.match_views import Codes
    from spanproof.core.span import Span

Ints = np.ndarray[Any, np.dtype[np.int64]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

#: How far apart (user units) two engines may put the origin of one glyph.
NEAR = 0.5
# Characters of ours on which a second reading has no say: we do not claim what they are, or no
# reader sees them. Each has its own flag in the verdict.
_LEFT_OUT = np.uint16(
    CharFlag.SYNTHETIC
    | CharFlag.OFFPAGE
    | CharFlag.UNMAPPED
    | CharFlag.CONTROL
    | CharFlag.ACTUALTEXT
    | CharFlag.REPLACED
    | CharFlag.SEPARATOR
)
# Of the text that lies over a page only its rectangle is known, not where its characters appear.
_SEGMENTS = frozenset({"form_field", "annotation"})
# A hostile page heaps glyphs at one place: each glyph of the other engine is compared with so many.
_MOST_NEIGHBOURS = 32


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Places:
    """The folded letters of one page in reading order, and where their characters appear.

    ``at`` is the canonical offset of the character, ``first`` whether the letter is its first (a
    ligature has several), ``compared`` whether a second reading has a say on it.
    """

    at: Ints
    code: Codes
    run: Ints
    x: Doubles
    y: Doubles
    centre_x: Doubles
    centre_y: Doubles
    first: Mask
    boxed: Mask
    compared: Mask

    @classmethod
    def of(cls, extraction: Extraction, page: Page) -> Places:
        """Read the page's columns; an extraction without a layout has no places."""
        layout, span = extraction.layout, page.span
        letters, position = fold(to_codes(extraction.text.slice(span)))
        at = position + span.start
        runs = range(0) if layout is None else layout.runs_of(span)
        if layout is None or not len(runs):
            return cls._none()
        run_start = layout.run_start[runs.start : runs.stop].astype(np.int64)
        run_end = layout.run_end[runs.start : runs.stop].astype(np.int64)
        home = np.searchsorted(run_start, at, side="right") - 1
        in_run = (home >= 0) & (at < run_end[home])
        at, letters, home = at[in_run], letters[in_run], home[in_run] + runs.start
        cos, sin = layout.run_cos[home].astype(float), layout.run_sin[home].astype(float)
        x0, y0 = layout.run_x[home].astype(float), layout.run_y[home].astype(float)
        left, right = layout.left[at].astype(float), layout.right[at].astype(float)
        middle = (left + right) / 2
        across = (layout.run_ascent[home].astype(float) + layout.run_descent[home]) / 2
        compared = (layout.flags[at] & _LEFT_OUT) == 0
        for block in extraction.blocks_of(span):
            if block.kind in _SEGMENTS:
                compared &= (at < block.span.start) | (at >= block.span.end)
        return cls(
            at=at,
            code=letters,
            run=home,
            x=(x0 + left * cos) * QUANTUM,
            y=(y0 + left * sin) * QUANTUM,
            centre_x=(x0 + middle * cos - across * sin) * QUANTUM,
            centre_y=(y0 + middle * sin + across * cos) * QUANTUM,
            first=np.diff(at, prepend=-1) != 0,
            boxed=left != right,
            compared=compared,
        )

    @classmethod
    def _none(cls) -> Places:
        ints, doubles, mask = np.zeros(0, np.int64), np.zeros(0), np.zeros(0, bool)
        return cls(
            at=ints,
            code=np.zeros(0, np.uint32),
            run=ints,
            x=doubles,
            y=doubles,
            centre_x=doubles,
            centre_y=doubles,
            first=mask,
            boxed=mask,
            compared=mask,
        )

    def __len__(self) -> int:
        return len(self.at)

    def indexes_of(self, span: Span) -> slice:
        """The letters of a span."""
        first, last = np.searchsorted(self.at, (span.start, span.end)).tolist()
        return slice(first, last)


@dataclass(frozen=True, kw_only=True, eq=False)
class PagePair:
    """One page by two engines."""

    ours: Places
    theirs: Places

    @cached_property
    def owner(self) -> Ints:
        """For each letter of the other engine the index of our letter that owns it; -1: loose.

        The same letter within NEAR owns it, else the nearest within NEAR. Where we have a letter
        twice at one place (printed over each other to look bold), the first one owns it.
        """
        owner = np.full(len(self.theirs), -1, np.int64)
        best = np.full(len(self.theirs), np.inf)
        for near, mine, far in _neighbours(self.ours, self.theirs):
            cost = far + 2 * NEAR * (self.ours.code[near] != self.theirs.code[mine])
            pick = np.lexsort((near, cost, mine))
            pick = pick[(np.diff(mine[pick], prepend=-1) != 0) & (cost[pick] < best[mine[pick]])]
            best[mine[pick]], owner[mine[pick]] = cost[pick], near[pick]
        owned = owner >= 0
        owner[owned] = self.twin[owner[owned]]
        return owner

    @cached_property
    def twin(self) -> Ints:
        """For each letter of ours the first one like it at its place: itself, or an overprint's."""
        return _find_twins(self.ours)

    @cached_property
    def kept(self) -> Mask:
        """The other engine's letters that count: no overprints, no unjudged ones."""
        is_first: Mask = _find_twins(self.theirs) == np.arange(len(self.theirs))
        return self.theirs.compared & is_first

    @cached_property
    def loose(self) -> Ints:
        """The indexes of the other engine's counted letters that belong to none of ours."""
        return np.flatnonzero((self.owner < 0) & self.kept)

    @cached_property
    def is_met(self) -> Mask:
        """Whether each letter of ours has one of the other engine at its origin."""
        met = np.zeros(len(self.ours), bool)
        met[self.owner[self.owner >= 0]] = True
        found: Mask = met[self.twin]
        return found

    @cached_property
    def is_unread(self) -> Mask:
        """Whether the other engine can name no glyph that it has at our character's origin."""
        theirs, at = self.theirs, self.ours.at
        blank = (theirs.code == REPLACEMENT) & (self.owner >= 0)
        named = self.kept & (self.owner >= 0)
        unread = np.isin(at, at[self.owner[blank]]) & ~np.isin(at, at[self.owner[named]])
        found: Mask = unread[self.twin]
        return found


def _find_twins(places: Places) -> Ints:
    """For each letter the first one of another run that is like it and at its place, or itself."""
    twin = np.arange(len(places))
    for found, mine, _ in _neighbours(places, places):
        like = (places.code[found] == places.code[mine]) & (places.run[found] != places.run[mine])
        np.minimum.at(twin, mine[like], found[like])
    return twin


def _neighbours(some: Places, others: Places) -> Iterator[tuple[Ints, Ints, Doubles]]:
    """Pairs of a first letter of some and a letter of others within NEAR, and their distance."""
    usable = np.flatnonzero(some.first)
    if not len(usable) or not len(others):
        return
    cell_x, cell_y = _cells(some.x[usable]), _cells(some.y[usable])
    order = np.lexsort((usable, cell_y, cell_x))
    usable, keys = usable[order], _key(cell_x[order], cell_y[order])
    other_x, other_y = _cells(others.x), _cells(others.y)
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            wanted = _key(other_x + dx, other_y + dy)
            low = np.searchsorted(keys, wanted, side="left")
            count = np.minimum(np.searchsorted(keys, wanted, side="right") - low, _MOST_NEIGHBOURS)
            mine = np.repeat(np.arange(len(others)), count)
            nth = np.arange(len(mine)) - np.repeat(np.cumsum(count) - count, count)
            found = usable[np.repeat(low, count) + nth]
            far = np.hypot(some.x[found] - others.x[mine], some.y[found] - others.y[mine])
            near = far <= NEAR
            yield found[near], mine[near], far[near]


def _cells(values: Doubles) -> Ints:
    return np.floor(values / NEAR).astype(np.int64)


def _key(cell_x: Ints, cell_y: Ints) -> Ints:
    # One number a cell: coordinates are below 2e9 quanta, so cells are below 2**26.
    return cell_x * (1 << 28) + cell_y
