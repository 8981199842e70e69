"""How many characters of each page carry each flag."""

from __future__ import annotations

from typing import Any

import numpy as np

from spanproof.core.documents.document import CharacterCounts
from spanproof.core.documents.layout import CharFlag

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
