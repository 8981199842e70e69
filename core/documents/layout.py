"""Layout: where each character appears, in columns, in PDF user space.

A *run* is a line fragment of constant direction and height: an origin, a unit direction (y up) and
the extents above and below the origin across the direction. A character owns ``[left, right)``
along its run. All lengths are integers of 1/100 user unit; a character without a box (a synthetic
space) has ``left == right``. Characters of no run are separators of ours.

Stored form (``to_bytes``): ``SPL1``, column lengths, then each column delta-coded, cut into byte
planes and deflated. Gaps between neighbours and widths repeat, so a character costs under 2 bytes.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import IntFlag
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.packed_numbers import pack_numbers, unpack_numbers
from spanproof.core.errors import IntegrityError
from spanproof.core.geometry import Quad

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.packed_numbers import Ints, Stretch
    from spanproof.core.span import Span

#: One stored length unit in user units.
QUANTUM = 0.01
_MAGIC = b"SPL1"
#: The bounds of the columns' numbers.
_LEAST, _MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max
Flags = np.ndarray[Any, np.dtype[np.uint16]]
Floats = np.ndarray[Any, np.dtype[np.float32]]


class CharFlag(IntFlag):
    """What is known of one character."""

    SYNTHETIC = 1
    INVISIBLE = 2
    OFFPAGE = 4
    UNMAPPED = 8
    PRIVATE_USE = 16
    CONTROL = 32
    ACTUALTEXT = 64
    SOFT_HYPHEN = 128
    IGNORABLE = 256
    OCR = 512
    REPLACED = 1024
    #: A separator of ours (line, page or segment end): it appears in no run.
    SEPARATOR = 2048
    #: Nothing at all is seen where it appears: no scan's text either.
    CONCEALED = 4096
    #: Struck out: it is shown as no longer said.
    STRUCK = 8192


#: Flags whose characters a reader of the page does not see as the text says.
HIDDEN = (
    CharFlag.INVISIBLE
    | CharFlag.OFFPAGE
    | CharFlag.ACTUALTEXT
    | CharFlag.CONCEALED
    | CharFlag.STRUCK
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """Columns over the R runs and the n characters of an extraction; read-only arrays."""

    run_start: Ints
    run_end: Ints
    run_x: Ints
    run_y: Ints
    run_cos: Floats
    run_sin: Floats
    run_ascent: Ints
    run_descent: Ints
    left: Ints
    right: Ints
    flags: Flags

    @classmethod
    def of_flags(cls, flags: Flags) -> Layout:
        """A layout without runs: it says what each character is, and no place."""
        zeros = np.zeros(len(flags), np.int32)
        empty, none = np.zeros(0, np.int32), np.zeros(0, np.float32)
        return cls(
            run_start=empty,
            run_end=empty.copy(),
            run_x=empty.copy(),
            run_y=empty.copy(),
            run_cos=none,
            run_sin=none.copy(),
            run_ascent=empty.copy(),
            run_descent=empty.copy(),
            left=zeros,
            right=zeros.copy(),
            flags=flags,
        )

    def __post_init__(self) -> None:
        for array in self._columns():
            array.flags.writeable = False
        if not self._holds_together():
            msg = (
                "Expected disjoint, ordered runs inside the text and one box and flag a character."
            )
            raise IntegrityError(msg, hint="Ingest the document again.")

    def _holds_together(self) -> bool:
        runs, characters = self._columns()[:8], self._columns()[8:]
        if len({len(column) for column in runs}) > 1 or len({len(c) for c in characters}) > 1:
            return False
        edges = np.stack([self.run_start, self.run_end], axis=1).reshape(-1)
        ordered = bool(np.all(np.diff(edges) >= 0)) and bool(np.all(self.run_start < self.run_end))
        inside = not len(edges) or (int(edges[0]) >= 0 and int(edges[-1]) <= len(self.flags))
        directed = bool(np.all(np.abs(np.hypot(self.run_cos, self.run_sin) - 1) < 1e-3))
        return ordered and inside and directed and bool(np.all(self.left <= self.right))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Layout.from_bytes, (self.to_bytes(),))

    def _columns(self) -> tuple[np.ndarray[Any, Any], ...]:
        return (
            self.run_start,
            self.run_end,
            self.run_x,
            self.run_y,
            self.run_cos,
            self.run_sin,
            self.run_ascent,
            self.run_descent,
            self.left,
            self.right,
            self.flags,
        )

    def __len__(self) -> int:
        return len(self.flags)

    def runs_of(self, span: Span) -> range:
        """The indexes of the runs that a span touches."""
        if len(span) == 0:
            return range(0)
        # Bisection over the column's own memory: numpy would copy it to compare with an int.
        first = bisect_right(self.run_end.data, span.start)
        last = bisect_left(self.run_start.data, span.end)
        return range(first, max(first, last))

    def quad(self, run: int, span: Span) -> Quad | None:
        """The quad of the span's characters within one run; None where none of them has a box."""
        start = max(span.start, int(self.run_start[run]))
        end = min(span.end, int(self.run_end[run]))
        left, right = self.left[start:end], self.right[start:end]
        boxed = left != right
        if not bool(boxed.any()):
            return None
        placed = (
            int(left[boxed].min()),
            int(right[boxed].max()),
            int(self.run_x[run]),
            int(self.run_y[run]),
            float(self.run_cos[run]),
            float(self.run_sin[run]),
            int(self.run_ascent[run]),
            int(self.run_descent[run]),
        )
        return _to_quad(placed)

    def quads(self, span: Span) -> list[Quad]:
        """The same for every run that the span touches, in order, and all at once."""
        return [quad for _, quad in self.run_quads(span)]

    def run_quads(self, span: Span) -> list[tuple[int, Quad]]:
        """The same, each with the offset where its run begins."""
        runs = self.runs_of(span)
        if not runs:
            return []
        part = slice(runs.start, runs.stop)
        starts, ends = self.run_start[part].tolist(), self.run_end[part].tolist()
        # The span may begin within its first run and end within its last.
        first, last = max(span.start, starts[0]), min(span.end, ends[-1])
        left, right = self.left[first:last], self.right[first:last]
        boxed = left != right
        # Where runs and the gaps between them begin in turn: every second stretch is a run.
        cuts = [edge - first for pair in zip(ends, starts[1:], strict=False) for edge in pair]
        edges = np.array([0, *cuts], np.intp)
        lows = np.minimum.reduceat(np.where(boxed, left, _MOST), edges)[::2].tolist()
        highs = np.maximum.reduceat(np.where(boxed, right, _LEAST), edges)[::2].tolist()
        columns = (
            self.run_x,
            self.run_y,
            self.run_cos,
            self.run_sin,
            self.run_ascent,
            self.run_descent,
        )
        placed = zip(lows, highs, *(column[part].tolist() for column in columns), strict=True)
        quads = zip(starts, placed, strict=True)
        # A run of which no character has a box keeps the bounds, which no boxed one has.
        return [(start, _to_quad(run)) for start, run in quads if run[0] < run[1]]

    def centres(self, span: Span) -> list[tuple[float, float]]:
        """The centres, in user space, of the span's characters that have a box."""
        found: list[tuple[float, float]] = []
        for run in self.runs_of(span):
            start = max(span.start, int(self.run_start[run]))
            end = min(span.end, int(self.run_end[run]))
            left, right = self.left[start:end], self.right[start:end]
            middle = ((left + right) / 2)[left != right]
            across = (float(self.run_ascent[run]) + float(self.run_descent[run])) / 2
            cos, sin = float(self.run_cos[run]), float(self.run_sin[run])
            xs = (float(self.run_x[run]) + middle * cos - across * sin) * QUANTUM
            ys = (float(self.run_y[run]) + middle * sin + across * cos) * QUANTUM
            found.extend(zip(xs.tolist(), ys.tolist(), strict=True))
        return found

    def any_flag(self, span: Span, wanted: CharFlag) -> bool:
        """Whether any character of the span carries one of these flags."""
        carried = int(np.bitwise_or.reduce(self.flags[span.start : span.end]))
        return bool(carried & int(wanted))

    def to_bytes(self) -> bytes:
        """The stored form."""
        packed = [pack_numbers(count, stretch) for count, stretch in self._stored_columns()]
        head = struct.pack("<4sII", _MAGIC, len(self.run_start), len(self.flags))
        lengths = struct.pack(f"<{len(packed)}I", *(len(part) for part in packed))
        return head + lengths + b"".join(packed)

    def _stored_columns(self) -> Iterator[tuple[int, Stretch]]:
        """The length of each stored column, and what gives a stretch of it."""
        for column, is_delta in (
            (self.run_start, True),
            (self.run_end - self.run_start, False),
            (self.run_x, True),
            (self.run_y, True),
            (self.run_cos.view(np.int32), False),
            (self.run_sin.view(np.int32), False),
            (self.run_ascent, True),
            (self.run_descent, True),
        ):
            stored = np.diff(column, prepend=np.int32(0)) if is_delta else column
            yield len(column), stored.__getitem__
        yield len(self), lambda part: self.left[part] - _before(self.right, part)
        yield len(self), lambda part: self.right[part] - self.left[part]
        yield len(self), lambda part: self.flags[part].astype(np.int32)

    @classmethod
    def from_bytes(cls, stored: bytes) -> Layout:
        """Read the stored form; raise IntegrityError if it is not one."""
        try:
            magic, runs, characters = struct.unpack_from("<4sII", stored)
            lengths = struct.unpack_from("<11I", stored, 12)
            position = 12 + 44
            columns = []
            for index, length in enumerate(lengths):
                count = characters if index >= 8 else runs
                columns.append(unpack_numbers(stored[position : position + length], count))
                position += length
            if magic != _MAGIC or position != len(stored):
                msg = "another magic, or trailing bytes"
                raise ValueError(msg)  # noqa: TRY301 - one door for every malformed byte
        except (ValueError, struct.error, zlib.error) as error:
            msg = f"Expected a stored layout, got {len(stored)} malformed bytes ({error})."
            raise IntegrityError(msg, hint="Ingest the document again.") from error
        # In place: a long document's columns are in memory once.
        right, left = columns[8], columns[9]
        np.cumsum(np.add(right, left, out=right), out=right)
        np.subtract(right, left, out=left)
        run_start = _undelta(columns[0])
        return cls(
            run_start=run_start,
            run_end=run_start + columns[1],
            run_x=_undelta(columns[2]),
            run_y=_undelta(columns[3]),
            run_cos=columns[4].view(np.float32),
            run_sin=columns[5].view(np.float32),
            run_ascent=_undelta(columns[6]),
            run_descent=_undelta(columns[7]),
            left=left,
            right=right,
            flags=columns[10].astype(np.uint16),
        )


def _to_quad(placed: tuple[int, int, int, int, float, float, int, int]) -> Quad:
    """The corners of what appears from ``low`` to ``high`` along a run, in user units."""
    low, high, x, y, cos, sin, ascent, descent = placed
    if cos == 1 and sin == 0:  # Level, as most text is: the same numbers with less arithmetic.
        start, end = (x + low) * QUANTUM, (x + high) * QUANTUM
        top, bottom = (y + ascent) * QUANTUM, (y + descent) * QUANTUM
        return Quad((start, top), (end, top), (end, bottom), (start, bottom))
    low_x, low_y = x + low * cos, y + low * sin
    high_x, high_y = x + high * cos, y + high * sin
    up_x, up_y = ascent * sin, ascent * cos
    down_x, down_y = descent * sin, descent * cos
    return Quad(
        ul=((low_x - up_x) * QUANTUM, (low_y + up_y) * QUANTUM),
        ur=((high_x - up_x) * QUANTUM, (high_y + up_y) * QUANTUM),
        lr=((high_x - down_x) * QUANTUM, (high_y + down_y) * QUANTUM),
        ll=((low_x - down_x) * QUANTUM, (low_y + down_y) * QUANTUM),
    )


def _undelta(column: Ints) -> Ints:
    return np.cumsum(column, dtype=np.int32)


def _before(column: Ints, part: slice) -> Ints:
    """What appears before each number of a stretch of the column; 0 before the first."""
    if part.start:
        return column[part.start - 1 : part.stop - 1]
    return np.concatenate([np.zeros(1, np.int32), column[: part.stop - 1]])
