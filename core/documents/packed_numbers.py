"""Columns of numbers as few bytes: cut into byte planes and deflated."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int32]]
#: A stretch of a column.
Stretch = Callable[[slice], Ints]
#: Numbers that are packed at once.
_STRETCH = 1 << 18


def pack_numbers(count: int, stretch: Stretch, *, level: int = 6) -> bytes:
    """A column of which ``stretch`` gives any part."""
    # Zigzag keeps small negative numbers small; planes set the mostly-zero high bytes side by side.
    # A part at a time, once for each plane: a copy of the column would weigh more than the text.
    squeezed = zlib.compressobj(level)
    parts = []
    for plane in range(4):
        for start in range(0, count, _STRETCH):
            wide = stretch(slice(start, min(count, start + _STRETCH)))
            zigzag = (wide << 1) ^ (wide >> 31)
            parts.append(squeezed.compress((zigzag >> (8 * plane)).astype(np.uint8).tobytes()))
    return b"".join([*parts, squeezed.flush()])


def unpack_numbers(part: bytes, count: int) -> Ints:
    """The same column; raise ValueError or zlib.error where it has not ``count`` numbers."""
    opened = zlib.decompressobj()
    found = []
    for _ in range(4 if count else 0):
        # Never more than the column needs: a stored byte may claim to be a gigabyte.
        found.append(np.frombuffer(opened.decompress(part, count), np.uint8, count))
        part = opened.unconsumed_tail
    if opened.decompress(part, 1) or not opened.eof or opened.unused_data:
        msg = f"expected a column of {count} numbers"
        raise ValueError(msg)
    zigzag = np.empty(count, "<u4")
    for plane, numbers in enumerate(found):
        zigzag.view(np.uint8).reshape(count, 4)[:, plane] = numbers
    column = zigzag.view(np.int32)
    signs = -(column & 1)
    zigzag >>= 1
    column ^= signs
    return column
