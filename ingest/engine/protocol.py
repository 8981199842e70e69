"""What a PDF engine must do, so that one can take another's place, and the pixels it draws."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from spanproof.core.documents.document import Document, Extraction, Pipeline
    from spanproof.core.geometry import PageFrame, Quad
    from spanproof.ingest.limits import Limits

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


class Drawing(Protocol):
    """An open document whose pages can be drawn and marked; pages count from 1."""

    @property
    def page_count(self) -> int:
        """How many pages it has."""
        ...

    def frame(self, page: int) -> PageFrame:
        """What turns user space into the page as displayed."""
        ...

    def draw(self, page: int, scale: float) -> Pixels:
        """The page as displayed, at ``scale`` pixels a point."""
        ...

    def annotate(
        self, page: int, quads: Sequence[Quad], colour: tuple[float, float, float], note: str
    ) -> None:
        """Put one highlight annotation over the quads; colours are in [0, 1]."""
        ...

    def save(self) -> bytes:
        """The document as it now is, encrypted as it was."""
        ...


class Engine(Protocol):
    """Reads a whole document; refuses with an ExtractionError, never with its library's error."""

    def pipeline(self) -> Pipeline:
        """Name, versions and settings of this engine: part of every extraction's identity."""
        ...

    def read(
        self,
        document: Document,
        data: bytes,
        limits: Limits,
        *,
        only: frozenset[int] | None = None,
    ) -> Extraction:
        """Read every page; a page that cannot be read is reported and the document goes on.

        ``only`` names the pages (from 1) to read; the others are left as pages without text.
        """
        ...

    def open_drawing(self, data: bytes) -> AbstractContextManager[Drawing]:
        """Open a document to draw its pages or to mark a copy of it."""
        ...
