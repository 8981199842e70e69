"""Steps 2 and 3 for one citation: is the document the one cited, and do the words stand there?

These need neither the claim nor a model, so they are done once for each citation, whatever the
number of claims that cite it, and cost microseconds where the quote stands at its offsets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.core.verdicts.verdict import NOT_ASKED, Existence
from spanproof.verifier.identity.document import check_chunk, check_identity
from spanproof.verifier.identity.superseded import check_newest
from spanproof.verifier.quotes.cross_check import ask_witness
from spanproof.verifier.quotes.existence import AT_SPAN, check_existence
from spanproof.verifier.quotes.offset_unit import check_length, observe_unit, settle_quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.citation import Answer, Citation
    from spanproof.core.documents.document import Extraction, Library
    from spanproof.core.ports import Witness
    from spanproof.core.verdicts.verdict import Identity, NewestExtraction, WitnessCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanCheck:
    """What steps 2 and 3 say of one citation, with the text that was looked in."""

    citation: Citation
    extraction: Extraction | None
    identity: Identity
    existence: Existence
    witness: WitnessCheck
    codes: tuple[str, ...]
    observed_unit: str | None


def check_span(
    citation: Citation, answer: Answer, library: Library, witness: Witness | None
) -> SpanCheck:
    """Identity and existence of one citation, and what the witness reads there; never raises."""
    # (2) Identity.
    resolved = check_identity(citation, answer, library)
    identity, codes = resolved.identity, resolved.codes
    existence = Existence(status=ExistenceStatus.NOT_RUN)
    observed: str | None = None
    seen = NOT_ASKED
    newest: NewestExtraction | None = None
    if resolved.extraction is not None:
        # (3) Existence.
        supplied = _others(resolved.extraction, library)
        quote, quote_codes = settle_quote(citation.quote, resolved.extraction)
        existence, ladder_codes = check_existence(quote, resolved.extraction, supplied)
        codes += quote_codes + ladder_codes
        observed = observe_unit(citation.quote, resolved.extraction)
        codes += check_length(citation.quote, observed)
        # (4) The witness: here and not in the locator's place, for a span is read once.
        span = existence.span if existence.status in AT_SPAN else None
        seen, witness_codes = ask_witness(witness, resolved.extraction, span)
        codes += witness_codes
        newest, newest_codes = check_newest(resolved.source, resolved.extraction, existence)
        codes += newest_codes
    chunk, chunk_codes = check_chunk(citation, answer, identity.doc_hash, existence.span)
    return SpanCheck(
        citation=citation,
        extraction=resolved.extraction,
        identity=replace(identity, chunk=chunk, newest=newest),
        existence=existence,
        witness=seen,
        codes=codes + chunk_codes,
        observed_unit=observed,
    )


def _others(extraction: Extraction, library: Library) -> Iterator[Extraction]:
    # One after the other, for most quotes stand where they should and no other text is asked for.
    for source in library.sources:
        if source.document.doc_hash != extraction.document.doc_hash:
            other = source.find_extraction(None)
            if other is not None:
                yield other
