"""The characters of a page as boxes in reading direction, and the fragments and lines they make.

A *fragment* is text with no gap as wide as its height; fragments beside each other are a line.
Boxes are in points from the top left, y downwards, of the page turned so that most text is level.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import HIDDEN, QUANTUM

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.layout import Layout
    from spanproof.core.geometry import PageFrame, Rotation
    from spanproof.core.span import Span

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
#: A wider gap, in heights of the letters, parts two fragments.
GAP = 0.75
#: The same for two words.
WORD_GAP = 0.15
#: Dots that lead the eye from a name to its value.
_LEADERS = re.compile(r"[.\u2026]{4,}")
#: Lines overlap by so much of the lower one's height if they stand beside each other.
_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """Characters without a gap between them."""

    offsets: tuple[int, ...]
    text: str
    x0: float
    x1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """Words that stand together: the characters' offsets and their box."""

    words: tuple[Word, ...]
    offsets: tuple[int, ...]
    text: str
    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def height(self) -> float:
        """Points from its top to its bottom."""
        return self.y1 - self.y0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Fragments beside each other, from left to right."""

    fragments: tuple[Fragment, ...]
    y0: float
    y1: float

    @property
    def height(self) -> float:
        """Points from its top to its bottom."""
        return self.y1 - self.y0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PageMarks:
    """The seen characters of a page: offsets and boxes, and the turned frame of the boxes.

    ``level`` says which run in reading direction, ``run`` which of them stand in one line.
    """

    frame: PageFrame
    offsets: Ints
    run: Ints
    level: np.ndarray[Any, np.dtype[np.bool_]]
    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats
    text: str


def find_turn(layout: Layout, span: Span) -> Rotation:
    """The rotation under which most characters of a page run from left to right."""
    runs = layout.runs_of(span)
    part = slice(runs.start, runs.stop)
    lengths = layout.run_end[part] - layout.run_start[part]
    cos, sin = layout.run_cos[part], layout.run_sin[part]
    turns: tuple[Rotation, ...] = (0, 90, 180, 270)
    shares = [
        int(lengths[(np.abs(cos - _COS[t]) < 0.01) & (np.abs(sin - _SIN[t]) < 0.01)].sum())
        for t in turns
    ]
    return turns[int(np.argmax(shares))]


def read_marks(extraction: Extraction, page: Page, turn: Rotation) -> PageMarks | None:
    """The page's characters that are neither white space nor hidden; None without any."""
    layout, frame = extraction.layout, page.frame
    runs = () if layout is None or frame is None else layout.runs_of(page.span)
    if layout is None or frame is None or not runs:
        return None
    part = slice(runs[0], runs[-1] + 1)
    starts = layout.run_start[part].astype(np.int64)
    lengths = layout.run_end[part] - starts
    run = np.repeat(np.arange(len(starts)), lengths)
    first = np.cumsum(lengths) - lengths
    offsets = np.arange(len(run)) - first[run] + starts[run]
    cos, sin = (column[part].astype(np.float64) for column in (layout.run_cos, layout.run_sin))
    level = (np.abs(cos - _COS[turn]) < 0.01) & (np.abs(sin - _SIN[turn]) < 0.01)
    left, right = layout.left[offsets], layout.right[offsets]
    text = extraction.text.text[page.span.start : page.span.end]
    points = np.frombuffer(text.encode("utf-32-le"), "<u4")[offsets - page.span.start]
    kept = (left != right) & (layout.flags[offsets] & np.uint16(HIDDEN) == 0)
    kept &= ~np.isin(points, _SPACES)
    if not kept.any():
        return None
    run, offsets, left, right = run[kept], offsets[kept], left[kept], right[kept]
    corners = []
    for along, across in ((left, layout.run_ascent), (right, layout.run_descent)):
        up = across[part][run]
        x = (layout.run_x[part][run] + along * cos[run] - up * sin[run]) * QUANTUM
        y = (layout.run_y[part][run] + along * sin[run] + up * cos[run]) * QUANTUM
        corners.append(turn_points(frame, turn, x, y))
    (xa, ya), (xb, yb) = corners
    return PageMarks(
        frame=turned(frame, turn),
        offsets=offsets,
        run=run,
        level=level[run],
        x0=np.minimum(xa, xb),
        y0=np.minimum(ya, yb),
        x1=np.maximum(xa, xb),
        y1=np.maximum(ya, yb),
        text=points[kept].tobytes().decode("utf-32-le"),
    )


_SPACES = np.array([ord(c) for c in " \t\n\r\f\v\u00a0\u2002\u2003\u2009\u200b\u3000"])
_COS, _SIN = {0: 1, 90: 0, 180: -1, 270: 0}, {0: 0, 90: 1, 180: 0, 270: -1}


def turned(frame: PageFrame, turn: Rotation) -> PageFrame:
    """The same page, displayed under another rotation."""
    return replace(frame, rotation=turn)


def turn_points(frame: PageFrame, turn: Rotation, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """User space → the turned frame, all points at once."""
    both: Any = (x, y)
    found: Any = turned(frame, turn).user_to_display(both)
    return found[0], found[1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PageLines:
    """The lines of a page from the top, and for each of its characters which one it is in.

    ``line_of`` is -1 for leader dots; upright text has lines of its own, run by run, which
    ``lines`` lacks: only their middles are known.
    """

    lines: list[Line]
    line_of: Ints
    middles: dict[int, float]


def read_lines(marks: PageMarks) -> PageLines:
    """The fragments of the page's level text, row by row from the top, without leader dots."""
    line_of = np.full(len(marks.offsets), -1, np.int64)
    words = _part_words(marks)
    lines = []
    for number, row in enumerate(_part_rows(words)):
        lines.append(_to_line(marks, row))
        for word in row:
            line_of[word.first : word.last] = number
    upright = np.flatnonzero(~marks.level)
    line_of[upright] = len(lines) + marks.run[upright]
    middles = {number: (line.y0 + line.y1) / 2 for number, line in enumerate(lines)}
    for index in upright.tolist():
        middles.setdefault(int(line_of[index]), float(marks.y0[index] + marks.y1[index]) / 2)
    return PageLines(lines=lines, line_of=line_of, middles=middles)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Characters ``[first, last)`` of the page's marks that are one word, and their box."""

    first: int
    last: int
    x0: float
    y0: float
    x1: float
    y1: float


def _part_words(marks: PageMarks) -> list[_Piece]:
    """The words of the level text in the order of the canonical text."""
    kept = np.flatnonzero(marks.level & ~_find_leaders(marks))
    if not len(kept):
        return []
    height = marks.y1[kept] - marks.y0[kept]
    gap = marks.x0[kept][1:] - marks.x1[kept][:-1]
    parts = np.abs(gap) > WORD_GAP * np.minimum(height[1:], height[:-1])
    parts |= (np.diff(marks.run[kept]) != 0) | (np.diff(kept) != 1)
    starts = np.concatenate([[0], np.flatnonzero(parts) + 1])
    first, last = kept[starts], kept[np.append(starts[1:], len(kept)) - 1] + 1
    columns = (
        first,
        last,
        np.minimum.reduceat(marks.x0[kept], starts),
        np.minimum.reduceat(marks.y0[kept], starts),
        np.maximum.reduceat(marks.x1[kept], starts),
        np.maximum.reduceat(marks.y1[kept], starts),
    )
    return [_Piece(*piece) for piece in zip(*(c.tolist() for c in columns), strict=True)]


def _find_leaders(marks: PageMarks) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """The dots of every four or more of them in a row."""
    found = np.zeros(len(marks.offsets), bool)
    for leader in _LEADERS.finditer(marks.text):
        found[leader.start() : leader.end()] = True
    return found


def _part_rows(words: list[_Piece]) -> list[list[_Piece]]:
    """The words of each row of the page, from the top: by their middles."""
    rows: list[list[_Piece]] = []
    top = bottom = -1.0
    for word in sorted(words, key=lambda word: word.y0 + word.y1):
        shared = min(bottom, word.y1) - max(top, word.y0)
        if rows and shared >= _SHARE * min(bottom - top, word.y1 - word.y0):
            rows[-1].append(word)
            # A row keeps the heights of what began it: raised marks do not stretch it.
            if word.y1 - word.y0 > bottom - top:
                top, bottom = word.y0, word.y1
        else:
            rows.append([word])
            top, bottom = word.y0, word.y1
    return rows


def _to_line(marks: PageMarks, row: list[_Piece]) -> Line:
    row.sort(key=lambda word: word.x0)
    fragments: list[list[Word]] = []
    reach, before = 0.0, row[0]
    for piece in row:
        offsets = marks.offsets[piece.first : piece.last].tolist()
        text = marks.text[piece.first : piece.last]
        own = Word(offsets=tuple(offsets), text=text, x0=piece.x0, x1=piece.x1)
        size = min(piece.y1 - piece.y0, before.y1 - before.y0)
        gap = piece.x0 - reach
        if not fragments or gap > GAP * size:
            fragments.append([own])
        elif gap <= WORD_GAP * size:
            fragments[-1][-1] = _glue(fragments[-1][-1], own)
        else:
            fragments[-1].append(own)
        reach, before = max(reach, piece.x1), piece
    y0, y1 = min(piece.y0 for piece in row), max(piece.y1 for piece in row)
    return Line(
        fragments=tuple(
            Fragment(
                words=tuple(words),
                offsets=tuple(offset for word in words for offset in word.offsets),
                text=" ".join(word.text for word in words),
                x0=words[0].x0,
                y0=y0,
                x1=max(word.x1 for word in words),
                y1=y1,
            )
            for words in fragments
        ),
        y0=y0,
        y1=y1,
    )


def _glue(one: Word, other: Word) -> Word:
    return Word(
        offsets=one.offsets + other.offsets,
        text=one.text + other.text,
        x0=one.x0,
        x1=max(one.x1, other.x1),
    )
