"""The search itself; the package's docstring says what is found."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanproof.core.budget import checkpoint
from spanproof.core.documents.match_views import MatchView, view_of
from spanproof.verifier.quotes.line_order.lost_glyphs import ReadableQuote
from spanproof.verifier.quotes.line_order.whole_pages import Pieces, read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction, Page

#: Readable characters of a chunk: the lines of a shorter one prove no order.
LEAST_CHARACTERS = 80
#: A longer chunk is more than a page or two, whose order others than engines decide.
MOST_CHARACTERS = 20_000
#: Letters of a chunk by which its pages are found, how far apart, and how often one is looked up.
_GRAM, _SHORT_GRAM, _STEP, _MOST_HITS = 12, 5, 6, 4
_MOST_GRAMS = 200
#: Pages on which a chunk may begin.
_MOST_PAGES = 4


def find_line_order(quote: str, extraction: Extraction) -> tuple[Pieces, ...]:
    """The ways to read the chunk: one is its place, several are ambiguous, none: not here."""
    readable = ReadableQuote.of(quote) or ReadableQuote.of(quote, lost=False)
    wanted = "" if readable is None else "".join(readable.letters)
    if readable is None or not LEAST_CHARACTERS <= len(wanted) <= MOST_CHARACTERS:
        return ()
    pages = _holding_pages(wanted, extraction, _GRAM)
    # Cells of a table have no long stretch of a chunk: short ones are looked for then.
    pages = pages or _holding_pages(wanted, extraction, _SHORT_GRAM)
    return read_whole(quote, readable, extraction, pages)


#: By extraction and page: how often each letter stands there.
_LETTERS: WeakKeyDictionary[Extraction, dict[int, Counter[str]]] = WeakKeyDictionary()


def _letters_of(extraction: Extraction, page: Page) -> Counter[str]:
    known = _LETTERS.setdefault(extraction, {})
    if page.number not in known:
        known[page.number] = Counter(MatchView.of(extraction.text.slice(page.span)).text)
    return known[page.number]


def _holding_pages(wanted: str, extraction: Extraction, gram: int) -> list[Page]:
    """The likely pages that have, with the next one, each letter of the chunk as often."""
    needed = Counter(wanted)
    found = []
    for page in _likely_pages(wanted, extraction, gram):
        checkpoint()
        both = extraction.pages[page.number - 1 : page.number + 1]
        there = sum((_letters_of(extraction, each) for each in both), Counter[str]())
        if needed <= there:
            found.append(page)
    return found


def _likely_pages(wanted: str, extraction: Extraction, gram: int) -> list[Page]:
    """The pages that have most of the chunk's letters in stretches, rare ones if there are some."""
    text = view_of(extraction).text
    step = max(_STEP, len(wanted) // _MOST_GRAMS)
    rare, every = Counter[int](), Counter[int]()
    for start in range(0, len(wanted) - gram + 1, step):
        hits = list(islice(_occurrences(text, wanted[start : start + gram]), _MOST_HITS + 1))
        numbers = [_page_at(extraction, at) for at in hits[:_MOST_HITS]]
        every.update(numbers)
        if len(hits) <= _MOST_HITS:
            rare.update(numbers)
    best = {number for number, _ in (rare or every).most_common(_MOST_PAGES)}
    # A chunk that goes over a page's end may have most of it on the second page.
    first = best | {number - 1 for number in best}
    return [page for page in extraction.pages if page.number in first]


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _page_at(extraction: Extraction, letter: int) -> int:
    return extraction.page_at(int(view_of(extraction).positions[letter])).number
