"""Places in documents that a card names, with their surroundings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.documents.block_place import describe_places, find_places
from spanproof.core.span import Span
from spanproof.operations.presentation.excerpt import Excerpt, cut_excerpt

if TYPE_CHECKING:
    from spanproof.api.console.answer.extraction_reader import ExtractionReader
    from spanproof.api.console.links import Links
    from spanproof.core.documents.document import Extraction

Json = dict[str, Any]
#: Most candidate places shown; the JSON has all of them.
MAX_PLACES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One place in a document, with its surroundings if the text is readable.

    ``words`` describe a place in a format without pages: ``sheet Q1, cell B4``.
    """

    doc_hash: str
    start: int
    end: int
    excerpt: Excerpt | None
    view_url: str | None
    words: str = ""
    folds: tuple[str, ...] = ()


def make_place(raw: Json, own: Extraction | None, reader: ExtractionReader, links: Links) -> Place:
    """A place that the block names; another document is read by its newest extraction."""
    is_own = own is not None and raw["doc_hash"] == str(own.document.doc_hash)
    here = own if is_own else reader.find_superseding(raw["doc_hash"])
    span = to_span(raw)
    if here is None:
        return Place(
            doc_hash=raw["doc_hash"], start=span.start, end=span.end, excerpt=None, view_url=None
        )
    return place_at(span, here, links, folds=tuple(raw["folds"]))


def place_at(
    span: Span, extraction: Extraction, links: Links, *, folds: tuple[str, ...] = ()
) -> Place:
    """A place in this very extraction, with the address of its page."""
    doc_hash, extraction_id = str(extraction.document.doc_hash), str(extraction.extraction_id)
    excerpt = cut_excerpt(extraction.text, span)
    return Place(
        doc_hash=doc_hash,
        start=span.start,
        end=span.end,
        excerpt=excerpt,
        view_url=links.span(doc_hash, extraction_id, span.start, span.end) if excerpt else None,
        words=describe_places(find_places(extraction, span)),
        folds=folds,
    )


def to_span(raw: Json) -> Span:
    """The offsets of a place in the block."""
    return Span(raw["char_start"], raw["char_end"])
