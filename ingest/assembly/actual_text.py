"""Where a page shows other characters than its ActualText says.

The same page is read twice, once with ActualText and once with the glyphs' own characters. What
both readings have at the same place stays; what lies between is compared. Typography is no
difference: white space, soft hyphens and ignorables, ligatures, widths, quotation marks, letter
case (small caps are often painted capitals). Nor is a glyph without a readable character of its own
(an emoji, a private code point): there ActualText is the only word.

An ActualText that is empty hides words that the page shows: the glyphs' own characters are kept
there. The lines are then those of the glyphs: an ActualText inside a word does not break it.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from operator import lt
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.match_views import QUOTE_MARKS, ligatures, widths
from spanproof.ingest.assembly.characters import flags_of, is_space, replace_forbidden
from spanproof.ingest.assembly.stream import CharStream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.assembly.stream import Ints, Points

#: How ActualText and glyphs become one text: part of every pipeline that reads both.
ACTUAL_TEXT = "glyphs-1"
# What takes no part in the comparison: it takes no room, or says only "some glyph".
_MUTE = CharFlag.SOFT_HYPHEN | CharFlag.IGNORABLE | CharFlag.CONTROL
_UNREADABLE = CharFlag.UNMAPPED | CharFlag.PRIVATE_USE | CharFlag.REPLACED


@dataclass(frozen=True, slots=True, kw_only=True)
class Painted:
    """Characters ``[start, end)`` of a stream, and the glyphs that the page shows instead.

    An empty range is a place where the page shows glyphs and the text says nothing. ``differs``
    where a reader of the page would be told something else than the text says.
    """

    start: int
    end: int
    glyphs: str
    differs: bool

    def moved(self, by: int) -> Painted:
        """The same, so many characters further on."""
        return Painted(
            start=self.start + by, end=self.end + by, glyphs=self.glyphs, differs=self.differs
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PageText:
    """The text of one page, and what of it the page shows otherwise.

    ``order`` has for each character its index in the reading with ActualText, or behind the end of
    that its index in the glyphs' reading; None where the text is the reading with ActualText.
    """

    stream: CharStream
    painted: list[Painted]
    order: Ints | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Gap:
    """What lies between two characters that both readings have.

    ``said`` and ``shown`` are indexes of characters that are not white space; ``follows`` is the
    index in the glyphs' reading of what stands behind.
    """

    said: Ints
    shown: Ints
    follows: int
    differs: bool
    is_loss: bool


def read_page_text(said: CharStream, shown: CharStream) -> PageText:
    """The text of a page by both of its readings, and where the page shows other characters."""
    if np.array_equal(said.points, shown.points):
        return PageText(stream=said, painted=[])
    gaps = list(_find_gaps(said, shown))
    if not any(gap.is_loss for gap in gaps) and len(said.line_length) <= len(shown.line_length):
        return PageText(stream=said, painted=_paint(gaps, shown, np.arange(len(said))))
    stream, order = _merge(said, shown, gaps)
    place = np.zeros(len(said), np.int64)
    is_said = order < len(said)
    place[order[is_said]] = np.flatnonzero(is_said)
    return PageText(stream=stream, painted=_paint(gaps, shown, place), order=order)


def _paint(gaps: list[_Gap], shown: CharStream, place: Ints) -> list[Painted]:
    """The gaps that differ; ``place`` is where each character of the said reading is now."""
    return [
        Painted(
            start=int(place[gap.said[0]]),
            end=int(place[gap.said[-1]]) + 1,
            glyphs=_text(shown.points[gap.shown[0] : gap.shown[-1] + 1]) if len(gap.shown) else "",
            differs=True,
        )
        for gap in gaps
        if gap.differs
    ]


def _find_gaps(said: CharStream, shown: CharStream) -> Iterator[_Gap]:
    ours, theirs = np.flatnonzero(~is_space(said.points)), np.flatnonzero(~is_space(shown.points))
    left, right = _standing(said, ours, shown, theirs)
    # Sentinels before the first and behind the last anchor, so that every gap has two ends.
    left = np.concatenate([[-1], left, [len(ours)]])
    right = np.concatenate([[-1], right, [len(theirs)]])
    ends = np.append(theirs, len(shown))
    standing: set[tuple[int, int, int]] = set()
    for gap in np.flatnonzero((np.diff(left) > 1) | (np.diff(right) > 1)).tolist():
        mine = ours[left[gap] + 1 : left[gap + 1]]
        other = theirs[right[gap] + 1 : right[gap + 1]]
        if not len(mine) and not standing:
            standing.update(_cells(said, ours))
        yield _Gap(
            said=mine,
            shown=other,
            follows=int(ends[right[gap + 1]]),
            differs=_differ(said.points[mine], shown.points[other]),
            is_loss=not len(mine) and _is_loss(standing, shown, other),
        )


def _merge(said: CharStream, shown: CharStream, gaps: list[_Gap]) -> tuple[CharStream, Ints]:
    """The glyphs' reading with what ActualText says in the place of what it replaces."""
    count, lines = len(said), len(shown.line_length)
    kept = np.ones(len(shown), bool)
    line = np.repeat(np.arange(lines), shown.line_length)
    ends = np.cumsum(shown.line_length)
    said_line = np.repeat(np.arange(len(said.line_length)), said.line_length)
    at: list[Ints] = []
    which: list[Ints] = []
    keys: list[Ints] = []
    for gap in gaps:
        if gap.is_loss:
            continue
        if len(gap.shown):
            kept[gap.shown[0] : gap.shown[-1] + 1] = False
        if not len(gap.said):
            continue
        new = np.arange(gap.said[0], gap.said[-1] + 1)
        if len(gap.shown):
            place = int(gap.shown[0])
            key = np.full(len(new), 2 * line[place])
        else:
            # No glyph says where it belongs: a line of its own, behind the one before it.
            key = np.full(len(new), 2 * line[gap.follows - 1] + 1 if gap.follows else -1)
            place = int(ends[line[gap.follows - 1]]) if gap.follows else 0
        at.append(np.full(len(new), place))
        which.append(new)
        keys.append(key)
    places = np.concatenate([np.zeros(0, np.int64), *at])
    inserted = np.concatenate([np.zeros(0, np.int64), *which])
    order = np.insert(np.arange(len(shown)) + count, places, inserted)
    key = np.insert(2 * line, places, np.concatenate([np.zeros(0, np.int64), *keys]))
    stays = np.insert(kept, places, values=True)
    order, key = order[stays], key[stays]
    fresh = np.flatnonzero(np.diff(key, prepend=-2))
    first = order[fresh]
    from_said = key[fresh] % 2 == 1
    own = said_line[np.where(from_said, first, 0)] if count else np.zeros(len(fresh), np.int64)
    base = np.clip(key[fresh] // 2, 0, max(lines - 1, 0))

    def join(name: str, axis: int = 0) -> Any:  # noqa: ANN401 - a column of any type
        both = np.concatenate([getattr(said, name), getattr(shown, name)], axis=axis)
        return both.take(order, axis=axis)

    def join_lines(name: str) -> Any:  # noqa: ANN401 - a column of any type
        both = np.concatenate([getattr(said, name), getattr(shown, name)])
        return both[np.where(from_said, own, base + len(said.line_length))]

    stream = CharStream(
        page_lines=np.array([len(fresh)], np.int64),
        line_length=np.diff(fresh, append=len(order)),
        line_direction=join_lines("line_direction"),
        line_vertical=join_lines("line_vertical"),
        points=join("points"),
        synthetic=join("synthetic"),
        invisible=join("invisible"),
        drawn=join("drawn"),
        quads=join("quads", 1),
        origins=join("origins", 1),
        sizes=join("sizes"),
    )
    return stream, order


def _standing(said: CharStream, ours: Ints, shown: CharStream, theirs: Ints) -> tuple[Ints, Ints]:
    """The longest chain of characters that both readings have, at the same places and in order."""
    if not len(ours) or not len(theirs):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    origins = np.concatenate([said.origins[:, ours], shown.origins[:, theirs]], axis=1)
    # Both readings compute with the same numbers: the very bits are equal, but for a zero's sign.
    x, y = (origins + np.float32(0)).view(np.uint32).astype(np.uint64)
    _, place = np.unique(x << np.uint64(32) | y, return_inverse=True)
    points = np.concatenate([said.points[ours], shown.points[theirs]]).astype(np.int64)
    names = place.reshape(-1).astype(np.int64) << 32 | points
    # The n-th of several equal ones (overprint) stands for the n-th of the other reading.
    count = len(ours)
    names = np.unique(names, return_inverse=True)[1].reshape(-1).astype(np.int64)
    mine, other = (_numbered(part, len(names)) for part in (names[:count], names[count:]))
    _, left, right = np.intersect1d(mine, other, assume_unique=True, return_indices=True)
    order = np.argsort(left)
    left, right = left[order], right[order]
    kept = _longest_rise(right.tolist())
    return left[kept], right[kept]


def _numbered(names: Ints, most: int) -> Ints:
    order = np.argsort(names, kind="stable")
    ordered = names[order]
    firsts = np.searchsorted(ordered, ordered)
    numbered = np.empty(len(names), np.int64)
    numbered[order] = ordered * (most + 1) + np.arange(len(names)) - firsts
    return numbered


def _longest_rise(values: list[int]) -> list[int]:
    """The indexes of a longest strictly rising subsequence, in O(n log n)."""
    if all(map(lt, values, values[1:])):
        return list(range(len(values)))
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for index, value in enumerate(values):
        place = bisect_left(ends, value)
        before.append(at[place - 1] if place else -1)
        if place == len(ends):
            ends.append(value)
            at.append(index)
        else:
            ends[place], at[place] = value, index
    chain = []
    index = at[-1] if at else -1
    while index >= 0:
        chain.append(index)
        index = before[index]
    return chain[::-1]


def _differ(said: Points, shown: Points) -> bool:
    text = _skeleton(said)
    if not text or text == _skeleton(shown):
        return False
    # Glyphs that have no character of their own contradict nothing; no glyph at all confirms none.
    readable = (flags_of(shown) & np.uint16(_UNREADABLE)) == 0
    return not len(shown) or bool(readable.any())


def _skeleton(points: Points) -> str:
    heard = points[(flags_of(points) & np.uint16(_MUTE | _UNREADABLE)) == 0]
    plain = (QUOTE_MARKS.get(c) or ligatures().get(c) or widths().get(c) or c for c in _text(heard))
    return unicodedata.normalize("NFC", "".join(plain)).casefold()


def _is_loss(standing: set[tuple[int, int, int]], shown: CharStream, which: Ints) -> bool:
    """Whether glyphs that the text passes over say something.

    Marks alone (a hyphen at a line's end) do not, nor do the doubles of fake bold, which the engine
    folds in one reading and keeps in the other.
    """
    if not any(character.isalnum() for character in _text(shown.points[which])):
        return False
    return not all(
        any((code, x + dx, y + dy) in standing for dx in (-1, 0, 1) for dy in (-1, 0, 1))
        for code, x, y in _cells(shown, which)
    )


def _cells(stream: CharStream, which: Ints) -> list[tuple[int, int, int]]:
    """Code point and origin of each character, the origin in whole points."""
    x, y = np.floor(np.nan_to_num(stream.origins[:, which])).astype(np.int64).tolist()
    return list(zip(stream.points[which].tolist(), x, y, strict=True))


def _text(points: Points) -> str:
    return replace_forbidden(points)[0].tobytes().decode("utf-32-le")
