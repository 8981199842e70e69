"""Where a span stands: as numbers, as blocks, as a page image, as an annotated PDF."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.documents.block_place import find_places
from spanproof.core.documents.locate import locate_span
from spanproof.core.documents.tables_of import find_cell_places
from spanproof.core.errors import InputError, PageNotFoundError
from spanproof.operations.documents.references import load_extraction, to_span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spanproof.core.digest import Digest
    from spanproof.core.documents.block_place import BlockPlace
    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.locate import Locator
    from spanproof.core.documents.tables_of import CellPlace
    from spanproof.core.span import OffsetUnit, Span
    from spanproof.ingest.render import Highlight
    from spanproof.operations.context import Context

PDF = "application/pdf"
#: All pictures of pages that a process keeps: about 300 pages.
MAX_IMAGE_BYTES = 64 * 1024**2


class PageImages:
    """The pictures of pages used last, up to ``max_bytes``. Safe for several threads.

    Keys are of the content alone. Who asks has shown before that the document is kept and may be
    seen; a picture that nobody asks for goes when others come, or with the process.
    """

    def __init__(self, max_bytes: int = MAX_IMAGE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._images: OrderedDict[tuple[str, ...], bytes] = OrderedDict()
        self._bytes = 0

    def find(self, key: tuple[str, ...], draw: Callable[[], bytes]) -> bytes:
        """The picture of this key; drawn where it is not kept."""
        with self._lock:
            if key in self._images:
                self._images.move_to_end(key)
                return self._images[key]
        image = draw()
        with self._lock:
            if key not in self._images:
                self._images[key] = image
                self._bytes += len(image)
            while self._bytes > self._max_bytes:
                _, gone = self._images.popitem(last=False)
                self._bytes -= len(gone)
        return image


#: Those of this process.
PAGE_IMAGES = PageImages()


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSpan:
    """A span to draw (code points) and the outcome that gives it its colour."""

    start: int
    end: int
    outcome: str = "pass"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocateReport:
    """A span's words, a locator for each page that it touches, its blocks or line, its cells."""

    doc_hash: Digest
    extraction_id: Digest
    span: Span
    text: str
    pages: tuple[Locator, ...]
    places: tuple[BlockPlace, ...]
    cells: tuple[CellPlace, ...]

    def to_json(self) -> dict[str, Any]:
        """The JSON of the contract; ``char_start`` and ``char_end`` are code points."""
        return {
            "doc_hash": str(self.doc_hash),
            "extraction_id": str(self.extraction_id),
            "char_start": self.span.start,
            "char_end": self.span.end,
            "text": self.text,
            "pages": [_locator_to_json(locator) for locator in self.pages],
            "places": [_place_to_json(place) for place in self.places],
            "cells": [cell.to_json() for cell in self.cells],
        }


def locate(
    context: Context, ref: str, start: int, end: int, unit: OffsetUnit = "codepoint"
) -> LocateReport:
    """Where the span ``[start, end)`` stands."""
    extraction = load_extraction(context, ref)
    span = to_span(extraction.text, start, end, unit)
    return LocateReport(
        doc_hash=extraction.document.doc_hash,
        extraction_id=extraction.extraction_id,
        span=span,
        text=extraction.text.slice(span),
        pages=locate_span(extraction, span),
        places=find_places(extraction, span),
        cells=find_cell_places(extraction, span),
    )


def page_image(context: Context, ref: str, page: int, spans: Iterable[MarkedSpan] = ()) -> bytes:
    """A PNG of one page with the spans drawn on it, each in its outcome's colour."""
    from spanproof.ingest.render import Highlight

    extraction = load_extraction(context, ref)
    _require_page(extraction, page)
    highlights = [
        Highlight(quads=locator.quads, outcome=marked.outcome)
        for marked in spans
        for locator in _locate_marked(extraction, marked)
        if locator.page == page
    ]
    # The engine is a setting of the process; what is drawn is the document and its marks.
    key = (str(extraction.document.doc_hash), str(page), repr(highlights))
    return PAGE_IMAGES.find(
        key,
        lambda: context.parser.render_page(_read_pdf(context, extraction), page, highlights),
    )


def annotated_pdf(
    context: Context, ref: str, start: int, end: int, unit: OffsetUnit = "codepoint"
) -> bytes:
    """A copy of the PDF with the span highlighted; the source stays as it is."""
    from spanproof.ingest.render import Highlight

    extraction = load_extraction(context, ref)
    span = to_span(extraction.text, start, end, unit)
    highlights: dict[int, Sequence[Highlight]] = {
        locator.page: (Highlight(quads=locator.quads, outcome="pass"),)
        for locator in locate_span(extraction, span)
    }
    return context.parser.annotate_pdf(_read_pdf(context, extraction), highlights)


def _locate_marked(extraction: Extraction, marked: MarkedSpan) -> tuple[Locator, ...]:
    span = to_span(extraction.text, marked.start, marked.end, "codepoint")
    return locate_span(extraction, span)


def _require_page(extraction: Extraction, number: int) -> Page:
    page = next((page for page in extraction.pages if page.number == number), None)
    if page is None:
        msg = f"Expected a page in 1..{len(extraction.pages)}, got {number}."
        raise PageNotFoundError(msg, hint="Give a 1-based page number of the document.")
    return page


def _read_pdf(context: Context, extraction: Extraction) -> bytes:
    if extraction.document.media_type != PDF:
        msg = f"Expected a PDF to draw, got {extraction.document.media_type}."
        raise InputError(msg, hint="Ask for its place without an image: only PDFs have pages.")
    return context.store.documents.read_source(extraction.document.doc_hash)


def _locator_to_json(locator: Locator) -> dict[str, Any]:
    box = locator.frame.view_box
    return {
        "page": locator.page,
        "page_label": locator.page_label,
        "bbox": locator.bbox.to_list(),
        "quads": [quad.to_list() for quad in locator.quads],
        "rotation": locator.frame.rotation,
        "view_box": [box.x0, box.y0, box.x1, box.y1],
        "user_unit": locator.frame.user_unit,
    }


def _place_to_json(found: BlockPlace) -> dict[str, Any]:
    place = found.place
    return {
        "kind": found.kind,
        "char_start": found.span.start,
        "char_end": found.span.end,
        "name": found.name,
        "level": found.level,
        "part": place.part,
        "slide": place.slide,
        "sheet": place.sheet,
        "cell": place.cell,
        "paragraph": place.paragraph,
        "line": found.line,
        "column": found.column,
    }
