"""The search itself; the package's docstring says what is found."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanproof.core.budget import checkpoint
from spanproof.core.documents.match_views import MatchView, view_of
from spanproof.verifier.quotes.line_order.whole_pages import Pieces, read_whole

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction, Page

#: Readable characters of a chunk: the lines of a shorter one prove no order.
LEAST_CHARACTERS = 80
#: A longer chunk is more than a page or two, whose order others than engines decide.
MOST_CHARACTERS = 20_000
#: Letters of a chunk by which its pages are found, how far apart, and how often one is looked up.
_GRAM, _STEP, _MOST_HITS = 12, 6, 4
_MOST_GRAMS = 200
#: Pages on which a chunk may begin.
_MOST_PAGES = 4


def find_line_order(quote: str, extraction: Extraction) -> tuple[Pieces, ...]:
    """The ways to read the chunk: one is its place, several are ambiguous, none: not here."""
    wanted = MatchView.of(quote).text
    if not LEAST_CHARACTERS <= len(wanted) <= MOST_CHARACTERS:
        return ()
    return read_whole(quote, wanted, extraction, _holding_pages(wanted, extraction))


#: By extraction and page: how often each letter stands there.
_LETTERS: WeakKeyDictionary[Extraction, dict[int, Counter[str]]] = WeakKeyDictionary()


def _letters_of(extraction: Extraction, page: Page) -> Counter[str]:
    known = _LETTERS.setdefault(extraction, {})
    if page.number not in known:
        known[page.number] = Counter(MatchView.of(extraction.text.slice(page.span)).text)
    return known[page.number]


def _holding_pages(wanted: str, extraction: Extraction) -> list[Page]:
    """The likely pages that have, with the next one, each letter of the chunk as often."""
    needed = Counter(wanted)
    found = []
    for page in _likely_pages(wanted, extraction):
        checkpoint()
        both = extraction.pages[page.number - 1 : page.number + 1]
        there = sum((_letters_of(extraction, each) for each in both), Counter[str]())
        if needed <= there:
            found.append(page)
    return found


def _likely_pages(wanted: str, extraction: Extraction) -> list[Page]:
    """The pages that have most of the chunk's letters in stretches."""
    view = view_of(extraction)
    step = max(_STEP, len(wanted) // _MOST_GRAMS)
    votes: Counter[int] = Counter()
    for start in range(0, len(wanted) - _GRAM + 1, step):
        at, hits = view.text.find(wanted[start : start + _GRAM]), 0
        while at >= 0 and hits < _MOST_HITS:
            votes[extraction.page_at(int(view.positions[at])).number] += 1
            at, hits = view.text.find(wanted[start : start + _GRAM], at + 1), hits + 1
    best = {number for number, _ in votes.most_common(_MOST_PAGES)}
    # A chunk that goes over a page's end may have most of it on the second page.
    first = best | {number - 1 for number in best}
    return [page for page in extraction.pages if page.number in first]
