"""Real PDF pages of pieces of text, each drawn at a place of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.ingest.engine.mupdf.library import load_pymupdf
from spanproof.ingest.extraction import extract

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction


def make_pages(pages: Sequence[Sequence[tuple[float, float, str]]]) -> bytes:
    """A PDF: on each page the texts at ``(x, y)``, points from the top left, in that order."""
    pymupdf = load_pymupdf()
    with pymupdf.open() as document:
        for texts in pages:
            page = document.new_page()
            for x, y, text in texts:
                page.insert_text((x, y), text, fontsize=11)
        made: bytes = document.tobytes()
    return made


def read_lines(text: str) -> Extraction:
    """A real page with these lines, one below the other."""
    lines = enumerate(text.split("\n"))
    return extract(make_pages([[(72, 100 + 13 * y, line) for y, line in lines]]))
