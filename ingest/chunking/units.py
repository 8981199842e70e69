"""What an extraction is made of: headings, items, tables with their rows, and other text, in order.

Units follow each other without overlap; what appears between two is white space. Blocks say what is
what; text outside of them is cut by paragraphs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from spanproof.core.documents.blocks import Blocks
from spanproof.core.span import Span
from spanproof.ingest.chunking.cutting import WHITE
from spanproof.ingest.chunking.paragraphs import parted_paragraphs, place_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Block, Place
    from spanproof.ingest.chunking.paragraphs import PlacedLines

UnitKind = Literal["text", "heading", "item", "table"]
#: Blocks that are one unit with all that they hold.
_ATOMIC = frozenset({"table", "row"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A stretch of text that is best kept whole; ``rows`` are those of a table."""

    kind: UnitKind
    span: Span
    place: Place | None = None
    rows: tuple[Span, ...] = ()


def find_units(extraction: Extraction) -> Iterator[Unit]:
    """The units of an extraction, in the order of the text."""
    lines = place_lines(extraction)
    blocks = Blocks.of(extraction.blocks)
    # Blocks that hold others: their own text, between those, is of their kind.
    outer: list[Block] = []
    reached, index = 0, 0
    while index < len(blocks):
        block = blocks[index]
        while outer and outer[-1].span.end <= block.span.start:
            closed = outer.pop()
            yield from _between(extraction, lines, reached, closed.span.end, closed)
            reached = max(reached, closed.span.end)
        inner = outer[-1] if outer else None
        yield from _between(extraction, lines, reached, block.span.start, inner)
        reached = max(reached, block.span.start)
        is_outer = index + 1 < len(blocks) and blocks[index + 1].span.end <= block.span.end
        if is_outer and block.kind not in _ATOMIC:
            outer.append(block)
            index += 1
            continue
        after = _skip_inside(blocks, index)
        rows = tuple(_find_rows(blocks[index + 1 : after], block)) if block.kind == "table" else ()
        if reached < block.span.end:
            span = Span(reached, block.span.end)
            yield Unit(kind=_kind_of(block), span=span, place=block.place, rows=rows)
            reached = block.span.end
        index = after
    while outer:
        closed = outer.pop()
        yield from _between(extraction, lines, reached, closed.span.end, closed)
        reached = max(reached, closed.span.end)
    yield from _between(extraction, lines, reached, len(extraction.text), None)


def _skip_inside(blocks: Blocks, index: int) -> int:
    """The index of the first block that does not lie inside this one."""
    end = blocks.end[index]
    # What starts behind the end does not lie inside; a little of what starts before it may not.
    after = blocks.count_before(int(end) + 1)
    outside = np.flatnonzero(blocks.end[index + 1 : after] > end)
    return index + 1 + int(outside[0]) if len(outside) else max(after, index + 1)


def _find_rows(inside: Blocks, table: Block) -> Iterator[Span]:
    """The rows of a table, together all of it: what appears between two belongs to the first."""
    starts: list[int] = []
    end = table.span.start
    rows = inside.of_kind("row")
    for start, stop in zip(rows.start.tolist(), rows.end.tolist(), strict=True):
        # A row inside a row's cell is of a table within the table.
        if start >= end:
            starts.append(start)
            end = stop
    if starts:
        starts[0] = table.span.start
        for start, stop in zip(starts, [*starts[1:], table.span.end], strict=True):
            yield Span(start, stop)


def _kind_of(block: Block | None) -> UnitKind:
    kinds: dict[str, UnitKind] = {
        "title": "heading",
        "heading": "heading",
        "list_item": "item",
        "table": "table",
    }
    return "text" if block is None else kinds.get(block.kind, "text")


def _between(
    extraction: Extraction, lines: PlacedLines | None, start: int, end: int, inside: Block | None
) -> Iterator[Unit]:
    """The units of text that no block names, or that a block holds beside its inner ones."""
    if not extraction.text.text[start:end].strip(WHITE):
        return
    span = Span(start, end)
    if inside is not None:
        yield Unit(kind=_kind_of(inside), span=span, place=inside.place)
    elif lines is not None:
        yield from (Unit(kind="text", span=one) for one in lines.paragraphs(span))
    else:
        for one, is_heading in parted_paragraphs(extraction, span):
            yield Unit(kind="heading" if is_heading else "text", span=one)
