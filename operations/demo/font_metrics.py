"""Advance widths of the two standard PDF fonts of the demo's documents (Adobe's AFM)."""

from __future__ import annotations

from typing import Literal

FontName = Literal["F1", "F2"]

BASE_FONTS: dict[FontName, str] = {"F1": "Times-Roman", "F2": "Times-Bold"}

#: Characters beyond ASCII: code in our encoding, glyph's name, width in each font.
EXTRA: dict[str, tuple[int, str, dict[FontName, int]]] = {
    "ﬁ": (0x80, "fi", {"F1": 556, "F2": 556}),
    "ﬂ": (0x81, "fl", {"F1": 556, "F2": 556}),
    "’": (0x82, "quoteright", {"F1": 333, "F2": 333}),
    "–": (0x83, "endash", {"F1": 500, "F2": 500}),
}

#: Widths of U+0020 to U+007E in thousandths of the font size.
_ASCII_WIDTHS: dict[FontName, str] = {
    "F1": (
        "250 333 408 500 500 833 778 180 333 333 500 564 250 333 250 278 500 500 500 500 500 500 "
        "500 500 500 500 278 278 564 564 564 444 921 722 667 667 722 611 556 722 722 333 389 722 "
        "611 889 722 722 556 722 667 556 611 722 722 944 722 722 611 333 278 333 469 500 333 444 "
        "500 444 500 444 333 500 500 278 278 500 278 778 500 500 500 500 333 389 278 500 500 722 "
        "500 500 444 480 200 480 541"
    ),
    "F2": (
        "250 333 555 500 500 1000 833 278 333 333 500 570 250 333 250 278 500 500 500 500 500 500 "
        "500 500 500 500 333 333 570 570 570 500 930 722 667 722 722 667 611 778 778 389 500 778 "
        "667 944 722 778 611 778 722 556 667 722 722 1000 722 722 667 333 278 333 581 500 333 500 "
        "556 444 556 444 333 500 556 278 333 556 278 833 556 500 556 556 444 389 333 556 500 722 "
        "500 500 444 394 220 394 520"
    ),
}
ASCII_WIDTHS: dict[FontName, tuple[int, ...]] = {
    name: tuple(map(int, widths.split())) for name, widths in _ASCII_WIDTHS.items()
}


def measure(text: str, font: FontName, size: float) -> float:
    """The width of a text in points; every character must be in our encoding."""
    return sum(_width(char, font) for char in text) * size / 1000


def encode(text: str) -> bytes:
    """The text in the one-byte encoding that both fonts of the file declare."""
    return bytes(EXTRA[char][0] if char in EXTRA else ord(char) for char in text)


def _width(char: str, font: FontName) -> int:
    if char in EXTRA:
        return EXTRA[char][2][font]
    return ASCII_WIDTHS[font][ord(char) - 0x20]
