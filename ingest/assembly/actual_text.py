"""Where a page shows other characters than its ActualText says.

The same page is read twice, once with ActualText and once with the glyphs' own characters. What
both readings have at the same place stays; what lies between is compared. Typography is no
difference: white space, soft hyphens and ignorables, ligatures, widths, quotation marks, letter
case (small caps are often painted capitals). Nor is a glyph without a readable character of its own
(an emoji, a private code point): there ActualText is the only word.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from operator import lt
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.match_views import QUOTE_MARKS, ligatures, widths
from spanproof.ingest.assembly.characters import flags_of, is_space, replace_forbidden

if TYPE_CHECKING:
    from spanproof.ingest.assembly.stream import CharStream, Ints, Points

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


def find_painted(said: CharStream, shown: CharStream) -> list[Painted]:
    """The differences between a page's text and the glyphs painted on it, benign ones left out."""
    if np.array_equal(said.points, shown.points):
        return []
    ours, theirs = np.flatnonzero(~is_space(said.points)), np.flatnonzero(~is_space(shown.points))
    left, right = _standing(said, ours, shown, theirs)
    # Sentinels before the first and behind the last anchor, so that every gap has two ends.
    left = np.concatenate([[-1], left, [len(ours)]])
    right = np.concatenate([[-1], right, [len(theirs)]])
    found = []
    standing: set[tuple[int, int, int]] = set()
    for gap in np.flatnonzero((np.diff(left) > 1) | (np.diff(right) > 1)).tolist():
        mine = ours[left[gap] + 1 : left[gap + 1]]
        other = theirs[right[gap] + 1 : right[gap + 1]]
        differs = _differ(said.points[mine], shown.points[other])
        if not len(mine) and not standing:
            standing.update(_cells(said, ours))
        if not differs and (len(mine) or not _is_loss(standing, shown, other)):
            continue
        start = int(mine[0]) if len(mine) else int(np.append(ours, len(said))[left[gap + 1]])
        found.append(
            Painted(
                start=start,
                end=int(mine[-1]) + 1 if len(mine) else start,
                glyphs=_text(shown.points[other[0] : other[-1] + 1]) if len(other) else "",
                differs=differs,
            )
        )
    return found


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
