"""The search itself; the package's docstring says what is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanproof.core.budget import checkpoint
from spanproof.core.documents.match_views import MatchView, view_of
from spanproof.verifier.quotes.line_order.lost_glyphs import ReadableQuote, read_glyph_names
from spanproof.verifier.quotes.line_order.page_orders import following_pages, preceding_pages
from spanproof.verifier.quotes.line_order.whole_pages import LOST_GLYPH, Pieces, read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction, Page

#: Readable characters of a chunk: the lines of a shorter one prove no order.
LEAST_CHARACTERS = 80
#: A longer chunk is more than a page or two, whose order others than engines decide.
MOST_CHARACTERS = 20_000
#: Letters of a chunk by which its pages are found, how far apart, and how often one is looked up.
_GRAM, _SHORT_GRAM, _LONG_GRAM, _STEP, _MOST_HITS = 12, 5, 36, 6, 4
_MOST_GRAMS = 200
#: Pages on which a chunk may begin.
_MOST_PAGES = 4


def find_line_order(quote: str, extraction: Extraction) -> tuple[Pieces, ...]:
    """The ways to read the chunk: one is its place, several are ambiguous, none: not here."""
    found = _find(quote, extraction)
    if found:
        return found
    for said in read_glyph_names(quote):
        found = _find(said, extraction, named=True)
        if found:
            return tuple(tuple(replace(p, folds=(LOST_GLYPH,)) for p in way) for way in found)
    return ()


def _find(quote: str, extraction: Extraction, *, named: bool = False) -> tuple[Pieces, ...]:
    """``named``: each glyph that a name stood for must be that glyph, so none counts as lost."""
    readable = (None if named else ReadableQuote.of(quote)) or ReadableQuote.of(quote, lost=False)
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
        near = (page, *following_pages(extraction, page))
        there = sum((_letters_of(extraction, each) for each in near), Counter[str]())
        if needed <= there:
            found.append(page)
    return found


def _likely_pages(wanted: str, extraction: Extraction, gram: int) -> list[Page]:
    """The pages that have most of the chunk's letters in stretches, rare ones if there are some."""
    rare, every = _count_pages(wanted, extraction, gram)
    if not rare and gram < _LONG_GRAM:
        # A table that says the same all over: only longer stretches tell its pages apart.
        rare, _ = _count_pages(wanted, extraction, _LONG_GRAM)
    best = [extraction.pages[n - 1] for n, _ in (rare or every).most_common(_MOST_PAGES)]
    # A chunk that goes over a page's end may have most of it on the second page.
    before = [other for page in best for other in preceding_pages(extraction, page)]
    return [extraction.pages[n - 1] for n in sorted({page.number for page in (*best, *before)})]


def _count_pages(
    wanted: str, extraction: Extraction, gram: int
) -> tuple[Counter[int], Counter[int]]:
    """How many stretches of the chunk each page has: of rare ones, and of all."""
    text = view_of(extraction).text
    step = max(_STEP, len(wanted) // _MOST_GRAMS)
    rare, every = Counter[int](), Counter[int]()
    for start in range(0, len(wanted) - gram + 1, step):
        hits = list(islice(_occurrences(text, wanted[start : start + gram]), _MOST_HITS + 1))
        numbers = [_page_at(extraction, at) for at in hits[:_MOST_HITS]]
        every.update(numbers)
        if len(hits) <= _MOST_HITS:
            rare.update(numbers)
    return rare, every


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _page_at(extraction: Extraction, letter: int) -> int:
    return extraction.page_at(int(view_of(extraction).positions[letter])).number
