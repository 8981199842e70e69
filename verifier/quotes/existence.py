"""Step 3, existence: the ladder from EXACT to ABSENT, one rung after the other, best first.

Nothing is stripped, lowered or normalised before texts are compared. With offsets the first rung is
one slice comparison; every later rung is taken only when those above it failed:

1. EXACT, FOLD_EQUAL   at the given offsets (duplicates elsewhere do not matter);
2. MOVED, AMBIGUOUS    at exactly one other place, at several; without offsets EXACT or FOLD_EQUAL;
3. MISATTRIBUTED       in another supplied document;
4. STITCHED            in pieces that stand apart;
5. ALTERED             nearly so, the difference given; every fuzzy match, never better;
6. ABSENT              none of these. UNVERIFIABLE: the document has no text to look in, or a page
                       that may hold the quote could not be read whole.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from spanproof.core.budget import BUDGET_SPENT, BudgetSpentError, checkpoint
from spanproof.core.citation import Quote
from spanproof.core.span import Span, to_codepoint
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.core.verdicts.verdict import Candidate, Existence
from spanproof.verifier.quotes.alignment import (
    KEPT_SHARE,
    MAX_ALIGNED_CHARACTERS,
    find_region,
    measure_overlap,
)
from spanproof.verifier.quotes.baselines import without_shifted
from spanproof.verifier.quotes.cell_values import find_cell_values
from spanproof.verifier.quotes.cuts import cuts_at_hyphen, cuts_meaning, cuts_token
from spanproof.verifier.quotes.difference import describe_difference
from spanproof.verifier.quotes.edited.editorial import find_edited
from spanproof.verifier.quotes.edited.row_joined import ROW_JOINED, find_row_joined
from spanproof.verifier.quotes.edited.whole_rows import find_whole_rows
from spanproof.verifier.quotes.folds import judge_folds
from spanproof.verifier.quotes.line_order import find_line_order
from spanproof.verifier.quotes.missing import judge_missing
from spanproof.verifier.quotes.on_page.shown import shown_codes
from spanproof.verifier.quotes.places import (
    Places,
    find_places,
    find_verbatim,
    is_blank,
)
from spanproof.verifier.quotes.raised import RAISED_DIGITS, find_raised, joins_baselines
from spanproof.verifier.quotes.shown_text import find_shown
from spanproof.verifier.quotes.stitching import find_pieces, is_contiguous

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.documents.document import Extraction

Codes = tuple[str, ...]
#: The fold of a chunk that another engine reads in another order.
LINE_ORDER: Final = "line_order"
#: A slice this many times longer than its quote holds more than folds can take away.
_MAX_STRETCH = 4
#: Statuses whose span is one place in the cited document, whose words the model can read.
AT_SPAN = frozenset(
    {
        ExistenceStatus.EXACT,
        ExistenceStatus.FOLD_EQUAL,
        ExistenceStatus.EDITORIAL,
        ExistenceStatus.MOVED,
        ExistenceStatus.ALTERED,
    }
)


def check_existence(
    quote: Quote | None, cited: Extraction, supplied: Iterable[Extraction]
) -> tuple[Existence, Codes]:
    """The quote's place in the cited text, or how it fails, with the codes that say more.

    ``supplied`` are the other documents of the answer; the cited one among them is passed over.
    NOT_RUN where the budget is spent before a rung has decided.
    """
    if quote is None:
        # There is no quote to look for. Support of the claim is a separate question.
        return Existence(status=ExistenceStatus.UNVERIFIABLE), ("QUOTE_NOT_GIVEN",)
    if is_blank(quote.text):
        return Existence(status=ExistenceStatus.ABSENT), ("QUOTE_EMPTY",)
    span, codes = _given_span(quote, cited)
    try:
        existence, ladder_codes = _climb(quote.text, span, quote.start is not None, cited, supplied)
    except BudgetSpentError:
        return Existence(status=ExistenceStatus.NOT_RUN), (*codes, BUDGET_SPENT)
    codes += ladder_codes
    if existence.span is not None and existence.status in AT_SPAN:
        codes += _span_codes(cited, existence.span)
    edits = () if existence.difference is None else existence.difference.edits
    is_joined = existence.status in AT_SPAN and any(edit.kind == ROW_JOINED for edit in edits)
    if "row_joined" in existence.folds or is_joined:
        codes += ("ROW_JOINED",)
    return existence, codes


def find_cut(extraction: Extraction, span: Span) -> Codes:
    """What a span's edges cut: a word or number, or a number from its raised or lowered digits."""
    codes: Codes = (RAISED_DIGITS,) if joins_baselines(extraction, span) else ()
    text, span = without_shifted(extraction, span)
    if cuts_token(text, span) or cuts_at_hyphen(text, span):
        codes += ("SPAN_CUTS_TOKEN",)
    return (*codes, "SPAN_CUTS_MEANING") if cuts_meaning(text, span) else codes


def find_quote(quote: str, extraction: Extraction) -> Existence:
    """The place of a quote in one text, without offsets, by the same ladder."""
    return check_existence(Quote(text=quote), extraction, ())[0]


def _given_span(quote: Quote, cited: Extraction) -> tuple[Span | None, Codes]:
    if quote.start is None or quote.end is None:
        return None, ()
    text = cited.text.text
    unit = quote.unit or "codepoint"
    start, end = (to_codepoint(text, offset, unit) for offset in (quote.start, quote.end))
    if start is None or end is None:
        return None, ("SPAN_OUT_OF_RANGE",)
    return Span(start, end), ()


def check_places(quote: Quote, cited: Extraction) -> Existence | None:
    """Only the rungs that can accept a quote; None if the lower ones must decide.

    Cheap for many quotes: ``check_existence`` accepts the same ones.
    """
    if is_blank(quote.text):
        return None
    span, _ = _given_span(quote, cited)
    return _find(quote.text, span, quote.start is not None, cited)[0]


def _find(
    quote: str,
    span: Span | None,
    offsets_given: bool,  # noqa: FBT001 - offsets out of range were given, yet name no span
    cited: Extraction,
) -> tuple[Existence | None, Places]:
    # (1) At the given offsets.
    if span is not None:
        text = cited.text.text
        if text[span.start : span.end] == quote:
            return Existence(status=ExistenceStatus.EXACT, span=span), Places()
        if len(span) <= _MAX_STRETCH * len(quote):
            judged = judge_folds(quote, cited, span)
            if judged.equal:
                status = ExistenceStatus.FOLD_EQUAL
                return Existence(status=status, span=span, folds=judged.folds), Places()
        for place in find_cell_values(quote, cited, at=span).folded:
            status = ExistenceStatus.FOLD_EQUAL
            return Existence(status=status, span=span, folds=place.folds), Places()
    # (2) At another place, or anywhere.
    checkpoint()
    places = Places() if offsets_given else find_verbatim(quote, cited)
    places = places if places.verbatim else find_places(quote, cited)
    if not places.all and not places.capped:
        told = find_cell_values(quote, cited)
        if told.all:
            return _at_places(told) if offsets_given else _anywhere(told), told
        found = find_in_other_order(quote, cited)
        if found is not None:
            moved = offsets_given and found.status is ExistenceStatus.FOLD_EQUAL
            return replace(found, status=ExistenceStatus.MOVED) if moved else found, places
    return _at_places(places) if offsets_given else _anywhere(places), places


def find_in_other_order(quote: str, cited: Extraction) -> Existence | None:
    """A chunk whose lines stand here in another order; its pieces are the candidates."""
    ways = find_line_order(quote, cited)
    if not ways:
        return None
    doc_hash = cited.document.doc_hash
    hulls = [Span(min(p.span.start for p in way), max(p.span.end for p in way)) for way in ways]
    if len(ways) > 1:
        places = tuple(Candidate(span=hull, doc_hash=doc_hash) for hull in hulls)
        return Existence(status=ExistenceStatus.AMBIGUOUS, candidates=places)
    folds = (LINE_ORDER, *dict.fromkeys(fold for piece in ways[0] for fold in piece.folds))
    return Existence(
        status=ExistenceStatus.FOLD_EQUAL, span=hulls[0], folds=folds, candidates=ways[0]
    )


def _climb(
    quote: str,
    span: Span | None,
    offsets_given: bool,  # noqa: FBT001 - offsets out of range were given, yet name no span
    cited: Extraction,
    supplied: Iterable[Extraction],
) -> tuple[Existence, Codes]:
    found, places = _find(quote, span, offsets_given, cited)
    if found is None or ROW_JOINED in found.folds:
        # The name of a row and values of it, each a whole cell: more than white space joins them.
        found = _find_row(quote, span, cited) or found
    if found is not None:
        codes: Codes = () if offsets_given else ("OFFSETS_NOT_GIVEN",)
        return found, codes + (("SEARCH_CAPPED",) if places.capped else ())
    # Or it is what the page shows where a font tells otherwise.
    shown = find_shown(quote, span, cited, given=offsets_given)
    if shown is not None:
        return shown, () if offsets_given else ("OFFSETS_NOT_GIVEN",)
    raised = find_raised(quote, cited)
    if raised is not None:
        moved = (
            offsets_given and raised.status is ExistenceStatus.FOLD_EQUAL and raised.span != span
        )
        codes = () if offsets_given else ("OFFSETS_NOT_GIVEN",)
        return replace(raised, status=ExistenceStatus.MOVED) if moved else raised, codes
    edited = _find_edited(quote, span, cited)
    if edited is not None:
        return edited, () if offsets_given else ("OFFSETS_NOT_GIVEN",)
    # The pages themselves were not read: only form fields and annotations could be searched.
    if cited.text_source == "none":
        return Existence(status=ExistenceStatus.UNVERIFIABLE), ()
    # (3) In another supplied document.
    own = cited.document.doc_hash
    elsewhere: list[Candidate] = []
    for other in supplied:
        if other.document.doc_hash != own:
            checkpoint()
            there = find_verbatim(quote, other).all or find_places(quote, other).all
            elsewhere += there or find_cell_values(quote, other).all
    if elsewhere:
        return Existence(status=ExistenceStatus.MISATTRIBUTED, candidates=tuple(elsewhere)), ()
    found, codes = _fuzzy(quote, span, cited, places)
    found, missing_codes = judge_missing(found, quote, span, cited)
    return found, codes + missing_codes


def _find_edited(quote: str, span: Span | None, cited: Extraction) -> Existence | None:
    """The quote but for edits that writing makes; at the given offsets if it stands there."""
    ways = find_edited(quote, cited)
    at_span = [way for way in ways if span is not None and way.span.overlaps(span)]
    ways = tuple(at_span) if len(at_span) == 1 else ways
    if len(ways) > 1:
        doc_hash = cited.document.doc_hash
        places = tuple(Candidate(span=way.span, doc_hash=doc_hash) for way in ways)
        return Existence(status=ExistenceStatus.AMBIGUOUS, candidates=places)
    if not ways:
        return None
    moved = span is not None and not at_span
    status = ExistenceStatus.MOVED if moved else ExistenceStatus.EDITORIAL
    return Existence(status=status, span=ways[0].span, difference=ways[0].difference)


def _find_row(quote: str, span: Span | None, cited: Extraction) -> Existence | None:
    """The quote as cells of one table row, which are its candidates."""
    ways = find_row_joined(quote, cited) or find_whole_rows(quote, cited)
    at_span = [way for way in ways if span is not None and way.span.overlaps(span)]
    ways = tuple(at_span) if len(at_span) == 1 else ways
    doc_hash = cited.document.doc_hash
    if len(ways) > 1:
        places = tuple(Candidate(span=way.span, doc_hash=doc_hash) for way in ways)
        return Existence(status=ExistenceStatus.AMBIGUOUS, candidates=places)
    if not ways:
        return None
    (way,) = ways
    moved = span is not None and not at_span
    return Existence(
        status=ExistenceStatus.MOVED if moved else ExistenceStatus.EDITORIAL,
        span=way.span,
        folds=way.folds,
        candidates=tuple(Candidate(span=piece, doc_hash=doc_hash) for piece in way.pieces),
        difference=way.difference,
    )


def _fuzzy(
    quote: str, span: Span | None, cited: Extraction, places: Places
) -> tuple[Existence, Codes]:
    checkpoint()
    too_long = len(quote) > MAX_ALIGNED_CHARACTERS
    region = _nearest_region(quote, span, cited, places)
    # (4) In pieces, unless all of it stands in one place but for small edits: that is ALTERED.
    if not places.refused:
        pieces = find_pieces(quote, cited)
        whole = pieces and region and is_contiguous(quote, cited, region, pieces)
        if pieces and not whole:
            return Existence(status=ExistenceStatus.STITCHED, candidates=pieces), ()
    # (5) Nearly: a place that only a forbidden fold would accept, else the place with most words.
    if region is not None:
        difference = describe_difference(quote, cited, region)
        return Existence(status=ExistenceStatus.ALTERED, span=region, difference=difference), ()
    # (6) Not here.
    codes: Codes = ("QUOTE_TOO_LONG",) if too_long else ()
    if any(page.text_source == "none" for page in cited.pages):
        codes += ("PAGES_WITHOUT_TEXT",)
    return Existence(status=ExistenceStatus.ABSENT), codes


def _nearest_region(
    quote: str, span: Span | None, cited: Extraction, places: Places
) -> Span | None:
    """The place the quote comes nearest to; of two equally near, the one the offsets name."""
    if places.refused:
        named = (place for place in places.refused if span is not None and place.overlaps(span))
        return next(named, places.refused[0])
    if len(quote) > MAX_ALIGNED_CHARACTERS:
        return None
    region = find_region(quote, cited)
    if span is None or region is None or not 0 < len(span) <= _MAX_STRETCH * len(quote):
        return region
    there, best = (measure_overlap(quote, cited, place) for place in (span, region))
    enough = there.kept >= max(best.kept, KEPT_SHARE * there.quoted)
    return span if enough and there.standing <= best.standing else region


def _at_places(places: Places) -> Existence | None:
    """MOVED only if no second place, verbatim or folded, could be meant."""
    if not places.all:
        return None
    if len(places.all) > 1 or places.capped:
        return Existence(status=ExistenceStatus.AMBIGUOUS, candidates=places.all)
    (place,) = places.all
    return Existence(status=ExistenceStatus.MOVED, span=place.span, folds=place.folds)


def _anywhere(places: Places) -> Existence | None:
    if not places.all:
        return None
    if len(places.all) > 1 or places.capped:
        return Existence(status=ExistenceStatus.AMBIGUOUS, candidates=places.all)
    (place,) = places.all
    status = ExistenceStatus.FOLD_EQUAL if place.folds else ExistenceStatus.EXACT
    return Existence(status=status, span=place.span, folds=place.folds)


def _span_codes(cited: Extraction, span: Span) -> Codes:
    """Codes that a reader of the page must know about the characters found."""
    pages = cited.pages_of(span)
    codes = shown_codes(cited, span, pages)
    if any(page.text_source in ("ocr_layer", "ocr") for page in pages):
        codes += ("OCR_LAYER",)
    if cited.pipeline.guessed_encoding is not None:
        codes += ("ENCODING_GUESSED",)
    return codes + find_cut(cited, span)
