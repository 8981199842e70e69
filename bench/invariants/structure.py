"""I1, I2 and I10: every character has one owner, pages and runs partition, blocks are slices."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.invariants.finding import MAX_REPORTED, Finding, Violation
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.match_views import to_codes
from spanproof.core.span import Span
from spanproof.ingest.assembly.characters import count_flags
from spanproof.ingest.media_type import PLAIN_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.layout import Layout
    from spanproof.core.documents.text_block import Block

    Ints = np.ndarray[Any, np.dtype[np.int64]]

#: What we put between lines and pages; formats with tables have tabs between cells besides.
_PAGED_SEPARATORS, _OTHER_SEPARATORS = "\n\f", "\n\t\f"


def check_i1(extraction: Extraction) -> Finding:
    """Every character has exactly one owner: a run, a block without a place, or us (separators).

    A separator of ours is a newline or form feed (a tab between cells where no page has a frame),
    and every page of a layout ends with a form feed of ours and holds no other.
    """
    text, layout = extraction.text.text, extraction.layout
    if layout is None or extraction.document.media_type in PLAIN_TYPES:
        # Plain text has one page, no separators of ours, and the page owns every character; a
        # layout of Markdown has flags alone.
        return Finding.of("characters", len(text), (), invariant="I1")
    separator = _separators(layout)
    owners = _cover(len(text), zip(layout.run_start, layout.run_end, strict=True)) + separator
    leaves = [(b.span.start, b.span.end) for b in _leaves(extraction.blocks)]
    if len(layout.run_start):
        # On a page, blocks are marks over runs; they own only what has no run (a hidden field).
        owners += (owners == 0) & (_cover(len(text), leaves) > 0)
    else:
        owners += _cover(len(text), leaves)
    codes = to_codes(text)
    allowed = _PAGED_SEPARATORS if extraction.pages[0].frame else _OTHER_SEPARATORS
    page_end = np.zeros(len(text), bool)
    page_end[[page.span.end - 1 for page in extraction.pages if len(page.span)]] = True
    strange = separator & ~np.isin(codes, [ord(c) for c in allowed])
    strange |= page_end != (separator & (codes == ord("\f")))
    broken = np.flatnonzero((owners != 1) | strange).tolist()
    told = [
        Violation(
            invariant="I1",
            detail=f"{text[i]!r} has {owners[i]} owners; separator of ours: {separator[i]}",
            page=extraction.page_at(i).number,
            span=Span(i, i + 1),
        )
        for i in broken[:MAX_REPORTED]
    ]
    return Finding(
        invariant="I1",
        unit="characters",
        checked=len(text),
        violated=len(broken),
        violations=tuple(told),
    )


def check_i2(extraction: Extraction) -> Finding:
    """Pages partition the text; runs are disjoint, ordered, inside their page; counts are true."""
    total, pages, layout = len(extraction.text), extraction.pages, extraction.layout
    broken = []
    at = 0
    for number, page in enumerate(pages, start=1):
        if page.span.start != at or page.number != number:
            detail = f"expected page {number} to start at {at}, got {page.number} at {page.span}"
            broken.append(Violation(invariant="I2", detail=detail, page=page.number))
        if page.counts.characters != len(page.span):
            detail = f"expected {len(page.span)} characters, counted {page.counts.characters}"
            broken.append(Violation(invariant="I2", detail=detail, page=page.number))
        at = page.span.end
    if at != total:
        broken.append(Violation(invariant="I2", detail=f"pages end at {at}, the text at {total}"))
    if layout is None:
        return Finding.of("pages and runs", len(pages), broken, invariant="I2")
    if len(layout) != total:
        detail = f"the layout has {len(layout)} characters, the text {total}"
        broken.append(Violation(invariant="I2", detail=detail))
        return Finding.of("pages and runs", len(pages), broken, invariant="I2")
    starts, ends = layout.run_start.astype(np.int64), layout.run_end.astype(np.int64)
    edges = np.array([page.span.end for page in pages], np.int64)
    astray = (starts >= ends) | (starts < 0) | (ends > total)
    astray[1:] |= starts[1:] < ends[:-1]
    astray |= np.searchsorted(edges, starts, "right") != np.searchsorted(edges, ends - 1, "right")
    broken.extend(
        Violation(invariant="I2", detail=f"run {int(i)} is {int(starts[i])}..{int(ends[i])}")
        for i in np.flatnonzero(astray)
    )
    broken.extend(_miscounted(extraction, layout))
    return Finding.of("pages and runs", len(pages) + len(starts), broken, invariant="I2")


def check_i10(extraction: Extraction) -> Finding:
    """A block's text is a slice of the canonical text, on one page; blocks nest or are disjoint."""
    blocks, layout = extraction.blocks, extraction.layout
    separator = np.zeros(len(extraction.text), bool) if layout is None else _separators(layout)
    broken = []
    open_ends: list[int] = []
    page_ends = [page.span.end for page in extraction.pages]
    before: Span | None = None
    for block in blocks:
        span = block.span
        while open_ends and open_ends[-1] <= span.start:
            open_ends.pop()
        if before is not None and (span.start, -span.end) < (before.start, -before.end):
            broken.append(_of(extraction, block, "it stands after a later one"))
        elif open_ends and span.end > open_ends[-1]:
            broken.append(_of(extraction, block, "it overlaps another without nesting"))
        if not extraction.text.holds(span) or not extraction.text.slice(span).strip():
            broken.append(_of(extraction, block, "its slice holds nothing to read"))
        elif separator[span.start] or separator[span.end - 1]:
            broken.append(_of(extraction, block, "its slice takes in a separator of ours"))
        elif bisect_right(page_ends, span.start) != bisect_right(page_ends, span.end - 1):
            broken.append(_of(extraction, block, "it stands on several pages"))
        open_ends.append(span.end)
        before = span
    for glyphs in extraction.glyph_texts:
        if not len(glyphs.span) or not extraction.text.holds(glyphs.span):
            detail = "painted characters stand for no text"
            broken.append(Violation(invariant="I10", detail=detail, span=glyphs.span))
    checked = len(blocks) + len(extraction.glyph_texts)
    return Finding.of("blocks", checked, broken, invariant="I10")


def _separators(layout: Layout) -> np.ndarray[Any, np.dtype[np.bool_]]:
    found: np.ndarray[Any, np.dtype[np.bool_]] = (layout.flags & np.uint16(CharFlag.SEPARATOR)) != 0
    return found


def _cover(total: int, spans: Iterable[tuple[int, int]]) -> Ints:
    """How many of the spans hold each offset."""
    steps = np.zeros(total + 1, np.int64)
    for start, end in spans:
        steps[start] += 1
        steps[end] -= 1
    return np.cumsum(steps)[:-1]


def _leaves(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that hold no other: a block that nests others is followed by the first of them."""
    followers = [*blocks[1:], None]
    return [
        block
        for block, after in zip(blocks, followers, strict=False)
        if after is None or not block.span.contains(after.span)
    ]


def _miscounted(extraction: Extraction, layout: Layout) -> list[Violation]:
    starts = np.array([page.span.start for page in extraction.pages], np.int64)
    if not len(extraction.text) or any(len(page.span) == 0 for page in extraction.pages):
        return []
    return [
        Violation(
            invariant="I2", detail=f"expected {truth}, counted {page.counts}", page=page.number
        )
        for page, truth in zip(extraction.pages, count_flags(layout.flags, starts), strict=True)
        if page.counts != truth
    ]


def _of(extraction: Extraction, block: Block, detail: str) -> Violation:
    page = extraction.page_at(min(block.span.start, max(0, len(extraction.text) - 1)))
    return Violation(
        invariant="I10", detail=f"{block.kind}: {detail}", page=page.number, span=block.span
    )
