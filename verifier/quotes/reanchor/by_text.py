"""Among several places of the same words: the old one, by the text around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import MatchView, view_of
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.verdicts.verdict import Candidate

#: How much of the text on either side tells two places apart, in code points; less than the least
#: says too little, unless the text itself ends there.
CONTEXT, MIN_CONTEXT = 64, 12
#: How much longer than the old words those may be that replaced them.
_STRETCH = 2


def choose_by_page(
    source: Extraction, span: Span, target: Extraction, places: Sequence[Candidate]
) -> Candidate | None:
    """The place at the same offset of the one page that has the very same text.

    None if the span crosses pages, or the page's text stands on several pages of either.
    """
    page = next((p for p in source.pages if p.span.contains(span)), None)
    if page is None or len(source.pages) < 2:
        return None
    text = source.text.slice(page.span)
    if _count(source, text) != 1:
        return None
    alike = [each for each in target.pages if target.text.slice(each.span) == text]
    if len(alike) != 1:
        return None
    start = alike[0].span.start + span.start - page.span.start
    wanted = Span(start, start + len(span))
    return next((place for place in places if place.span == wanted), None)


def choose_by_context(
    source: Extraction, span: Span, target: Extraction, places: Sequence[Candidate]
) -> Candidate | None:
    """The one place that has the same words on both sides, up to how they are set."""
    wanted = _context(source, span)
    if wanted is None or any(_context(source, other) == wanted for other in _others(source, span)):
        return None
    alike = [place for place in places if _context(target, place.span) == wanted]
    return alike[0] if len(alike) == 1 else None


def is_replaced(source: Extraction, span: Span, target: Extraction, place: Span) -> bool:
    """Whether the old neighbours stand around other words than those of ``place``."""
    before, after = _sides(source, span)
    if len(before) + len(after) < MIN_CONTEXT:
        return False
    view = view_of(target)
    most = _STRETCH * len(MatchView.of(source.text.slice(span)).text) + MIN_CONTEXT
    start = view.text.find(before)
    while start >= 0:
        begin = start + len(before)
        end = _find_after(view.text, after, begin, most)
        if end > begin and not view.span_of(begin, end).overlaps(place):
            return True
        # A text that begins with the span has one beginning.
        start = view.text.find(before, start + 1) if before else -1
    return False


def _find_after(text: str, after: str, begin: int, most: int) -> int:
    """The start of the neighbour behind, or the text's end without one; -1 if not near."""
    if after:
        return text.find(after, begin, begin + most + len(after))
    return len(text) if len(text) - begin <= most else -1


def _context(extraction: Extraction, span: Span) -> tuple[str, str] | None:
    """The text on both sides, without white space and dashes; None if it is too short."""
    before, after = _sides(extraction, span)
    return (before, after) if len(before) + len(after) >= MIN_CONTEXT else None


def _sides(extraction: Extraction, span: Span) -> tuple[str, str]:
    text = extraction.text.text
    before = MatchView.of(text[max(0, span.start - 2 * CONTEXT) : span.start]).text[-CONTEXT:]
    after = MatchView.of(text[span.end : span.end + 2 * CONTEXT]).text[:CONTEXT]
    return before, after


def _others(extraction: Extraction, span: Span) -> list[Span]:
    """The other places of the same words, character by character."""
    text, quote = extraction.text.text, extraction.text.slice(span)
    found = []
    start = text.find(quote)
    while start >= 0:
        if start != span.start:
            found.append(Span(start, start + len(quote)))
        start = text.find(quote, start + 1)
    return found


def _count(extraction: Extraction, text: str) -> int:
    return sum(extraction.text.slice(page.span) == text for page in extraction.pages)
