"""The search itself; the package's docstring says what is found."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.budget import checkpoint
from spanproof.core.documents.match_views import MatchView, view_of
from spanproof.core.documents.page_lines import PageLine, lines_of
from spanproof.verifier.quotes.cuts import cuts_meaning, cuts_token
from spanproof.verifier.quotes.line_order.pieces import Pieces, judge_pieces
from spanproof.verifier.quotes.line_order.reading_moves import LEAST_COLUMN, PageMoves
from spanproof.verifier.quotes.line_order.running_lines import find_running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.span import Span

#: Readable characters of a chunk: the lines of a shorter one prove no order.
LEAST_CHARACTERS = 80
#: A longer chunk is more than a page or two, whose order others than engines decide.
MOST_CHARACTERS = 20_000
#: Letters of a chunk by which its pages are found, how far apart, and how often one is looked up.
_GRAM, _STEP, _MOST_HITS = 12, 6, 4
_MOST_GRAMS = 200
#: Pages on which a chunk may begin, and steps that are tried from one of them.
_MOST_PAGES, _MOST_TRIES = 4, 500
_LINE = re.compile(r"[^\n\f\t]+")
#: Letters of a line that the chunk's edge may cut inside a word.
_LEAST_CUT = 12


def find_line_order(
    quote: str, extraction: Extraction, refused: Sequence[Span]
) -> tuple[Pieces, ...]:
    """The ways to read the chunk: one is its place, several are ambiguous, none: not here.

    ``refused`` are the places of the same letters that no fold allows.
    """
    wanted = MatchView.of(quote).text
    if not LEAST_CHARACTERS <= len(wanted) <= MOST_CHARACTERS:
        return ()
    if refused:
        readings: Iterator[list[Span]] = (
            list(_lines_in(core, extraction)) for core in refused[:_MOST_PAGES]
        )
    else:
        readings = _read_pages(wanted, extraction)
    ways = [judge_pieces(quote, extraction, lines) for lines in readings]
    return tuple(dict.fromkeys(way for way in ways if way))


def _lines_in(core: Span, extraction: Extraction) -> Iterator[Span]:
    for match in _LINE.finditer(extraction.text.text, core.start, core.end):
        letters = MatchView.of(match.group())
        if letters.text:
            yield letters.span_of(0, len(letters.text)).shift(match.start())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    line: PageLine
    letters: MatchView


def _read_pages(wanted: str, extraction: Extraction) -> Iterator[list[Span]]:
    """Readings of the whole chunk, from the pages that hold most of it."""
    for page in _likely_pages(wanted, extraction):
        checkpoint()
        pages = [each for each in extraction.pages if 0 <= each.number - page.number <= 1]
        running = frozenset[int]().union(*(find_running(extraction, each) for each in pages))
        lines = [
            _Line(line=line, letters=letters)
            for each in pages
            for line in lines_of(extraction).of_page(extraction, each)
            if (letters := MatchView.of(extraction.text.slice(line.span))).text
        ]
        yield from _Reading(wanted, lines, extraction, running).readings()


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


class _Reading:
    """Walks from line to line as long as the chunk's letters go on there."""

    def __init__(
        self, wanted: str, lines: list[_Line], extraction: Extraction, running: frozenset[int]
    ) -> None:
        self._wanted, self._lines = wanted, lines
        self._text = extraction.text.text
        boxes = [each.line for each in lines]
        self._moves = PageMoves(
            boxes, frozenset(at for at, box in enumerate(boxes) if box.span.start in running)
        )
        self._tries = _MOST_TRIES
        #: Lines, with how much of the chunk was read behind them, from where nothing goes on.
        self._dead: set[tuple[int, int, int]] = set()

    def readings(self) -> Iterator[list[Span]]:
        """One whole reading for each beginning, as the spans of its lines in the chunk's order."""
        for index, each in enumerate(self._lines):
            if each.line.page != self._lines[0].line.page:
                break
            for cut in self._beginnings(each):
                path = self._go_on([index], len(each.letters.text) - cut, LEAST_COLUMN)
                if path is not None:
                    yield self._spans(path, cut)

    def _beginnings(self, each: _Line) -> Iterator[int]:
        """Where in a line the chunk may begin: from there on the line is the chunk's beginning."""
        letters = each.letters.text
        at = letters.find(self._wanted[0])
        while at >= 0:
            if self._wanted.startswith(letters[at:]) and self._may_cut(each, at, len(letters)):
                yield at
            at = letters.find(self._wanted[0], at + 1)

    def _may_cut(self, each: _Line, start: int, end: int) -> bool:
        """Whether the chunk's edge may cut a line here: a short rest by whole words alone."""
        if start == 0 and end == len(each.letters.text):
            return True
        span = each.letters.span_of(start, end).shift(each.line.span.start)
        cut = end - start < _LEAST_CUT and cuts_token(self._text, span)
        return not cut and not cuts_meaning(self._text, span)

    def _go_on(self, path: list[int], read: int, column: int) -> list[int] | None:
        """The rest of a reading; ``column`` counts the lines since a jump to another column."""
        if read >= len(self._wanted):
            return path if column >= LEAST_COLUMN else None
        state = (path[-1], read, min(column, LEAST_COLUMN))
        if state in self._dead:
            return None
        fitting = [index for index in self._order(path[-1]) if self._fits(path, index, read)]
        for jumps in (False, True) if column >= LEAST_COLUMN else (False,):
            for index in fitting:
                self._tries -= 1
                if self._tries < 0:
                    return None
                if self._may_step(path, index, column, jumps=jumps):
                    end = read + len(self._lines[index].letters.text)
                    found = self._go_on([*path, index], end, 1 if jumps else column + 1)
                    if found is not None:
                        return found
        self._dead.add(state)
        return None

    def _order(self, here: int) -> tuple[int, ...]:
        return (*range(here + 1, len(self._lines)), *range(here))

    def _fits(self, path: list[int], index: int, read: int) -> bool:
        letters = self._lines[index].letters.text
        if self._wanted.startswith(letters, read):
            return index not in path
        rest = self._wanted[read:]
        cut = letters.startswith(rest) and index not in path
        return cut and self._may_cut(self._lines[index], 0, len(rest))

    def _may_step(self, path: list[int], index: int, column: int, *, jumps: bool) -> bool:
        if jumps:
            return self._moves.may_jump(path, index)
        in_column = column >= LEAST_COLUMN or self._moves.goes_down(path[-1], index)
        return in_column and self._moves.may_follow(path, index)

    def _spans(self, path: list[int], cut: int) -> list[Span]:
        spans, left = [], len(self._wanted) + cut
        for place, index in enumerate(path):
            each = self._lines[index]
            first, last = cut if place == 0 else 0, min(left, len(each.letters.text))
            spans.append(each.letters.span_of(first, last).shift(each.line.span.start))
            left -= last
        return spans
