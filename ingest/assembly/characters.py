"""What a code point says of itself: a table from code point to flags, made once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from spanproof.core.documents.document import CharacterCounts
from spanproof.core.documents.layout import CharFlag

#: The normaliser's name in every pipeline: this table, the separators and the replacements.
CANON = "canon-1"
REPLACEMENT = 0xFFFD

Points = np.ndarray[Any, np.dtype[np.uint32]]
Flags = np.ndarray[Any, np.dtype[np.uint16]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

# Two bits above those of CharFlag; they never leave this package.
_SPACE = 1 << 14
_FORBIDDEN = 1 << 15
_KEPT = np.uint16(_SPACE - 1)

# Default_Ignorable_Code_Point of Unicode 16 (DerivedCoreProperties.txt) without the soft hyphen,
# and the three interlinear annotation marks: they take no room on a page.
_IGNORABLE = (
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_PRIVATE = ((0xE000, 0xF8FF), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD))
_CONTROL = ((0x00, 0x1F), (0x7F, 0x9F))
# NUL, the surrogates, and one row at the end for every number that is not a code point.
_NEVER_IN_TEXT = ((0x00, 0x00), (0xD800, 0xDFFF), (0x110000, 0x110000))
_WHITE = (0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F)


@cache
def _table() -> Flags:
    table = np.zeros(0x110001, np.uint16)
    for ranges, bit in (
        (_IGNORABLE, CharFlag.IGNORABLE),
        (_PRIVATE, CharFlag.PRIVATE_USE),
        (_CONTROL, CharFlag.CONTROL),
        (_NEVER_IN_TEXT, _FORBIDDEN),
        (((0x2000, 0x200A), (0x3000, 0x3000)), _SPACE),
    ):
        for first, last in ranges:
            table[first : last + 1] |= np.uint16(bit)
    table[list(_WHITE)] |= np.uint16(_SPACE)
    table[0xAD] |= np.uint16(CharFlag.SOFT_HYPHEN)
    table[REPLACEMENT] |= np.uint16(CharFlag.UNMAPPED)
    table.flags.writeable = False
    return table


def _rows(points: Points) -> Flags:
    return _table().take(points, mode="clip")


def flags_of(points: Points) -> Flags:
    """The flags of each code point, by itself."""
    return _rows(points) & _KEPT


def is_space(points: Points) -> Mask:
    """Whether each code point is white space (Unicode White_Space)."""
    found: Mask = (_rows(points) & np.uint16(_SPACE)) != 0
    return found


def replace_forbidden(points: Points) -> tuple[Points, Flags, Mask, list[tuple[int, int]]]:
    """Code points fit for a text, their flags, which are white space, and what was replaced.

    NUL, surrogates and numbers beyond Unicode become U+FFFD flagged REPLACED; the last item lists
    ``(index, original number)``.
    """
    rows = _rows(points)
    space = (rows & np.uint16(_SPACE)) != 0
    forbidden = np.flatnonzero(rows & np.uint16(_FORBIDDEN))
    flags = rows & _KEPT
    if not len(forbidden):
        return points, flags, space, []
    originals = list(zip(forbidden.tolist(), points[forbidden].tolist(), strict=True))
    points = points.copy()
    points[forbidden] = REPLACEMENT
    flags[forbidden] = np.uint16(CharFlag.REPLACED)
    return points, flags, space, originals


_COUNTED = {
    "synthetic": CharFlag.SYNTHETIC,
    "invisible": CharFlag.INVISIBLE,
    "offpage": CharFlag.OFFPAGE,
    "unmapped": CharFlag.UNMAPPED,
    "private_use": CharFlag.PRIVATE_USE,
    "control": CharFlag.CONTROL,
    "actualtext": CharFlag.ACTUALTEXT,
    "soft_hyphen": CharFlag.SOFT_HYPHEN,
    "ignorable": CharFlag.IGNORABLE,
    "ocr": CharFlag.OCR,
    "replaced": CharFlag.REPLACED,
}


def count_flags(
    flags: np.ndarray[Any, np.dtype[np.uint16]],
    page_starts: np.ndarray[Any, np.dtype[np.int64]],
) -> list[CharacterCounts]:
    """The counts of each page; every page but a text's only one holds a character (its end)."""
    sizes = np.diff(page_starts, append=len(flags)).tolist()
    if not len(flags):
        return [CharacterCounts() for _ in sizes]
    present = int(np.bitwise_or.reduce(flags))
    columns = {
        name: np.add.reduceat((flags & np.uint16(bit)) != 0, page_starts, dtype=np.int64).tolist()
        for name, bit in _COUNTED.items()
        if present & bit
    }
    return [
        CharacterCounts(characters=size, **{name: found[i] for name, found in columns.items()})
        for i, size in enumerate(sizes)
    ]
