"""The second PDF engine where the first one fails: at a whole document, or at single pages of it.

MuPDF and pdfium stumble over different faults. A document that MuPDF refuses is read by pdfium, and
its pipeline says so. A page that MuPDF reads with damage stays as MuPDF read it; what pdfium reads
of that page is kept beside it, and nothing is cited from it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.documents.text_block import PageReading
from spanproof.core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    ExtractionError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.core.documents.document import Extraction
    from spanproof.ingest.limits import EngineName

#: Refusals of a document that another engine may still read.
REFUSED = (BrokenDocumentError, EmptyDocumentError, EncryptedDocumentError)
#: The engine that helps out, and the only one that is helped: pdfium reports no damage.
SECOND: EngineName = "pdfium"
FIRST: EngineName = "mupdf"
# A document damaged on more pages than these is damaged as a whole.
_MOST_PAGES = 100


def fall_back(
    read: Callable[[], Extraction], read_second: Callable[[frozenset[int] | None], Extraction]
) -> Extraction:
    """What the first engine reads; where it refuses, what the second one does.

    ``read_second`` reads the named pages (from 1), or all of them.
    """
    try:
        extraction = read()
    except REFUSED as refusal:
        try:
            return read_second(None)
        except ExtractionError:
            # The reader's own engine says why.
            raise refusal from None
    return add_readings(extraction, read_second)


def add_readings(
    extraction: Extraction, read_second: Callable[[frozenset[int] | None], Extraction]
) -> Extraction:
    """The extraction with the second engine's reading of each page that is not whole."""
    pages = [page.number for page in extraction.pages if page.status != "ok"][:_MOST_PAGES]
    if not pages:
        return extraction
    try:
        other = read_second(frozenset(pages))
    except ExtractionError:
        return extraction
    return replace(extraction, second_readings=tuple(_differing(extraction, other, pages)))


def _differing(
    extraction: Extraction, other: Extraction, pages: list[int]
) -> Iterator[PageReading]:
    for number in pages:
        if number > len(other.pages):
            continue
        ours, theirs = (
            one.text.slice(one.pages[number - 1].span).strip() for one in (extraction, other)
        )
        if _letters(theirs) and _letters(theirs) != _letters(ours):
            yield PageReading(page=number, pipeline=other.pipeline.name, text=theirs)


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())
