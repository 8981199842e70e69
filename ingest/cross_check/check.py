"""Judges spans and whole documents: AGREES only where words and places are the same.

**Words.** For each run of the span, the other engine reads letters that are fold-equal to ours, in
its own order. A page states no order of its runs (two columns have none), so only the order within
a run is compared.
**Places.** At most one in a hundred of the span's glyphs appears elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.documents.layout import QUANTUM, CharFlag
from spanproof.core.ports import CrossCheckReading
from spanproof.core.span import Span
from spanproof.ingest.assembly.characters import REPLACEMENT
from spanproof.ingest.cross_check.folding import is_combining
from spanproof.ingest.cross_check.places import PagePair, Places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.match_views import Codes
    from spanproof.ingest.cross_check.places import Ints, Mask

#: The share of a span's glyphs whose origin may be more than half a user unit off.
MOST_MOVED = 0.01
#: The share of a span's letters that the other engine's font need not name.
MOST_UNREAD = 0.1
#: The most characters of the other engine's text that a reading holds.
MOST_READ = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A whole document, line by line: letters compared, and those in lines on which both agree.

    ``disagreements`` and ``unread`` (the other engine has no say) are joined spans of whole lines.
    ``extra`` letters and ``extra_spaces`` between letters are those that only the other engine has,
    wherever they stand; letters on the pages ``extra_pages``.
    """

    characters: int
    agreeing: int
    extra: int
    extra_spaces: int
    extra_pages: tuple[int, ...]
    disagreements: tuple[Span, ...]
    unread: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A span on one page: letters compared, letters that the other engine cannot name, words."""

    compared: int = 0
    unread: int = 0
    glyphs: int = 0
    met: int = 0
    equal: bool = True
    read: str = ""
    recognised: bool = False

    def __add__(self, other: _Part) -> _Part:
        return _Part(
            compared=self.compared + other.compared,
            unread=self.unread + other.unread,
            glyphs=self.glyphs + other.glyphs,
            met=self.met + other.met,
            equal=self.equal and other.equal,
            read="\n".join(filter(None, (self.read, other.read))),
            recognised=self.recognised or other.recognised,
        )

    @property
    def moved(self) -> float:
        """The share of the glyphs that the other engine puts elsewhere."""
        return (self.glyphs - self.met) / self.glyphs if self.glyphs else 0.0

    @property
    def agrees(self) -> bool:
        """The same words at the same places."""
        return self.equal and self.moved <= MOST_MOVED

    @property
    def not_run_reason(self) -> str | None:
        """Why the other engine has no say here; None where it has."""
        if self.recognised and not self.read:
            return "ocr_page"
        if self.unread > MOST_UNREAD * (self.compared + self.unread):
            return "unmapped"
        return None if self.compared else "nothing_to_compare"


def check_span(extraction: Extraction, span: Span, other: Extraction) -> CrossCheckReading:
    """Judge a span by the other engine's reading of its pages.

    NOT_RUN where there is nothing to compare (``nothing_to_compare``), where the other engine's
    font names too few of the glyphs (``unmapped``), and where we read the page by OCR and the other
    engine has no text there (``ocr_page``).
    """
    whole = _Part()
    for page, pair in pair_pages(extraction, other, span):
        whole += _check_part(extraction, other, pair, span.intersection(page.span))
    engine = other.pipeline.name
    if whole.not_run_reason is not None:
        return CrossCheckReading(status="NOT_RUN", engine=engine, reason=whole.not_run_reason)
    if whole.agrees:
        return CrossCheckReading(status="AGREES", engine=engine, moved=whole.moved)
    return CrossCheckReading(
        status="DISAGREES", engine=engine, read=whole.read[:MOST_READ], moved=whole.moved
    )


def compare(extraction: Extraction, other: Extraction) -> Comparison:
    """Hold every line of every page against the other engine's reading of it."""
    characters = agreeing = extra_spaces = 0
    extra: dict[int, int] = {}
    apart: list[Span] = []
    unread: list[Span] = []
    for page, pair in pair_pages(extraction, other, Span(0, len(extraction.text))):
        extra_spaces += _count_extra_spaces(other, pair)
        if count := _count_extra(pair):
            extra[page.number] = count
        if _is_whole_page_equal(pair):
            characters += len(pair.ours)
            agreeing += len(pair.ours)
            continue
        for line in _lines(extraction, page):
            part = _check_part(extraction, other, pair, line)
            if part.not_run_reason is not None:
                _join(unread, line)
                continue
            characters += part.compared
            if part.agrees:
                agreeing += part.compared
            else:
                _join(apart, line)
    return Comparison(
        characters=characters,
        agreeing=agreeing,
        extra=sum(extra.values()),
        extra_spaces=extra_spaces,
        extra_pages=tuple(extra),
        disagreements=tuple(apart),
        unread=tuple(unread),
    )


def _count_extra(pair: PagePair) -> int:
    """How many letters of the page only the other engine has, each letter by itself.

    Neither place nor order counts, so a line that stands elsewhere is no extra one.
    """
    theirs = pair.theirs.code[pair.kept & (pair.theirs.code != REPLACEMENT)]
    codes, counts = np.unique(theirs, return_counts=True)
    known, ours = np.unique(pair.ours.code, return_counts=True)
    if not len(known):
        return int(counts.sum())
    place = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    held = np.where(known[place] == codes, ours[place], 0)
    return int(np.maximum(counts - held, 0).sum())


def _count_extra_spaces(other: Extraction, pair: PagePair) -> int:
    """How often it has white space between two letters that stand side by side here."""
    owner, at = pair.owner, pair.theirs.at
    side = np.flatnonzero((owner[:-1] >= 0) & (owner[1:] >= 0) & (np.diff(at) > 1))
    side = side[pair.ours.at[owner[side + 1]] == pair.ours.at[owner[side]] + 1]
    return sum(
        any(map(str.isspace, other.text.text[int(at[index]) + 1 : int(at[index + 1])]))
        for index in side.tolist()
    )


def _join(spans: list[Span], line: Span) -> None:
    # Only a separator appears between lines that follow each other.
    if spans and line.start <= spans[-1].end + 1:
        line = Span(spans.pop().start, line.end)
    spans.append(line)


def pair_pages(
    extraction: Extraction, other: Extraction, span: Span
) -> Iterator[tuple[Page, PagePair]]:
    """The pages that a span touches, each with both readings of it."""
    for page in extraction.pages_of(span):
        theirs = (
            Places.of(other, other.pages[page.number - 1])
            if page.number <= len(other.pages)
            else Places.of(other, page)
        )
        yield page, PagePair(ours=Places.of(extraction, page), theirs=theirs)


def _check_part(extraction: Extraction, other: Extraction, pair: PagePair, span: Span) -> _Part:
    ours, theirs = pair.ours, pair.theirs
    inside = ours.indexes_of(span)
    wanted = np.arange(inside.start, inside.stop)[ours.compared[inside]]
    # Characters printed twice at one place within the span need only one reading.
    _, once = np.unique(pair.twin[wanted], return_index=True)
    wanted = wanted[np.sort(once)]
    if not len(wanted):
        return _Part()
    unread = wanted[pair.is_unread[wanted]]
    wanted = wanted[~pair.is_unread[wanted]]
    home = np.full(len(ours), -1, np.int64)
    home[pair.twin[wanted]] = wanted
    # All letters of one character share an origin: the other's letter belongs to the first.
    owned = np.flatnonzero(pair.kept & (pair.owner >= 0))
    owned = owned[home[pair.owner[owned]] >= 0]
    loose, loose_run = _find_loose(extraction, pair, span)
    seen = np.concatenate([owned, loose])
    run = np.concatenate([ours.run[home[pair.owner[owned]]], loose_run])
    glyphs = wanted[ours.first[wanted] & ours.boxed[wanted]]
    return _Part(
        compared=len(wanted),
        unread=len(unread),
        glyphs=len(glyphs),
        met=int(pair.is_met[glyphs].sum()),
        equal=_read_alike(ours.code[wanted], ours.run[wanted], theirs.code[seen], run, seen),
        read=_to_text(other, theirs.at[np.sort(seen)]),
        recognised=_is_recognised(extraction, ours.at[wanted]),
    )


def _read_alike(ours: Codes, our_run: Ints, theirs: Codes, run: Ints, seen: Ints) -> bool:
    """Whether the letters of each run are the same in order, and so are the marks on them.

    A mark and its letter share a place, and engines differ on which of the two comes first.
    """
    our_mark, their_mark = is_combining(ours), is_combining(theirs)
    mine = np.lexsort((np.arange(len(ours)), our_mark, our_run))
    other = np.lexsort((seen, their_mark, run))
    return (
        len(ours) == len(theirs)
        and np.array_equal(ours[mine], theirs[other])
        and np.array_equal(our_run[mine], run[other])
    )


def _is_recognised(extraction: Extraction, at: Ints) -> bool:
    layout = extraction.layout
    return layout is not None and bool((layout.flags[at] & np.uint16(CharFlag.OCR)).any())


def _find_loose(extraction: Extraction, pair: PagePair, span: Span) -> tuple[Ints, Ints]:
    """The loose letters whose centre lies in the span's quads, and the run of each."""
    layout, loose = extraction.layout, pair.loose
    found, runs = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    if layout is None or not len(loose):
        return found[0], runs[0]
    for run in layout.runs_of(span):
        start = max(span.start, int(layout.run_start[run]))
        end = min(span.end, int(layout.run_end[run]))
        inside = pair.ours.indexes_of(Span(start, end))
        if not pair.ours.compared[inside].any():
            continue
        left, right = layout.left[start:end], layout.right[start:end]
        boxed = left != right
        if not boxed.any():
            continue
        held = _holds(extraction, run, pair, loose, (int(left[boxed].min()), int(right.max())))
        taken = loose[held]
        found.append(taken)
        runs.append(np.full(len(taken), run))
        loose = loose[~held]
    return np.concatenate(found), np.concatenate(runs)


def _holds(
    extraction: Extraction, run: int, pair: PagePair, loose: Ints, edges: tuple[int, int]
) -> Mask:
    layout, theirs = extraction.layout, pair.theirs
    if layout is None:
        return np.zeros(len(loose), bool)
    x = theirs.centre_x[loose] / QUANTUM - float(layout.run_x[run])
    y = theirs.centre_y[loose] / QUANTUM - float(layout.run_y[run])
    cos, sin = float(layout.run_cos[run]), float(layout.run_sin[run])
    along, across = x * cos + y * sin, y * cos - x * sin
    low, high = float(layout.run_descent[run]), float(layout.run_ascent[run])
    held: Mask = (along >= edges[0]) & (along < edges[1]) & (across > low) & (across < high)
    return held


def _to_text(other: Extraction, offsets: Ints) -> str:
    """The characters of the other text at these offsets; one space where it has more between."""
    text, out, last = other.text.text, [], -1
    for offset in dict.fromkeys(offsets.tolist()):
        if last >= 0 and offset != last + 1:
            out.append(" ")
        out.append(text[offset])
        last = offset
    return "".join(out)


def _is_whole_page_equal(pair: PagePair) -> bool:
    """Whether every letter has its one counterpart, in order: the usual page, at a glance."""
    ours, theirs, owner = pair.ours, pair.theirs, pair.owner
    if len(pair.loose) or not pair.kept.all() or not ours.compared.all():
        return False
    met = bool((pair.is_met | ~ours.first | ~ours.boxed).all())
    index = np.arange(len(owner))
    return met and _read_alike(ours.code, ours.run, theirs.code, ours.run[owner], index)


def _lines(extraction: Extraction, page: Page) -> Iterator[Span]:
    """The lines of a page: what appears between our separators."""
    layout = extraction.layout
    if layout is None:
        return
    flags = layout.flags[page.span.start : page.span.end]
    ends = np.flatnonzero(flags & np.uint16(CharFlag.SEPARATOR)).tolist()
    start = 0
    for end in [*ends, len(flags)]:
        if end > start:
            yield Span(page.span.start + start, page.span.start + end)
        start = end + 1
