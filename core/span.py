"""Spans: half-open ranges of Unicode code points, and their conversion from and to other units."""

from __future__ import annotations

import bisect
from array import array
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from spanproof.core.errors import MalformedSpanError

OffsetUnit = Literal["codepoint", "utf16", "utf8"]
OFFSET_UNITS: tuple[OffsetUnit, ...] = get_args(OffsetUnit)
#: Bytes of one unit, and the encoding that counts in it.
_CODECS = {"utf16": (2, "utf-16-le"), "utf8": (1, "utf-8")}
#: Code points between two places of a text whose offsets are kept.
_BLOCK = 1024


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """``[start, end)`` in code points, 0-based. Empty spans are allowed; reversed ones are not."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start < 0 or self.end < self.start:
            msg = f"Expected 0 <= start <= end, got start={self.start}, end={self.end}."
            raise MalformedSpanError(msg, hint="Give half-open offsets: start first, end after.")

    def __len__(self) -> int:
        return self.end - self.start

    def contains(self, other: Span) -> bool:
        """Whether the other span lies inside this one."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether both have a character in common; an empty span overlaps a span around it."""
        return self.start < other.end and other.start < self.end

    def intersection(self, other: Span) -> Span:
        """The common characters; an empty span, which is falsy, without any."""
        start = min(max(self.start, other.start), self.end)
        return Span(start, max(start, min(self.end, other.end)))

    def shift(self, by: int) -> Span:
        """The same span, ``by`` code points further on."""
        return Span(self.start + by, self.end + by)


def to_codepoint(text: str, offset: int, unit: OffsetUnit) -> int | None:
    """The code point index of an offset in ``unit``; None beyond the text or inside a character."""
    if unit == "codepoint" or text.isascii():
        return offset if 0 <= offset <= len(text) else None
    if offset < 0:
        return None
    block, before = 0, 0
    if len(text) > _BLOCK:
        marks = _marks(text, unit)
        if offset > marks[-1]:
            return None
        # The end belongs to the last block, not to one behind it.
        block = min(bisect.bisect_right(marks, offset), len(marks) - 1) - 1
        before = marks[block]
    part = text[block * _BLOCK : (block + 1) * _BLOCK]
    width, codec = _CODECS[unit]
    raw = part.encode(codec, "surrogatepass")
    wanted = width * (offset - before)
    if wanted > len(raw):
        return None
    # A cut inside a character drops its head on decoding: the way back then differs.
    index = len(raw[:wanted].decode(codec, "ignore"))
    is_whole = len(part[:index].encode(codec, "surrogatepass")) == wanted
    return block * _BLOCK + index if is_whole else None


def from_codepoint(text: str, index: int, unit: OffsetUnit) -> int:
    """The offset in ``unit`` of a code point index of the text."""
    if not 0 <= index <= len(text):
        msg = f"Expected an index in 0..{len(text)}, got {index}."
        raise MalformedSpanError(msg, hint="Give an index inside the text.")
    if unit == "codepoint" or text.isascii():
        return index
    block = index // _BLOCK if len(text) > _BLOCK else 0
    before = _marks(text, unit)[block] if block else 0
    return before + _length(text[block * _BLOCK : index], unit)


def _length(text: str, unit: OffsetUnit) -> int:
    width, codec = _CODECS[unit]
    return len(text.encode(codec, "surrogatepass")) // width


# Few texts are converted at a time, each for many offsets; a text's own hash is kept by Python.
@lru_cache(maxsize=16)
def _marks(text: str, unit: OffsetUnit) -> array[int]:
    """The offset in ``unit`` of every ``_BLOCK``-th code point and of the end."""
    marks = array("q", [0])
    for start in range(0, len(text), _BLOCK):
        marks.append(marks[-1] + _length(text[start : start + _BLOCK], unit))
    return marks
