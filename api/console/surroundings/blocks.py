"""The blocks around a span, rendered by us: headings, paragraphs, lists, tables, header fields.

Nothing of the document's own markup is used, so nothing of it can run or load: what is shown is
the canonical text in our own elements, and what is marked are the offsets that were checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanproof.api.console.surroundings.pieces import Words, cut_words
from spanproof.core.documents.blocks import Blocks
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.api.console.surroundings.pieces import Room
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Block

#: The parts of a message that hold its own header fields (EML, MSG).
_MESSAGE_PARTS = frozenset({"0", "header"})
#: Blocks, inner ones too, that one window shows.
_MOST_NODES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A block with its words, or with the blocks inside it; ``level`` counts from 1."""

    kind: str
    words: Words | None = None
    inner: tuple[Node, ...] = ()
    level: int = 1
    name: str | None = None
    rows: int = 1
    columns: int = 1
    is_head: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """Blocks in reading order; ``fields`` are the header fields of the message around them."""

    label: str | None
    fields: tuple[Node, ...]
    nodes: tuple[Node, ...]
    is_cut_before: bool
    is_cut_after: bool


class _Entry:
    """A block and the blocks inside it, while they are gathered."""

    __slots__ = ("block", "inner")

    def __init__(self, block: Block) -> None:
        self.block = block
        self.inner: list[_Entry] = []


def make_rendering(extraction: Extraction, marks: Sequence[Span], room: Room) -> Rendering | None:
    """The blocks around the first of the spans; None for a text without blocks."""
    if not extraction.blocks:
        return None
    first = marks[0]
    page = extraction.page_at(first.start)
    fields = _find_fields(extraction, first)
    own = [block.span.end for block in fields if _part_of(block) in _MESSAGE_PARTS]
    begin = max([page.span.start, *own])
    window = Span(
        max(begin, first.start - room.characters),
        max(begin, min(page.span.end, first.end + room.characters)),
    )
    entries, window = _gather(extraction.blocks, window)
    desk = _Desk(extraction, marks, room, window)
    shown_start = min([window.start, *(entry.block.span.start for entry in entries)])
    shown_end = max([window.end, *(entry.block.span.end for entry in entries)])
    text = extraction.text.text
    return Rendering(
        label=page.label,
        fields=tuple(map(desk.make_leaf, fields)),
        nodes=tuple(desk.make_nodes(entries, window)),
        is_cut_before=bool(text[begin:shown_start].strip()),
        is_cut_after=bool(text[shown_end : page.span.end].strip()),
    )


def _part_of(block: Block) -> str:
    return (block.place and block.place.part) or ""


def _find_fields(extraction: Extraction, span: Span) -> list[Block]:
    """The header fields of the message, and of the messages inside it that have the span."""
    part = next((part for b in extraction.blocks_of(span) if (part := _part_of(b))), "")
    return [
        block
        for block in Blocks.of(extraction.blocks).of_kind("header")
        if block.name
        and (each := _part_of(block))
        and (each in _MESSAGE_PARTS or part.startswith(f"{each}."))
    ]


def _gather(blocks: Sequence[Block], window: Span) -> tuple[list[_Entry], Span]:
    """The blocks that touch the window as trees, and of a table that does the first row too.

    The window ends earlier where there are more blocks than are shown.
    """
    roots: list[_Entry] = []
    open_: list[_Entry] = []
    head_end, awaits_row, count = -1, False, 0
    for block in _near(Blocks.of(blocks), window):
        if count == _MOST_NODES:
            return roots, Span(window.start, max(window.start, block.span.start))
        if block.kind == "table":
            awaits_row = block.span.end > window.start
        elif block.kind == "row" and awaits_row:
            head_end, awaits_row = block.span.end, False
        if head_end < block.span.end <= window.start:
            continue
        while open_ and not open_[-1].block.span.contains(block.span):
            open_.pop()
        entry = _Entry(block)
        (open_[-1].inner if open_ else roots).append(entry)
        open_.append(entry)
        count += 1
    return roots, window


def _near(blocks: Blocks, window: Span) -> Iterator[Block]:
    """The blocks that touch the window or start in it, and those up to each table's first row."""
    before = blocks[: blocks.count_before(window.end)]
    tables = np.flatnonzero(before.is_kind("table") & (before.end > window.start))
    rows = np.flatnonzero(before.is_kind("row"))
    kept = before.end > window.start
    for table in tables.tolist():
        at = int(np.searchsorted(rows, table))
        if at < len(rows):
            kept[table : before.count_before(int(before.end[rows[at]]))] = True
    return iter(before.take(kept))


@dataclass(frozen=True, slots=True)
class _Desk:
    """What all nodes of a rendering share."""

    extraction: Extraction
    marks: Sequence[Span]
    room: Room
    window: Span

    def make_nodes(self, entries: Sequence[_Entry], outer: Span) -> Iterator[Node]:
        """Nodes in order; characters of the window that no block has stand between them."""
        at = outer.start
        for entry in entries:
            yield from self._fill(Span(at, max(at, entry.block.span.start)))
            yield self.make_node(entry)
            at = max(at, entry.block.span.end)
        yield from self._fill(Span(at, max(at, outer.end)))

    def make_node(self, entry: _Entry) -> Node:
        if not entry.inner:
            return self.make_leaf(entry.block)
        inner = tuple(self.make_nodes(entry.inner, entry.block.span))
        return self._describe(entry.block, inner=inner)

    def make_leaf(self, block: Block) -> Node:
        return self._describe(
            block, words=cut_words(self.extraction, block.span, self.marks, self.room)
        )

    def _describe(
        self, block: Block, *, words: Words | None = None, inner: tuple[Node, ...] = ()
    ) -> Node:
        place = block.place
        return Node(
            kind=block.kind,
            words=words,
            inner=inner,
            level=min(block.level or 1, 6),
            name=block.name,
            rows=(place and place.rows) or 1,
            columns=(place and place.columns) or 1,
            is_head=bool(place and place.header),
        )

    def _fill(self, gap: Span) -> Iterator[Node]:
        part = gap.intersection(self.window) if gap.overlaps(self.window) else None
        if part is not None and self.extraction.text.slice(part).strip():
            yield Node(kind="other", words=cut_words(self.extraction, part, self.marks, self.room))
