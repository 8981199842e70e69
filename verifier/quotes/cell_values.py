"""Quotes that tell cells of a workbook by their values: ``0.125`` where the sheet shows ``12.5%``.

Programs that read workbooks give what a cell keeps, not what it shows: the number, the ISO date. A
quote may tell any cell so, as a whole: never a part of a value, never another cell's. All else of
the quote is the canonical text under the folds, and cuts no word; rows and cells are parted as they
are there. Such a place has the fold ``cell_value``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from spanproof.core.budget import checkpoint
from spanproof.core.documents.match_views import DASHES, MatchView, view_of
from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Candidate
from spanproof.verifier.quotes.cuts import cuts_token
from spanproof.verifier.quotes.folds import judge_folds, match_prefix
from spanproof.verifier.quotes.places import MAX_PLACES, Places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.core.documents.document import Extraction
    from spanproof.verifier.quotes.side_by_side import FoldName

CELL_VALUE: Final = "cell_value"
#: Cells at which one quote is begun; of further ones nothing is known.
_MOST_BEGUN = 20_000
#: A longer quote is more than a reader gives at once.
_MOST_CHARACTERS = 20_000
#: Dashes at a quote's start that are looked for before the place of its letters.
_LEAD = 4
_WORD = re.compile(r"\S+")
_Folds = tuple["FoldName", ...]


class _Told:
    """The cells that can be told otherwise, in the order of the text."""

    def __init__(self, extraction: Extraction) -> None:
        self.spans: list[Span] = []
        self.forms: list[tuple[str, ...]] = []
        #: Cells by the first word of each of their forms.
        self.by_word: dict[str, list[int]] = defaultdict(list)
        for value in extraction.cell_values:
            shown = extraction.text.slice(value.span)
            forms = tuple(form for form in value.forms if form != shown and form.strip())
            for word in {form.split()[0] for form in forms}:
                self.by_word[word].append(len(self.spans))
            if forms:
                self.spans.append(value.span)
                self.forms.append(forms)
        self.by_start = {s.start: f for s, f in zip(self.spans, self.forms, strict=True)}


_TOLD: WeakKeyDictionary[Extraction, _Told] = WeakKeyDictionary()


def _told_of(extraction: Extraction) -> _Told:
    told = _TOLD.get(extraction)
    if told is None:
        told = _TOLD[extraction] = _Told(extraction)
    return told


def forms_of(extraction: Extraction) -> Mapping[int, tuple[str, ...]]:
    """The other ways to tell cells, by the offset at which a cell starts."""
    return _told_of(extraction).by_start if extraction.cell_values else {}


def find_cell_values(quote: str, extraction: Extraction, *, at: Span | None = None) -> Places:
    """The places of a quote that tells at least one cell by its value; ``at`` asks for one only."""
    wanted = quote.strip()
    if not extraction.cell_values or len(wanted) > _MOST_CHARACTERS:
        return Places()
    doc_hash = extraction.document.doc_hash
    found: dict[Span, Candidate] = {}
    for begun, (span, folds) in enumerate(_search(wanted, extraction, at)):
        if begun == _MOST_BEGUN or len(found) == MAX_PLACES:
            return Places(folded=tuple(found.values()), capped=True)
        if span is None or at not in {None, span}:
            continue
        # An edge that cuts a word or number would leave open which value is meant.
        if not cuts_token(extraction.text.text, span):
            place = Candidate(span=span, doc_hash=doc_hash, folds=(CELL_VALUE, *folds))
            found.setdefault(span, place)
    return Places(folded=tuple(found.values()))


def _search(
    quote: str, extraction: Extraction, at: Span | None
) -> Iterator[tuple[Span | None, _Folds]]:
    """Each place, and None for each cell at which the quote does not stand."""
    told = _told_of(extraction)
    for word in _WORD.finditer(quote):
        # The first cell that is told otherwise: before it all is the canonical text.
        before = quote[: word.start()]
        cells = told.by_word.get(word[0], ())
        if not cells:
            continue
        head = MatchView.of(before)
        if head.text not in view_of(extraction).text:
            return
        checkpoint()
        for cell in cells:
            span = told.spans[cell]
            if at is not None and not at.contains(span):
                continue
            yield None, ()
            for start, folds in _starts(before, head, extraction, span.start):
                for end, more in _ends(quote, word.start(), extraction, told, cell):
                    yield Span(start, end), tuple(dict.fromkeys((*folds, *more)))


def _starts(
    before: str, head: MatchView, extraction: Extraction, end: int
) -> Iterator[tuple[int, _Folds]]:
    """Where the text before a cell begins to be the quote's beginning."""
    if not before:
        yield end, ()
        return
    view = view_of(extraction)
    first = bisect_left(view.positions, end) - len(head.text)
    if first < 0 or not view.text.startswith(head.text, first):
        return
    start = int(view.positions[first]) if head.text else end - len(before)
    lead = _LEAD if before[0] in DASHES else 0
    for begin in range(start, max(start - lead, 0) - 1, -1):
        judged = judge_folds(before, extraction, Span(begin, end))
        if judged.equal:
            yield begin, judged.folds
            return


def _ends(
    quote: str, at: int, extraction: Extraction, told: _Told, first: int
) -> Iterator[tuple[int, _Folds]]:
    """Where the quote ends, from a cell on that it tells otherwise; none if it is not all there."""
    text = extraction.text.text
    stack: list[tuple[int, int, _Folds]] = [
        (at + len(form), first, ()) for form in told.forms[first] if quote.startswith(form, at)
    ]
    while stack:
        at, cell, folds = stack.pop()
        if at == len(quote):
            yield told.spans[cell].end, folds
            continue
        # The text up to the next cell that can be told otherwise, then that cell in any way.
        cell += 1
        following = told.spans[cell] if cell < len(told.spans) else Span(len(text), len(text))
        met = match_prefix(quote, at, extraction, Span(told.spans[cell - 1].end, following.start))
        if met is None:
            continue
        at, folds = met.quote_end, (*folds, *met.folds)
        if at == len(quote):
            yield met.end, folds
            continue
        if cell == len(told.spans):
            continue
        shown = match_prefix(quote, at, extraction, following)
        if shown is not None and shown.end == following.end:
            stack.append((shown.quote_end, cell, (*folds, *shown.folds)))
        stack += [
            (at + len(form), cell, folds) for form in told.forms[cell] if quote.startswith(form, at)
        ]
