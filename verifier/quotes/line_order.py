"""Line order: a chunk whose lines the page has, read in the order of another engine.

The chunk is cut into pieces, each of them whole lines of the text (the first and the last may be
parts of lines), equal to the source under the folds, none used twice, and nothing of the chunk left
over. Each step from line to line must be one that a reader takes (``reading_moves``), so lines that
somebody swapped, and a figure taken from another row, are not found. Rows of a table, which no
fold crosses, are found so too.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.budget import checkpoint
from spanproof.core.documents.match_views import WHITE_SPACE, MatchView, view_of
from spanproof.core.documents.page_lines import PageLine, lines_of
from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Candidate
from spanproof.verifier.quotes.folds import judge_folds
from spanproof.verifier.quotes.reading_moves import may_follow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction, Page

#: Readable characters of a chunk: the lines of a shorter one prove no order.
LEAST_CHARACTERS = 80
#: A longer chunk is more than a page or two, whose order others than engines decide.
MOST_CHARACTERS = 20_000
#: Letters of a chunk by which its pages are found, how far apart, and how often one is looked up.
_GRAM, _STEP, _MOST_HITS = 12, 6, 4
_MOST_GRAMS = 200
#: Pages on which a chunk may begin, and steps that are tried from one of them.
_MOST_PAGES, _MOST_TRIES = 4, 500
_CELL_ENDS = frozenset("\n\f\t")
_WHITE = "".join(sorted(WHITE_SPACE))
_BLANKS = re.compile(f"[{re.escape(_WHITE)}]+")
#: Of a line that the chunk's end cuts: fewer letters may begin any line.
_LEAST_CUT = 12

Pieces = tuple[Candidate, ...]


def find_line_order(
    quote: str, extraction: Extraction, refused: Sequence[Span]
) -> tuple[Pieces, ...]:
    """The ways to read the chunk: one is its place, several are ambiguous, none: not here.

    ``refused`` are the places of the same letters that no fold allows.
    """
    skeleton = MatchView.of(quote)
    if not LEAST_CHARACTERS <= len(skeleton.text) <= MOST_CHARACTERS:
        return ()
    chunk = _Chunk(quote=quote, skeleton=skeleton, extraction=extraction)
    if refused:
        ways = [chunk.judge(list(_parts_of(core, extraction))) for core in refused[:_MOST_PAGES]]
    else:
        ways = [chunk.judge(path) for path in _read_pages(chunk)]
    return tuple(dict.fromkeys(way for way in ways if way))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    quote: str
    skeleton: MatchView
    extraction: Extraction

    def judge(self, parts: Sequence[Span]) -> Pieces:
        """The pieces of a reading, neighbours joined; none where a part is not the chunk's own."""
        text, positions, quote = self.extraction.text.text, self.skeleton.positions, self.quote
        at, edge, joined = 0, 0, list[Span]()
        for part in parts:
            end = at + len(MatchView.of(text[part.start : part.end]).text)
            # Marks that no view keeps stand with the letters beside them, up to the next blank.
            start, stop = int(positions[at]), int(positions[end - 1]) + 1
            while start > edge and not self._blank(start - 1):
                start -= 1
            behind = int(positions[end]) if end < len(positions) else len(quote)
            while stop < behind and not self._blank(stop):
                stop += 1
            parted = at == 0 or start > edge
            if not parted or quote[edge:start].strip(_WHITE):
                return ()
            spacing = self.extraction.has_geometry
            if not judge_folds(quote[start:stop], self.extraction, part, spacing=spacing).equal:
                return ()
            if joined and _touch(text, joined[-1], part):
                joined[-1] = Span(joined[-1].start, part.end)
            else:
                joined.append(part)
            at, edge = end, stop
        if quote[edge:].strip(_WHITE):
            return ()
        doc_hash = self.extraction.document.doc_hash
        return tuple(Candidate(span=span, doc_hash=doc_hash) for span in joined)

    def _blank(self, index: int) -> bool:
        return self.quote[index] in WHITE_SPACE


def _touch(text: str, one: Span, other: Span) -> bool:
    return one.end <= other.start and not text[one.end : other.start].strip()


def _parts_of(core: Span, extraction: Extraction) -> Iterator[Span]:
    """A stretch of the text, cut where words stop and cells or rows begin."""
    text, lines, start = extraction.text.text, lines_of(extraction), core.start
    for match in _BLANKS.finditer(text, core.start, core.end):
        left, right = match.span()
        ends = not _CELL_ENDS.isdisjoint(match.group())
        if ends and left > start and lines.find_crossing(extraction, left, right) is not None:
            yield Span(start, left)
            start = right
    yield Span(start, core.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    line: PageLine
    letters: MatchView


def _read_pages(chunk: _Chunk) -> Iterator[list[Span]]:
    """Readings of the whole chunk, from the pages that hold most of it."""
    extraction = chunk.extraction
    for page in _likely_pages(chunk):
        checkpoint()
        follower = next((p for p in extraction.pages if p.number == page.number + 1), None)
        lines = [
            _Line(line=line, letters=letters)
            for each in (page, follower)
            if each is not None
            for line in lines_of(extraction).of_page(extraction, each)
            if (letters := MatchView.of(extraction.text.slice(line.span))).text
        ]
        yield from _Reading(chunk.skeleton.text, lines, page.number).readings()


def _likely_pages(chunk: _Chunk) -> list[Page]:
    """The pages that have most of the chunk's letters in stretches."""
    view, wanted, extraction = view_of(chunk.extraction), chunk.skeleton.text, chunk.extraction
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

    def __init__(self, wanted: str, lines: list[_Line], page: int) -> None:
        self._wanted, self._lines, self._page = wanted, lines, page
        self._boxes = [each.line for each in lines]
        self._tries = _MOST_TRIES
        #: Lines, with how much of the chunk was read behind them, from where nothing goes on.
        self._dead: set[tuple[int, int]] = set()

    def readings(self) -> Iterator[list[Span]]:
        """One whole reading for each beginning, as the spans of its lines in the chunk's order."""
        for index, each in enumerate(self._lines):
            if each.line.page != self._page:
                break
            for cut in self._beginnings(each.letters.text):
                path = self._go_on([index], len(each.letters.text) - cut)
                if path is not None:
                    yield self._spans(path, cut)

    def _beginnings(self, letters: str) -> Iterator[int]:
        """Where in a line the chunk may begin: from there on the line is the chunk's beginning."""
        at = letters.find(self._wanted[0])
        while at >= 0:
            if self._wanted.startswith(letters[at:]) and (
                at == 0 or len(letters) - at >= _LEAST_CUT
            ):
                yield at
            at = letters.find(self._wanted[0], at + 1)

    def _go_on(self, path: list[int], read: int) -> list[int] | None:
        if read >= len(self._wanted):
            return path
        if (path[-1], read) in self._dead:
            return None
        rest = self._wanted[read:]
        for index in (*range(path[-1] + 1, len(self._lines)), *range(path[-1])):
            letters = self._lines[index].letters.text
            cut = len(rest) >= _LEAST_CUT and letters.startswith(rest)
            fits = cut or rest.startswith(letters)
            if not fits or index in path:
                continue
            self._tries -= 1
            if self._tries < 0:
                return None
            if may_follow(self._boxes, path, index):
                found = self._go_on([*path, index], read + len(letters))
                if found is not None:
                    return found
        self._dead.add((path[-1], read))
        return None

    def _spans(self, path: list[int], cut: int) -> list[Span]:
        spans, left = [], len(self._wanted) + cut
        for place, index in enumerate(path):
            each = self._lines[index]
            first, last = cut if place == 0 else 0, min(left, len(each.letters.text))
            spans.append(each.letters.span_of(first, last).shift(each.line.span.start))
            left -= last
        return spans
