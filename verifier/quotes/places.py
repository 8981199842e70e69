"""Places: where in a text a quote stands, verbatim or under the folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import DASHES, WHITE_SPACE, MatchView, view_of
from spanproof.core.documents.overprint import overprint_of, single_view_of
from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Candidate
from spanproof.verifier.quotes.baselines import without_shifted
from spanproof.verifier.quotes.cuts import cuts_token
from spanproof.verifier.quotes.folds import judge_folds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction

#: Places that are listed; beyond this a quote is ambiguous and no longer list helps anybody.
MAX_PLACES = 64
#: Places of the view that are examined, and characters that are compared, for one quote and text.
#: Text beyond it was not searched, so a place that was found is never called the only one.
MAX_JUDGED = 512
MAX_JUDGED_CHARACTERS = 400_000
#: Places of the same letters with other white space that are judged again for one quote.
MAX_SPACED = 16
#: White space and dashes at a quote's edge that are searched around a place of the view.
_EDGE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The places of a quote; ``refused`` are those that only a forbidden fold would accept."""

    verbatim: tuple[Candidate, ...] = ()
    folded: tuple[Candidate, ...] = ()
    refused: tuple[Span, ...] = ()
    capped: bool = False

    @property
    def all(self) -> tuple[Candidate, ...]:
        """Verbatim places first."""
        return self.verbatim + self.folded


def find_verbatim(quote: str, extraction: Extraction) -> Places:
    """Every place (overlapping ones too) where the quote stands character by character.

    A line painted twice in one place of the page (fake bold) is one place.
    """
    doc_hash = extraction.document.doc_hash
    starts = list(_occurrences(extraction.text.text, quote, MAX_PLACES + 1))
    spans = [Span(start, start + len(quote)) for start in starts[:MAX_PLACES]]
    if len(spans) > 1:
        spans = [span for span in spans if not is_copy(span, extraction)] or spans[:1]
    return Places(
        verbatim=tuple(Candidate(span=span, doc_hash=doc_hash) for span in spans),
        capped=len(starts) > MAX_PLACES,
    )


def find_places(quote: str, extraction: Extraction) -> Places:
    """Every place where the quote stands verbatim or under the folds."""
    exact = find_verbatim(quote, extraction)
    skeleton = MatchView.of(quote)
    if not skeleton.text or exact.capped:
        return exact
    places = _find_folded(quote, skeleton, view_of(extraction), extraction, exact)
    if places.all or places.capped:
        return places
    # Only now is the layout asked whether some of the text is painted twice.
    single = single_view_of(extraction)
    again = Places() if single is None else _find_folded(quote, skeleton, single, extraction, exact)
    return again if again.all else _find_spaced(quote, skeleton, extraction, places)


def _find_spaced(quote: str, skeleton: MatchView, extraction: Extraction, places: Places) -> Places:
    """Among the places of the same letters, those that differ in white space alone.

    Only on pages: where white space is the author's own, a blank more or less is a change.
    """
    if not extraction.has_geometry:
        return places
    spaced = [
        place
        for core in places.refused[:MAX_SPACED]
        if (place := _judge_around(quote, skeleton, extraction, core, spacing=True)) is not None
    ]
    if not spaced:
        return places
    return replace(places, folded=tuple(spaced), capped=len(places.refused) > MAX_SPACED)


def _find_folded(
    quote: str, skeleton: MatchView, view: MatchView, extraction: Extraction, exact: Places
) -> Places:
    folded: list[Candidate] = []
    refused: list[Span] = []
    spans = [place.span for place in exact.verbatim]
    budget = MAX_JUDGED_CHARACTERS
    capped = False
    for looked, start in enumerate(_occurrences(view.text, skeleton.text, MAX_JUDGED + 1)):
        if looked == MAX_JUDGED or budget < 0 or len(folded) == MAX_PLACES:
            capped = True
            break
        core = view.span_of(start, start + len(skeleton.text))
        if any(span.overlaps(core) for span in spans):
            continue
        budget -= len(quote)
        place = _judge_around(quote, skeleton, extraction, core)
        if place is not None:
            folded.append(place)
        elif not cuts_token(*without_shifted(extraction, core)):
            refused.append(core)
    if len(spans) + len(folded) > 1:
        own = [place for place in folded if not is_copy(place.span, extraction)]
        folded = own if own or spans else folded[:1]
    return Places(
        verbatim=exact.verbatim, folded=tuple(folded), refused=tuple(refused), capped=capped
    )


def is_copy(span: Span, extraction: Extraction) -> bool:
    """Whether every readable character of the span is painted over the same character."""
    copies = overprint_of(extraction)
    if copies is None:
        return False
    text = extraction.text.text
    return all(copies[i] for i in range(span.start, span.end) if text[i] not in WHITE_SPACE)


def _occurrences(text: str, wanted: str, limit: int) -> Iterator[int]:
    start = text.find(wanted)
    while start >= 0 and limit:
        yield start
        limit -= 1
        start = text.find(wanted, start + 1)


def _judge_around(
    quote: str,
    skeleton: MatchView,
    extraction: Extraction,
    core: Span,
    *,
    spacing: bool = False,
) -> Candidate | None:
    """Judge the place, with as much around it as the quote's own edges ask for."""
    lead = int(skeleton.positions[0])
    trail = len(quote) - int(skeleton.positions[-1]) - 1
    text = extraction.text.text
    for before in range(_EDGE + 1) if lead else (0,):
        for after in range(_EDGE + 1) if trail else (0,):
            span = Span(max(0, core.start - before), min(len(text), core.end + after))
            judged = judge_folds(quote, extraction, span, spacing=spacing)
            if judged.equal:
                doc_hash = extraction.document.doc_hash
                return Candidate(span=span, doc_hash=doc_hash, folds=judged.folds)
    return None


def is_blank(quote: str) -> bool:
    """Whether the quote has no readable character: such a quote proves nothing."""
    if quote[:1].isalnum():
        return False
    return not any(c in DASHES for c in quote) and not MatchView.of(quote).text
