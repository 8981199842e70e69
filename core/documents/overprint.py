"""Overprint: characters painted again where the same character appears already (fake bold).

A reader of the page sees one letter, the canonical text holds both. A copy counts only where the
layout proves it: the same code point in the same box, for a whole word or a longer stretch. Letters
that share one glyph (a ligature spelled out) appear in one box too, so a single letter, or one pair
of letters, proves nothing. The boxes of form fields and annotations are not glyphs' boxes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from spanproof.core.documents.blocks import Blocks
from spanproof.core.documents.layout import HIDDEN, CharFlag
from spanproof.core.documents.match_views import WHITE_SPACE, MatchView, to_codes, view_of

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.layout import Layout

Ints = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

# A copy lies at most a point away, and never as far as the next narrow letter: both in quanta.
_NEAR = 100.0
_NEAR_SHARE = 0.3
# Cells of twice that size, in four grids set half a cell apart: near neighbours share one of them.
_CELL = 2 * _NEAR
_GRIDS = ((0.0, 0.0), (_NEAR, 0.0), (0.0, _NEAR), (_NEAR, _NEAR))
# So many copied characters in a row, not all alike, are not chance even within a word.
_STRETCH = 3
_WHITE = np.array(sorted(map(ord, WHITE_SPACE)), np.uint32)
_ELSEWHERE = CharFlag.SEPARATOR | CharFlag.SYNTHETIC | CharFlag.ACTUALTEXT

_FOUND: WeakKeyDictionary[Extraction, Mask | None] = WeakKeyDictionary()


def overprint_of(extraction: Extraction) -> Mask | None:
    """The characters that are copies, found once per extraction; None without copies."""
    if extraction not in _FOUND:
        _FOUND[extraction] = find_copies(extraction)
    return _FOUND[extraction]


def single_view_of(extraction: Extraction) -> MatchView | None:
    """The view in which every character appears once; None where it would be the plain one."""
    copies = overprint_of(extraction)
    if copies is None:
        return None
    view = view_of(extraction)
    kept = ~copies[view.positions]
    codes = to_codes(view.text)[kept]
    return MatchView(codes.tobytes().decode("utf-32-le", "surrogatepass"), view.positions[kept])


def find_copies(extraction: Extraction) -> Mask | None:
    """The characters that repeat an earlier one at its place; None without such characters."""
    layout = extraction.layout
    if layout is None or not len(layout.run_start):
        return None
    codes = to_codes(extraction.text.text)
    seen = ~np.isin(codes, _WHITE)
    glyphs = _glyphs(extraction, layout, codes, seen)
    first = _first_of(glyphs, len(codes))
    if not (first >= 0).any():
        return None
    # From here on characters are counted without the white space between them.
    shown = np.flatnonzero(seen)
    gap = np.append(np.diff(shown) > 1, True)
    copies = np.zeros(len(codes), bool)
    copied = first[shown] >= 0
    _take_stretches(copies, codes, shown, gap, copied)
    beside = copied & (first[shown] == np.append(-1, shown[:-1]))
    _take_pairs(copies, codes, shown, gap, beside)
    return copies if copies.any() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Glyphs:
    """The characters with a glyph's box, in the order of the text; lengths in quanta."""

    index: Ints
    page: Ints
    code: np.ndarray[Any, np.dtype[np.uint32]]
    hidden: np.ndarray[Any, np.dtype[np.uint16]]
    x: np.ndarray[Any, np.dtype[np.float64]]
    y: np.ndarray[Any, np.dtype[np.float64]]
    width: Ints


def _glyphs(
    extraction: Extraction,
    layout: Layout,
    codes: np.ndarray[Any, np.dtype[np.uint32]],
    seen: Mask,
) -> _Glyphs:
    lengths = (layout.run_end - layout.run_start).astype(np.int64)
    run = np.repeat(np.arange(len(lengths)), lengths)
    index = np.repeat(layout.run_start - np.cumsum(lengths) + lengths, lengths)
    index = index + np.arange(len(run))
    own = seen & (layout.left < layout.right) & ((layout.flags & np.uint16(_ELSEWHERE)) == 0)
    for block in Blocks.of(extraction.blocks).of_kind("form_field", "annotation"):
        own[block.span.start : block.span.end] = False
    kept = own[index]
    index, run = index[kept], run[kept]
    left = layout.left[index].astype(np.float64)
    starts = [page.span.start for page in extraction.pages]
    return _Glyphs(
        index=index,
        page=np.searchsorted(starts, index, side="right"),
        code=codes[index],
        hidden=layout.flags[index] & np.uint16(HIDDEN),
        x=layout.run_x[run] + left * layout.run_cos[run],
        y=layout.run_y[run] + left * layout.run_sin[run],
        width=(layout.right[index] - layout.left[index]).astype(np.int64),
    )


def _first_of(glyphs: _Glyphs, total: int) -> Ints:
    """For each character of the text the earlier one that it copies, or -1."""
    first = np.full(total, -1, np.int64)
    near = np.minimum(_NEAR, _NEAR_SHARE * glyphs.width)
    alike = glyphs.page.astype(np.uint64) << np.uint64(21) | glyphs.code.astype(np.uint64)
    for across, up in _GRIDS:
        cells = [
            np.floor((along + shift) / _CELL).astype(np.int64).astype(np.uint64)
            for along, shift in ((glyphs.x, across), (glyphs.y, up))
        ]
        # A hash only gathers candidates; what it gathers is compared in full.
        mixed = alike * np.uint64(0x9E3779B97F4A7C15)
        for cell, factor in zip(cells, (0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9), strict=True):
            mixed = (mixed ^ (mixed >> np.uint64(29)) ^ cell) * np.uint64(factor)
        # Sorting numbers costs far less than sorting their places, which few need.
        ranked = np.sort(mixed)
        twice = np.unique(ranked[1:][ranked[1:] == ranked[:-1]])
        if not len(twice):
            continue
        place = np.minimum(np.searchsorted(twice, mixed), len(twice) - 1)
        some = np.flatnonzero(twice[place] == mixed)
        order = some[np.argsort(mixed[some], kind="stable")]
        one, two = order[:-1], order[1:]
        same = (alike[one] == alike[two]) & (glyphs.hidden[one] == glyphs.hidden[two])
        for values in (glyphs.x, glyphs.y, glyphs.width):
            same &= np.abs(values[one] - values[two]) <= near[two]
        first[glyphs.index[two[same]]] = glyphs.index[one[same]]
    return first


def _take_stretches(
    copies: Mask,
    codes: np.ndarray[Any, np.dtype[np.uint32]],
    shown: Ints,
    gap: Mask,
    copied: Mask,
) -> None:
    """Mark unbroken rows of copies that are whole words, or long enough."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], copied, [False]])))
    for start, end in edges.reshape(-1, 2).tolist():
        whole = (start == 0 or gap[start - 1]) and gap[end - 1]
        row = shown[start:end]
        if whole or (end - start >= _STRETCH and len(np.unique(codes[row])) > 1):
            copies[row] = True


def _take_pairs(
    copies: Mask,
    codes: np.ndarray[Any, np.dtype[np.uint32]],
    shown: Ints,
    gap: Mask,
    beside: Mask,
) -> None:
    """Mark the second letters of words written letter by letter twice (``TToottaall``)."""
    second = np.flatnonzero(beside)
    if len(second) < 2:
        return
    # Two pairs go together where no blank and no letter appears between them.
    linked = (np.diff(second) == 2) & ~gap[second[:-1]]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], linked, [False]])))
    for start, end in edges.reshape(-1, 2).tolist():
        row = shown[second[start : end + 1]]
        if len(np.unique(codes[row])) > 1:
            copies[row] = True
