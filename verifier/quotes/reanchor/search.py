"""The search itself; the package's docstring says in which order, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.citation import Quote
from spanproof.core.documents.glyph_search import find_characters
from spanproof.core.documents.locate import locate_span
from spanproof.core.verdicts.reanchoring import Channels, Reanchored, ReanchorStatus
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.quotes.existence import check_existence, find_in_other_order
from spanproof.verifier.quotes.places import find_places, is_blank
from spanproof.verifier.quotes.reanchor.by_text import (
    choose_by_context,
    choose_by_page,
    is_replaced,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Candidate
    from spanproof.verifier.quotes.places import Places

_DESCRIBED = {
    ExistenceStatus.ALTERED: ReanchorStatus.ALTERED,
    ExistenceStatus.STITCHED: ReanchorStatus.REORDERED,
    ExistenceStatus.UNVERIFIABLE: ReanchorStatus.UNVERIFIABLE,
}
#: The share of a place's visible characters that must stand where the span's glyphs stood, and the
#: share of what stands there that the place must hold: neighbours may lean in, words may not lack.
_SHARE = 0.9


def reanchor(source: Extraction, span: Span, target: Extraction) -> Reanchored:
    """Where the words of ``source[span]`` stand in ``target``; ValueError for a blank span."""
    quote = source.text.slice(span)
    if is_blank(quote):
        msg = f"Expected a span with words, got {span} without any."
        raise ValueError(msg)
    # Step 1.
    if source.text.digest == target.text.digest:
        same_bytes = source.document.doc_hash == target.document.doc_hash
        return Reanchored(
            status=ReanchorStatus.SAME,
            channels=Channels.AGREE if same_bytes else Channels.TEXT_ONLY,
            span=span,
            reason="identity",
        )
    # Step 2.
    places = find_places(quote, target)
    if not places.all:
        return _read_otherwise(source, span, target, places)
    standing = read_place(source, span, target)
    if standing is not None:
        return _decide_by_both(places, standing, target)  # Step 4.
    return _decide_by_text(source, span, target, places)  # Steps 2 and 3.


def _decide_by_both(places: Places, standing: frozenset[int], target: Extraction) -> Reanchored:
    chosen = choose_by_place(places.all, standing, target)
    if chosen is None:
        return _undecided(places, Channels.CONFLICT, "elsewhere")
    reason = "unique" if len(places.all) == 1 and not places.capped else "geometry"
    return _accept(chosen, Channels.AGREE, reason)


def _decide_by_text(
    source: Extraction, span: Span, target: Extraction, places: Places
) -> Reanchored:
    by_page = choose_by_page(source, span, target, places.all)
    if by_page is not None:
        return _accept(by_page, Channels.TEXT_ONLY, "page")
    if places.capped:
        return _undecided(places, Channels.NEITHER, "capped")
    was_alone = len(find_places(source.text.slice(span), source).all) == 1
    if len(places.all) == 1 and was_alone:
        if is_replaced(source, span, target, places.all[0].span):
            return _undecided(places, Channels.CONFLICT, "replaced")
        return _accept(places.all[0], Channels.TEXT_ONLY, "unique")
    by_context = choose_by_context(source, span, target, places.all)
    if by_context is not None:
        return _accept(by_context, Channels.TEXT_ONLY, "context")
    return _undecided(places, Channels.NEITHER, "copies" if len(places.all) == 1 else None)


def _read_otherwise(
    source: Extraction, span: Span, target: Extraction, places: Places
) -> Reanchored:
    """Step 5, another order of lines; else step 6, what the ladder says of the words."""
    quote = source.text.slice(span)
    found = find_in_other_order(quote, target)
    if found is None or found.span is None:
        return _describe(quote, target)
    standing = read_place(source, span, target)
    if standing is not None and not stands_there(_covered(found.candidates), standing, target):
        return _undecided(replace(places, folded=found.candidates), Channels.CONFLICT, "elsewhere")
    return Reanchored(
        status=ReanchorStatus.FOLD_EQUAL,
        channels=Channels.TEXT_ONLY if standing is None else Channels.AGREE,
        span=found.span,
        folds=found.folds,
        candidates=found.candidates,
        reason="unique" if standing is None else "geometry",
    )


def _covered(pieces: Sequence[Candidate]) -> list[int]:
    return [at for piece in pieces for at in range(piece.span.start, piece.span.end)]


def _accept(place: Candidate, channels: Channels, reason: str) -> Reanchored:
    return Reanchored(
        status=ReanchorStatus.FOLD_EQUAL if place.folds else ReanchorStatus.MOVED,
        channels=channels,
        span=place.span,
        folds=place.folds,
        reason=reason,
    )


def _undecided(places: Places, channels: Channels, reason: str | None) -> Reanchored:
    return Reanchored(
        status=ReanchorStatus.AMBIGUOUS, channels=channels, candidates=places.all, reason=reason
    )


def _describe(quote: str, target: Extraction) -> Reanchored:
    """How the ladder describes words that stand nowhere as they were; never an acceptance."""
    found, _ = check_existence(Quote(text=quote), target, ())
    return Reanchored(
        status=_DESCRIBED.get(found.status, ReanchorStatus.GONE),
        channels=Channels.NEITHER,
        span=found.span,
        candidates=found.candidates,
        difference=found.difference,
    )


def read_place(source: Extraction, span: Span, target: Extraction) -> frozenset[int] | None:
    """The offsets of the target's characters at the span's glyphs.

    None if geometry cannot be asked: other bytes, no layout, a page that could not be read.
    """
    same_bytes = source.document.doc_hash == target.document.doc_hash
    if not same_bytes or target.layout is None:
        return None
    pages = {page.number: page for page in target.pages}
    found: set[int] = set()
    locators = locate_span(source, span)
    for locator in locators:
        page = pages.get(locator.page)
        if page is None or page.status != "ok":
            return None
        found.update(find_characters(target, page, locator.quads).tolist())
    return frozenset(found) if locators else None


def stands_there(place: Iterable[int], standing: frozenset[int], target: Extraction) -> bool:
    """Whether offsets of the target are those of the glyphs, no less and hardly more."""
    text = target.text.text
    visible = [at for at in place if not is_blank(text[at])]
    shown = [at for at in standing if not is_blank(text[at])]
    shared = sum(at in standing for at in visible)
    return shared >= _SHARE * len(visible) and shared >= _SHARE * len(shown)


def choose_by_place(
    places: Sequence[Candidate], standing: frozenset[int], target: Extraction
) -> Candidate | None:
    """The only place that stands at those glyphs; None if there are none or several."""
    there = [place for place in places if stands_there(_covered([place]), standing, target)]
    return there[0] if len(there) == 1 else None
