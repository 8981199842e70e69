"""Real PDF pages of pieces of text, each drawn at a place of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.ingest.engine.mupdf.library import load_pymupdf

if TYPE_CHECKING:
    from collections.abc import Sequence


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
