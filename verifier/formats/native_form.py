"""Citations of any format in the shape of the native one, for those who get the answer back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanproof.core.citation import Citation, GivenLocator, Quote

_NAMES = (
    "chunk_id",
    "doc_id",
    "doc_title",
    "doc_url",
    "retrieval_score",
    "retrieval_method",
    "embedding_model",
    "index_version",
    "extraction_pipeline",
    "source_tier",
)


def citation_to_json(citation: Citation) -> dict[str, Any]:
    """One citation; ``segment`` and ``origin`` stand beside the native fields, null where none."""
    segment = citation.segment
    return {
        "anchor": citation.anchor,
        "doc_hash": None if citation.doc_hash is None else str(citation.doc_hash),
        "extraction_id": None if citation.extraction_id is None else str(citation.extraction_id),
        **{name: getattr(citation, name) for name in _NAMES},
        "span": None if citation.quote is None else _quote_to_json(citation.quote),
        "pdf_locator": None if citation.locator is None else _locator_to_json(citation.locator),
        "segment": None if segment is None else {"start": segment.start, "end": segment.end},
        "origin": citation.origin,
        "repaired": citation.repaired,
    }


def _quote_to_json(quote: Quote) -> dict[str, Any]:
    return {
        "text": quote.text,
        "char_start": quote.start,
        "char_end": quote.end,
        "unit": quote.unit or "undocumented",
    }


def _locator_to_json(locator: GivenLocator) -> dict[str, Any]:
    return {
        "page": locator.page,
        "last_page": locator.last_page,
        "bbox": None if locator.bbox is None else locator.bbox.to_list(),
    }
