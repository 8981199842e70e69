"""Spans: half-open ranges of Unicode code points, and their conversion from and to other units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from core.errors import MalformedSpanError

OffsetUnit = Literal["codepoint", "utf16", "utf8"]
OFFSET_UNITS: tuple[OffsetUnit, ...] = get_args(OffsetUnit)


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

    def shift(self, by: int) -> Span:
        """The same span, ``by`` code points further on."""
        return Span(self.start + by, self.end + by)


def to_codepoint(text: str, offset: int, unit: OffsetUnit) -> int | None:
    """The code point index of an offset in ``unit``; None beyond the text or inside a character."""
    if unit == "codepoint" or text.isascii():
        return offset if 0 <= offset <= len(text) else None
    if unit == "utf16":
        head = text.encode("utf-16-le", "surrogatepass")[: 2 * offset]
        known = len(head) == 2 * offset
    else:
        head = text.encode("utf-8", "surrogatepass")[:offset]
        known = len(head) == offset
    if not known or offset < 0:
        return None
    codec = "utf-16-le" if unit == "utf16" else "utf-8"
    index = len(head.decode(codec, "ignore"))
    # A cut inside a character drops its head on decoding: the way back then differs.
    return index if from_codepoint(text, index, unit) == offset else None


def from_codepoint(text: str, index: int, unit: OffsetUnit) -> int:
    """The offset in ``unit`` of a code point index of the text."""
    if not 0 <= index <= len(text):
        msg = f"Expected an index in 0..{len(text)}, got {index}."
        raise MalformedSpanError(msg, hint="Give an index inside the text.")
    if unit == "codepoint" or text.isascii():
        return index
    if unit == "utf16":
        return len(text[:index].encode("utf-16-le", "surrogatepass")) // 2
    return len(text[:index].encode("utf-8", "surrogatepass"))
