"""Before the ladder: in which unit a quote's offsets were given, and what its length says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.citation import Quote
from spanproof.core.span import OFFSET_UNITS, OffsetUnit, from_codepoint, to_codepoint
from spanproof.verifier.formats.units import check_slice

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

Codes = tuple[str, ...]


def settle_quote(quote: Quote | None, extraction: Extraction) -> tuple[Quote | None, Codes]:
    """Offsets of an undocumented unit, in code points where the slice tells; else as they came.

    Two units that cut the same words out of two places leave open which is meant: none is taken.
    """
    if quote is None or quote.unit is not None or quote.start is None or quote.end is None:
        return quote, ()
    sliced = check_slice(extraction.text.text, quote.start, quote.end, quote.text)
    if sliced is None:
        if extraction.text.text[quote.start : quote.end] == quote.text:
            return Quote(text=quote.text), ("OFFSET_UNIT_UNKNOWN",)
        return replace(quote, unit="codepoint"), ("OFFSET_UNIT_UNKNOWN",)
    codes: Codes = ("OFFSETS_TRIMMED",) if sliced.trimmed else ()
    codes += ("OFFSETS_INCLUSIVE",) if sliced.is_inclusive else ()
    span = sliced.span
    return replace(quote, start=span.start, end=span.end, unit="codepoint"), codes


def observe_unit(quote: Quote | None, extraction: Extraction) -> OffsetUnit | None:
    """The unit in which the given offsets cut out the quote; the declared one where several do."""
    if quote is None or quote.start is None or quote.end is None:
        return None
    text = extraction.text.text
    if quote.unit is None:
        sliced = check_slice(text, quote.start, quote.end, quote.text)
        return None if sliced is None else sliced.unit
    for unit in (quote.unit, *OFFSET_UNITS):
        start, end = to_codepoint(text, quote.start, unit), to_codepoint(text, quote.end, unit)
        if start is not None and end is not None and text[start:end] == quote.text:
            return unit
    return None


def check_length(quote: Quote | None, observed: OffsetUnit | None) -> Codes:
    """What the quote's declared unit comes to: another one fits, or its own length contradicts."""
    if quote is None or quote.unit is None or quote.start is None or quote.end is None:
        return ()
    codes: Codes = ()
    if observed is not None and observed != quote.unit:
        codes += ("OFFSET_UNIT_MISMATCH",)
    length = from_codepoint(quote.text, len(quote.text), quote.unit)
    return codes if quote.end - quote.start == length else (*codes, "SPAN_LENGTH_MISMATCH")
