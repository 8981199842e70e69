"""A stretch of canonical text in pieces: marked or not, shown by its document or hidden there.

Everything shown of a document goes through here: text by offsets, never markup of the document.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanproof.core.documents.layout import HIDDEN
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction

#: Characters of a marked stretch that are shown; the JSON has all of it.
_MOST_MARKED = 4_000


class Room(NamedTuple):
    """How much is shown around a span: characters, rows and columns on either side."""

    characters: int
    rows: int
    columns: int


#: Around a citation of an answer, of which a page has many.
CARD = Room(characters=350, rows=2, columns=3)
#: On a page of its own.
PAGE = Room(characters=1_500, rows=8, columns=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some characters: part of a span or not, and whether the document shows them."""

    text: str
    is_marked: bool
    is_hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The text of one block or cell, cut where it is long."""

    pieces: tuple[Piece, ...]
    is_cut_before: bool = False
    is_cut_after: bool = False

    @property
    def is_marked(self) -> bool:
        """Whether any of it is part of a span."""
        return any(piece.is_marked for piece in self.pieces)


def cut_words(extraction: Extraction, part: Span, marks: Sequence[Span], room: Room) -> Words:
    """The text of ``part``, its marked stretches whole up to 4,000 characters."""
    inside = [mark.intersection(part) for mark in marks if mark.overlaps(part)]
    start, end = part.start, part.end
    if inside:
        start = max(start, inside[0].start - room.characters)
        last = min(inside[-1].end, inside[0].start + _MOST_MARKED)
        end = min(end, last + room.characters)
    else:
        end = min(end, start + 2 * room.characters)
    return Words(
        pieces=tuple(_split(extraction, Span(start, end), inside)),
        is_cut_before=start > part.start,
        is_cut_after=end < part.end,
    )


def _split(extraction: Extraction, shown: Span, marks: Sequence[Span]) -> list[Piece]:
    is_marked = np.zeros(len(shown), dtype=bool)
    for mark in marks:
        is_marked[max(0, mark.start - shown.start) : max(0, mark.end - shown.start)] = True
    is_hidden = np.zeros(len(shown), dtype=bool)
    if extraction.layout is not None:
        flags = extraction.layout.flags[shown.start : shown.end]
        is_hidden = (flags & np.uint16(HIDDEN)) != 0
    changes = np.flatnonzero((is_marked[1:] != is_marked[:-1]) | (is_hidden[1:] != is_hidden[:-1]))
    edges = [0, *(changes + 1).tolist(), len(shown)]
    text = extraction.text.slice(shown)
    return [
        Piece(
            text=text[start:end],
            is_marked=bool(is_marked[start]),
            is_hidden=bool(is_hidden[start]),
        )
        for start, end in itertools.pairwise(edges)
        if end > start
    ]
