"""Pixels of a page, and PNG of them: the same bytes from whichever engine drew the same pixels.

PNG is a header, zlib over filtered rows and three checksums: too little to depend on an image
library for, or on the engine whose licence the other engine is there to avoid.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

#: Height × width × RGB.
Pixels = np.ndarray[Any, np.dtype[np.uint8]]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Eight bits a channel, RGB, and the only compression, filter method and (no) interlacing there are.
_FORMAT = (8, 2, 0, 0, 0)
# Filter 2, "up": each row as its difference from the row above. Pages are mostly blank rows.
_UP = 2
_LEVEL = 6


def to_png(pixels: Pixels) -> bytes:
    """The pixels as PNG bytes (ISO/IEC 15948)."""
    height, width = pixels.shape[:2]
    rows = pixels.reshape(height, width * 3)
    filtered = np.empty((height, 1 + width * 3), np.uint8)
    filtered[:, 0] = _UP
    filtered[0, 1:] = rows[0]
    # Differences are modulo 256, which is how these numbers wrap.
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    return b"".join(
        [
            _SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, *_FORMAT)),
            _chunk(b"IDAT", zlib.compress(filtered.tobytes(), _LEVEL)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
