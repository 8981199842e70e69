"""Resolves a caller's references: a document's name, and offsets in the caller's unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import DocumentNotFoundError, MalformedSpanError
from spanproof.core.span import Span, to_codepoint

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import OffsetUnit
    from spanproof.core.text import CanonicalText
    from spanproof.operations.context import Context
    from spanproof.store.records import DocumentRecord


def load_record(context: Context, ref: str) -> DocumentRecord:
    """The document of a ``doc_id``, ``doc_hash`` or ``extraction_id``."""
    record = context.store.documents.find(ref)
    if record is None:
        msg = f"Expected a document that is kept here, got {ref!r}."
        hint = "Ingest it, or give a doc_id, doc_hash or extraction_id that 'ingest' printed."
        raise DocumentNotFoundError(msg, hint=hint)
    return record


def load_extraction(context: Context, ref: str) -> Extraction:
    """The named extraction, or the document's current one where the document is named."""
    summary = load_record(context, ref).current_extraction
    return context.store.documents.load_extraction(summary.extraction_id)


def to_span(text: CanonicalText, start: int, end: int, unit: OffsetUnit) -> Span:
    """Offsets of the caller's unit as a span of the text; raise MalformedSpanError beyond it."""
    if not 0 <= start <= end:
        msg = f"Expected 0 <= start <= end, got {start} and {end}."
        raise MalformedSpanError(msg, hint="Give half-open offsets: start first, end after.")
    offsets = [to_codepoint(text.text, offset, unit) for offset in (start, end)]
    first, last = offsets
    if first is None or last is None:
        msg = f"Expected {unit} offsets at characters of the text, got {start} and {end}."
        hint = f"Give offsets within the text, which has {len(text)} code points."
        raise MalformedSpanError(msg, hint=hint)
    return Span(first, last)
