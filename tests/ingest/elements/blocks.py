"""What a test wants to know of an extraction's blocks."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.extraction_record import from_record, to_record
from spanproof.core.documents.layout import CharFlag
from spanproof.ingest import extract

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Block


def save(document: Any) -> bytes:
    """The bytes of a document made by a library."""
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def read(data: bytes, filename: str) -> Extraction:
    """Extract twice, under two names: the same text and blocks; then check what must hold."""
    extraction = extract(data, filename=filename)
    again = extract(data, filename=f"another.{filename.rpartition('.')[2]}")
    assert again.extraction_id == extraction.extraction_id
    assert again.blocks == extraction.blocks
    check(extraction)
    return extraction


def check(extraction: Extraction) -> None:
    """Whether text, separators, pages and blocks hold together (I1, I2, I3, I10)."""
    text, layout = extraction.text.text, extraction.layout
    text.encode("utf-8")
    assert "\x00" not in text
    assert layout is not None
    ours = np.flatnonzero(layout.flags & np.uint16(CharFlag.SEPARATOR))
    assert all(text[i] in "\n\t\f" for i in ours)
    assert all(text[page.span.end - 1] == "\f" for page in extraction.pages)
    for block in extraction.blocks:
        found = extraction.text.slice(block.span)
        assert found.strip()
        assert "\f" not in found or layout.flags[block.span.start + found.index("\f")] != 2048
    inner = [block.span for block in extraction.blocks]
    # Blocks nest or stand apart: none begins inside another and ends outside it.
    open_ends: list[int] = []
    for span in inner:
        while open_ends and open_ends[-1] <= span.start:
            open_ends.pop()
        assert not open_ends or span.end <= open_ends[-1]
        open_ends.append(span.end)
    record = to_record(extraction)
    assert to_record(from_record(record)) == record


def of_kind(extraction: Extraction, kind: str) -> list[str]:
    """The texts of all blocks of a kind."""
    return [extraction.text.slice(b.span) for b in extraction.blocks if b.kind == kind]


def block_of(extraction: Extraction, text: str) -> Block:
    """The innermost block of exactly this text."""
    return [b for b in extraction.blocks if extraction.text.slice(b.span) == text][-1]
