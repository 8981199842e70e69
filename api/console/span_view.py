"""The permanent page of a span: its text in context, its pages, its digests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.api.console.answer.page_figure import Look, PageFigure, draw_figures
from spanproof.api.console.surroundings.pieces import PAGE
from spanproof.api.console.surroundings.view import (
    Surroundings,
    describe_reading,
    make_surroundings,
)
from spanproof.core.documents.block_place import describe_places, find_places
from spanproof.core.documents.tables_of import find_cell_places
from spanproof.core.errors import MalformedSpanError
from spanproof.operations.presentation.excerpt import Excerpt, cut_excerpt
from spanproof.verifier.quotes.on_page.shown import rests_on_hidden

if TYPE_CHECKING:
    from spanproof.api.console.links import Links
    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanView:
    """The values that the span's template shows."""

    title: str
    doc_hash: str
    excerpt: Excerpt
    figures: tuple[PageFigure, ...]
    surroundings: Surroundings | None
    reading: str | None
    facts: tuple[tuple[str, str], ...]
    digests: tuple[tuple[str, str], ...]
    is_hidden: bool
    locate_url: str
    text_url: str
    document_url: str
    document_page_url: str
    original_url: str
    answers_url: str
    page_answers_url: str | None


def make_span_view(
    title: str | None,
    extraction: Extraction,
    span: Span,
    links: Links,
    look: Look | None = None,
) -> SpanView:
    """Build the page; raise MalformedSpanError where the text has no such span."""
    excerpt = cut_excerpt(extraction.text, span)
    if excerpt is None:
        msg = f"Expected a span inside 0..{len(extraction.text)}, got {span.start}..{span.end}."
        raise MalformedSpanError(msg, hint="Give offsets of this extraction's text.")
    text_id, name = str(extraction.extraction_id), str(extraction.document.doc_hash)
    figures = draw_figures(extraction, [span], links, look=look)
    return SpanView(
        title=title or "Untitled document",
        doc_hash=name,
        excerpt=excerpt,
        figures=figures,
        surroundings=make_surroundings(extraction, [span], PAGE),
        reading=describe_reading(extraction, span),
        facts=_list_facts(extraction, span),
        digests=(
            ("Document", name),
            ("Extraction", text_id),
            ("Canonical text", str(extraction.text.digest)),
            ("Pipeline", str(extraction.pipeline.digest)),
        ),
        is_hidden=rests_on_hidden(extraction, span, extraction.pages_of(span)),
        locate_url=links.locate_json(text_id, span.start, span.end),
        text_url=links.text(text_id, span.start, span.end),
        document_page_url=links.document(name),
        document_url=links.document_json(name),
        original_url=links.original(name, figures[0].page if figures else None),
        answers_url=links.home({"doc_hash": name}),
        page_answers_url=links.home({"doc_hash": name, "page": str(figures[0].page)})
        if figures
        else None,
    )


def _list_facts(extraction: Extraction, span: Span) -> tuple[tuple[str, str], ...]:
    pages = extraction.pages_of(span)
    numbers = ", ".join(
        f"{page.number} (labelled “{page.label}”)"
        if page.label and page.label != str(page.number)
        else str(page.number)
        for page in pages
        if page.frame is not None
    )
    facts = (
        ("Characters", f"{span.start} to {span.end} ({len(span)})"),
        ("Page" if len(pages) == 1 else "Pages", numbers),
        ("Place", describe_places(find_places(extraction, span))),
        ("Cell", "; ".join(cell.words for cell in find_cell_places(extraction, span)[:3])),
        ("Media type", extraction.document.media_type),
        ("Read by", extraction.pipeline.name),
        ("Text from", extraction.text_source.replace("_", " ")),
    )
    return tuple((name, value) for name, value in facts if value)
