"""The canonical text of a document, or a slice of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.span import from_codepoint
from spanproof.operations.documents.references import load_extraction, to_span

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import OffsetUnit
    from spanproof.operations.context import Context


def read_text(
    services: Context,
    ref: str,
    start: int | None = None,
    end: int | None = None,
    unit: OffsetUnit = "codepoint",
) -> str:
    """The characters of ``[start, end)``; the whole text where neither is given."""
    return slice_text(load_extraction(services, ref), start, end, unit)


def slice_text(extraction: Extraction, start: int | None, end: int | None, unit: OffsetUnit) -> str:
    """The same for an extraction at hand."""
    text = extraction.text
    first = 0 if start is None else start
    last = from_codepoint(text.text, len(text), unit) if end is None else end
    return text.slice(to_span(text, first, last, unit))
