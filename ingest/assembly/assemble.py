"""A stream of characters → canonical text and layout columns, a batch of pages at a time.

**Canonical text.** Characters in the engine's own order, never sorted, never normalised. The lines
of a page are joined by one newline (blocks too) and *every* page ends with one form feed, so that a
page's text does not depend on other pages; a page without text is the one form feed. These
separators are ours: they carry SEPARATOR and appear in no run. A newline or form feed that the
document itself holds inside a line carries CONTROL and appears in a run. Columns of vertical
writing may come as one line a character: such lines are one line here. Segments (form fields,
annotations) follow their page's own lines, one line each, and are blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.text_block import Block, GlyphText
from spanproof.core.span import Span
from spanproof.ingest.assembly.characters import count_flags, replace_forbidden
from spanproof.ingest.assembly.runs import Runs, find_runs
from spanproof.ingest.assembly.segments import append_segments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import CharacterCounts
    from spanproof.core.geometry import PageFrame
    from spanproof.ingest.assembly.actual_text import Painted
    from spanproof.ingest.assembly.characters import Flags
    from spanproof.ingest.assembly.segments import Segment
    from spanproof.ingest.assembly.stream import CharStream, Ints, Mask

LINE_END = 0x0A
PAGE_END = 0x0C


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """Some pages of a document, assembled; offsets count from the batch's own first character."""

    text: str
    page_starts: tuple[int, ...]
    counts: tuple[CharacterCounts, ...]
    #: Characters of each page's own text that are not white space, and how many of those are
    #: invisible. Segments do not count: a scan with a note on it is still a page without text.
    inked: tuple[int, ...]
    hidden: tuple[int, ...]
    originals: tuple[tuple[int, int], ...]
    flags: Flags
    runs: Runs
    blocks: tuple[Block, ...] = ()
    glyph_texts: tuple[GlyphText, ...] = ()


def assemble(  # noqa: PLR0913 - what an engine tells of some pages
    stream: CharStream,
    frames: Sequence[PageFrame],
    *,
    segments: Sequence[Sequence[Segment]] = (),
    painted: Sequence[Painted] = (),
    recognised: frozenset[int] = frozenset(),
    concealed: Flags | None = None,
) -> Batch:
    """Put a batch together: one frame for each page of the stream.

    ``segments`` has one list for each page, or is empty where no page has any. ``painted`` says
    where the pages show other characters than the text says. ``recognised`` are the indexes of
    the pages that OCR read: nothing paints their text, yet it appears in their images.
    ``concealed`` has the flags of the stream's characters that a reader sees nothing of, or struck.
    """
    appended = append_segments(stream, frames, segments)
    stream, own = appended.stream, appended.moved
    page_of_line = np.repeat(np.arange(len(frames)), stream.page_lines)
    page_of_char = np.repeat(page_of_line, stream.line_length)
    ends_line = ~_continues(stream, page_of_line)
    points, flags, space, originals = replace_forbidden(stream.points)
    runs, offpage = find_runs(stream, frames, page_of_char, ends_line)
    unseen = stream.invisible & ~space
    if concealed is not None:
        flags[own] |= concealed
        # Text under a picture is a scan's, as unpainted text is; text without either is hidden.
        under = concealed & np.uint16(CharFlag.INVISIBLE | CharFlag.CONCEALED)
        unseen[own] |= under == np.uint16(CharFlag.INVISIBLE)
    if recognised:
        read = own[np.isin(page_of_char[own], list(recognised))]
        flags[read] |= np.uint16(CharFlag.OCR)
        unseen[read] = False
    flags[stream.synthetic] |= np.uint16(CharFlag.SYNTHETIC)
    # White space has no ink that could be hidden: a visible quote may hold a space off the page.
    flags[unseen] |= np.uint16(CharFlag.INVISIBLE)
    flags[offpage & ~space] |= np.uint16(CharFlag.OFFPAGE)
    for one in painted:
        if one.differs:
            flags[own[one.start : one.end]] |= np.uint16(CharFlag.ACTUALTEXT)

    separators, page_ends = _place_separators(stream, ends_line)
    total = len(stream) + len(separators)
    is_char = np.ones(total, bool)
    is_char[separators] = False
    out = np.full(total, LINE_END, np.uint32)
    out[page_ends] = PAGE_END
    out[is_char] = points
    all_flags = np.full(total, CharFlag.SEPARATOR, np.uint16)
    all_flags[is_char] = flags
    where = np.flatnonzero(is_char)
    page_starts = np.concatenate([[0], page_ends[:-1] + 1])
    own_page, own_ink = page_of_char[own], ~space[own]
    return Batch(
        text=out.tobytes().decode("utf-32-le"),
        page_starts=tuple(page_starts.tolist()),
        counts=tuple(count_flags(all_flags, page_starts)),
        inked=tuple(np.bincount(own_page[own_ink], minlength=len(frames)).tolist()),
        hidden=tuple(np.bincount(own_page[unseen[own]], minlength=len(frames)).tolist()),
        originals=tuple((int(where[index]), code) for index, code in originals),
        flags=all_flags,
        runs=runs.spread(where, total),
        blocks=tuple(
            Block(kind=one.kind, span=_to_span(where, start, end), name=one.name)
            for one, (start, end) in zip(appended.segments, appended.spans, strict=True)
        ),
        glyph_texts=tuple(
            GlyphText(span=_to_span(where[own], one.start, one.end), glyphs=one.glyphs)
            for one in painted
        ),
    )


def _to_span(where: Ints, start: int, end: int) -> Span:
    """Characters ``[start, end)`` → their span of the text; for no characters, the last's end."""
    if start == end:
        behind = int(where[start - 1]) + 1 if start else 0
        return Span(behind, behind)
    return Span(int(where[start]), int(where[end - 1]) + 1)


def _place_separators(stream: CharStream, ends_line: Mask) -> tuple[Ints, Ints]:
    """Where all separators appear, and those that end a page."""
    pages = len(stream.page_lines)
    after_char = np.concatenate([[0], np.cumsum(stream.line_length)])
    first_line = np.cumsum(stream.page_lines) - stream.page_lines
    # An empty page has a separator too: it is put in at its place among the lines' ends.
    lines = np.flatnonzero(ends_line)
    empty = np.flatnonzero(stream.page_lines == 0)
    at = np.insert(
        after_char[lines + 1],
        np.searchsorted(lines, first_line[empty]),
        after_char[first_line[empty]],
    )
    separators = at + np.arange(len(at))
    per_page = np.zeros(pages, np.int64)
    np.add.at(per_page, np.repeat(np.arange(pages), stream.page_lines), ends_line)
    last = np.cumsum(np.maximum(per_page, 1)) - 1
    return separators, separators[last]


def _continues(stream: CharStream, page_of_line: Ints) -> Mask:
    """Whether each line of vertical writing goes on in the next one.

    It does in the same column right below; and right beside, in the same row: some producers set
    level text glyph by glyph in a vertical font.
    """
    joined = np.zeros(len(stream.line_length), bool)
    vertical = np.flatnonzero(stream.line_vertical[:-1] & stream.line_vertical[1:])
    if not len(vertical):
        return joined
    ends = np.cumsum(stream.line_length)
    last, first = ends[vertical] - 1, ends[vertical]
    # The corners of vertical writing go either way round: only the edges are certain.
    xs, ys = stream.quads[0::2], stream.quads[1::2]
    size = stream.sizes[first]
    across = (xs.min(axis=0) + xs.max(axis=0)) / 2
    aside = across[first] - across[last]
    step = ys.min(axis=0)[first] - ys.max(axis=0)[last]
    below = (np.abs(aside) < size / 2) & (step > -size / 2) & (step < size)
    level = np.abs(ys.min(axis=0)[first] - ys.min(axis=0)[last]) < size / 4
    beside = level & (aside > 0) & (aside < 1.5 * size)
    same_page = page_of_line[vertical] == page_of_line[vertical + 1]
    joined[vertical] = (below | beside) & same_page
    return joined
