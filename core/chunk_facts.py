"""What two versions of an index are compared by: one record of 88 bytes for each chunk.

Names and texts are of any length; their digests are not. An id, a text and a text in its document
are the first 16 bytes of a SHA-256: that two differ only behind these is out of reach. Documents
and frames have 8 bytes, since they are compared one with one.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanproof.core.digest import Digest

#: Little-endian on every machine: the records are kept as a file. An offset of -1 was not given.
CHUNK_FACTS = np.dtype(
    [
        *((name, "<u8") for name in ("id_high", "id_low", "text_high", "text_low")),
        # The text together with the document's name: the same words in the same place to look.
        *((name, "<u8") for name in ("words_high", "words_low")),
        # The document's name, its bytes, and what the offsets count in: bytes and pipeline.
        *((name, "<u8") for name in ("name", "source", "frame")),
        *((name, "<i8") for name in ("start", "end")),
    ]
)
NO_OFFSET = -1
_RECORD = struct.Struct("<9Q2q")


def pack_chunk(  # noqa: PLR0913 - the fields of a record
    *,
    chunk_id: str,
    doc_id: str,
    doc_hash: Digest,
    text_sha256: Digest,
    spans_sha256: Digest | None,
    extraction_pipeline: str,
    start: int | None,
    end: int | None,
) -> bytes:
    """The record of a chunk, as ``CHUNK_FACTS`` describes it."""
    name = doc_id.encode("utf-8", "surrogatepass")
    text = text_sha256.hex if spans_sha256 is None else text_sha256.hex + spans_sha256.hex
    # The text's digest has a known length, so no two pairs are written alike.
    words = hashlib.sha256(text.encode() + b"\0" + name).digest()
    return _RECORD.pack(
        *to_id(chunk_id),
        *_halves(hashlib.sha256(text.encode()).digest()),
        *_halves(words),
        _half(hashlib.sha256(name).digest()),
        to_source(doc_hash),
        to_frame(doc_hash, extraction_pipeline),
        NO_OFFSET if start is None else start,
        NO_OFFSET if end is None else end,
    )


def to_id(chunk_id: str) -> tuple[int, int]:
    """The two halves by which a chunk's id is looked up."""
    return _halves(hashlib.sha256(chunk_id.encode("utf-8", "surrogatepass")).digest())


def to_source(doc_hash: Digest) -> int:
    """The document's bytes, in short."""
    return int(doc_hash.hex[:16], 16)


def to_frame(doc_hash: Digest, extraction_pipeline: str) -> int:
    """What offsets count in: this document's text by this pipeline, in short."""
    read = f"{doc_hash.hex}\0{extraction_pipeline}".encode("utf-8", "surrogatepass")
    return _half(hashlib.sha256(read).digest())


def _halves(digest: bytes) -> tuple[int, int]:
    return _half(digest), int.from_bytes(digest[8:16], "big")


def _half(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big")
