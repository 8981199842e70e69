"""A span → the blocks it touches, or the line it begins on: its place where pages have no frame."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spanproof.core.documents.text_block import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Block, BlockKind
    from spanproof.core.span import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPlace:
    """A block that a span touches, or a stretch of plain text (kind ``text``).

    ``line`` and ``column`` (from 1, in code points) are known of plain text only.
    """

    kind: BlockKind | Literal["text"]
    span: Span
    place: Place
    name: str | None = None
    level: int | None = None
    line: int | None = None
    column: int | None = None

    @property
    def words(self) -> str:
        """The place as a person says it: ``sheet Q1, cell B4``, ``slide 3``, ``line 12``."""
        place = self.place
        said = [f"part {place.part}"] if place.part else []
        said += [f"slide {place.slide}"] if place.slide else []
        said += [f"sheet {place.sheet}"] if place.sheet else []
        # A cell of a sheet is named by its address alone, one of a table has a paragraph too.
        if place.paragraph and not (place.sheet and place.cell):
            said.append(f"paragraph {place.paragraph}")
        said += [f"cell {place.cell}"] if place.cell else []
        said += [f"line {self.line}"] if self.line else []
        return ", ".join(said)


def find_places(extraction: Extraction, span: Span) -> tuple[BlockPlace, ...]:
    """The innermost blocks that a span touches; the line of a plain text; else nothing."""
    if not extraction.blocks and extraction.layout is None:
        return (_place_in_text(extraction.text.text, span),)
    return tuple(
        BlockPlace(
            kind=block.kind,
            span=block.span,
            place=block.place or Place(),
            name=block.name,
            level=block.level,
        )
        for block in _innermost(extraction.blocks_of(span))
    )


def describe_places(places: Sequence[BlockPlace]) -> str:
    """The places in words, the first and the last of several; empty where nothing is known."""
    said = list(dict.fromkeys(words for place in places if (words := place.words)))
    return said[0] if len(said) == 1 else " to ".join([said[0], said[-1]]) if said else ""


def _innermost(blocks: Sequence[Block]) -> list[Block]:
    # Outer blocks come first: one that holds the next one is not the innermost here.
    return [
        block
        for block, inner in itertools.zip_longest(blocks, blocks[1:])
        if inner is None or inner.span.end > block.span.end
    ]


def _place_in_text(text: str, span: Span) -> BlockPlace:
    ends = [found.end() for found in _LINE_END.finditer(text, 0, span.start)]
    start = ends[-1] if ends else 0
    return BlockPlace(
        kind="text",
        span=span,
        place=Place(),
        line=len(ends) + 1,
        column=span.start - start + 1,
    )
