"""Steps 2 and 3 for one citation: is the document the one cited, and do the words stand there?

Before the ladder come the offsets: in which unit they were given, and what the quote's length says.
This needs neither the claim nor a model, so it is done once for each citation, even if many claims
cite it. It costs microseconds if the quote stands at its offsets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanproof.core.citation import Quote
from spanproof.core.span import OFFSET_UNITS, OffsetUnit, from_codepoint, to_codepoint
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.core.verdicts.verdict import NOT_ASKED, Existence
from spanproof.verifier.formats.units import check_slice
from spanproof.verifier.identity.document import check_chunk, check_identity
from spanproof.verifier.identity.snippet import place_quote
from spanproof.verifier.identity.superseded import check_superseded
from spanproof.verifier.quotes.existence import AT_SPAN, check_existence
from spanproof.verifier.quotes.locator import cross_check_span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.citation import Answer, Citation
    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Extraction, Library
    from spanproof.core.ports import CrossChecker
    from spanproof.core.verdicts.verdict import CrossCheck, Identity, NewestExtraction

Codes = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanCheck:
    """The results of steps 2 and 3 for one citation, with the text that was searched.

    ``lifted`` is the snippet whose place a document took.
    """

    citation: Citation
    extraction: Extraction | None
    identity: Identity
    existence: Existence
    cross_check: CrossCheck
    codes: tuple[str, ...]
    observed_unit: str | None
    lifted: Digest | None = None


def check_span(
    citation: Citation, answer: Answer, library: Library, cross_checker: CrossChecker | None
) -> SpanCheck:
    """Identity and existence of one citation, and the cross-check there; never raises."""
    # (2) Identity.
    resolved = check_identity(citation, answer, library)
    identity, codes = resolved.identity, resolved.codes
    existence = Existence(status=ExistenceStatus.NOT_RUN)
    observed: str | None = None
    checked = NOT_ASKED
    newest: NewestExtraction | None = None
    if resolved.extraction is not None:
        # (3) Existence.
        supplied = _others(resolved.extraction, library)
        given = citation.quote
        if resolved.snippet is not None:
            given = place_quote(given, resolved.snippet, resolved.lifted)
        quote, quote_codes = convert_offsets(given, resolved.extraction)
        existence, ladder_codes = check_existence(quote, resolved.extraction, supplied)
        codes += quote_codes + ladder_codes
        observed = detect_unit(given, resolved.extraction)
        codes += check_length(given, observed)
        # (4) The cross-check: here and not beside the locator, because a span is read once.
        span = existence.span if existence.status in AT_SPAN else None
        checked, check_codes = cross_check_span(cross_checker, resolved.extraction, span)
        codes += check_codes
        newest, newest_codes = check_superseded(resolved.source, resolved.extraction, existence)
        codes += newest_codes
    # The chunk's own document and offsets are those of a document that is not here.
    place = (identity.doc_hash, existence.span) if resolved.snippet is None else (None, None)
    chunk, chunk_codes = check_chunk(citation, answer, *place)
    return SpanCheck(
        citation=citation,
        extraction=resolved.extraction,
        identity=replace(identity, chunk=chunk, newest=newest),
        existence=existence,
        cross_check=checked,
        codes=codes + chunk_codes,
        observed_unit=observed,
        lifted=None if resolved.lifted is None else resolved.lifted.snippet_hash,
    )


def _others(extraction: Extraction, library: Library) -> Iterator[Extraction]:
    # One after the other: most quotes stand where they should, so no other text is loaded.
    for source in library.sources:
        if source.document.doc_hash != extraction.document.doc_hash:
            other = source.find_extraction(None)
            if other is not None:
                yield other


def convert_offsets(quote: Quote | None, extraction: Extraction) -> tuple[Quote | None, Codes]:
    """Offsets of an undocumented unit, in code points if the slice decides; else as they came.

    If two units cut the same words out of two places, neither is taken.
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


def detect_unit(quote: Quote | None, extraction: Extraction) -> OffsetUnit | None:
    """The unit in which the given offsets cut out the quote; the declared one if several do."""
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
    """The codes of a quote's declared unit: another one fits, or the length contradicts it."""
    if quote is None or quote.unit is None or quote.start is None or quote.end is None:
        return ()
    codes: Codes = ()
    if observed is not None and observed != quote.unit:
        codes += ("OFFSET_UNIT_MISMATCH",)
    length = from_codepoint(quote.text, len(quote.text), quote.unit)
    return codes if quote.end - quote.start == length else (*codes, "SPAN_LENGTH_MISMATCH")
