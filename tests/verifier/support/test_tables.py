"""The rows of a table, made when they are asked for, are those that a look at each block finds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.text_block import Block, Place
from spanproof.core.span import Span
from spanproof.verifier.support import tables as tables_module
from spanproof.verifier.support.tables import Row, find_header, find_table, read_rows
from tests.core.documents.test_block_place import make_extraction

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

_WORDS = st.sampled_from(["Total", "2019", "1,200", "x"])
_ADDRESSES = st.sampled_from([None, "A1", "B1", "C1", "AB12x", "b1"])


@st.composite
def tables(draw: st.DrawFn) -> tuple[Extraction, Block]:
    """A table whose cells may hold tables."""
    text = ""
    blocks: list[Block] = []

    def write(depth: int) -> None:
        nonlocal text
        begin, index = len(text), len(blocks)
        for _ in range(draw(st.integers(1, 4))):
            start, place = len(text), len(blocks)
            for _ in range(draw(st.integers(1, 3))):
                cell, at = len(text), len(blocks)
                if depth and draw(st.integers(0, 5)) == 0:
                    write(depth - 1)
                else:
                    text += draw(_WORDS)
                address = Place(cell=draw(_ADDRESSES))
                blocks.insert(at, Block(kind="cell", span=Span(cell, len(text)), place=address))
                text += "\t"
            blocks.insert(place, Block(kind="row", span=Span(start, len(text) - 1)))
            text = text[:-1] + "\n"
        text = text[:-1]
        blocks.insert(index, Block(kind="table", span=Span(begin, len(text))))

    write(1)
    return make_extraction(text + "\f", *blocks), blocks[0]


def list_rows(extraction: Extraction, table: Block) -> list[Row]:
    """The same by a look at every block."""
    inside = [b for b in list(extraction.blocks)[1:] if table.span.contains(b.span)]
    nested = [b.span for b in inside if b.kind == "table"]
    own = [b for b in inside if not any(n.contains(b.span) and n != b.span for n in nested)]
    rows = []
    for row in own:
        if row.kind == "row" and row.span not in nested:
            held = [b for b in own if b.kind == "cell" and row.span.contains(b.span)]
            named = [re.match(r"[A-Z]+(?=\d)", (b.place and b.place.cell) or "") for b in held]
            cells = {
                found.group() if found else str(at): cell.span
                for at, (cell, found) in enumerate(zip(held, named, strict=True))
            }
            rows.append(Row(span=row.span, cells=cells))
    return rows


def look_for_header(extraction: Extraction, rows: list[Row], cited: int) -> int | None:
    for index in range(cited - 1, -1, -1):
        if (index == 0 or len(rows[index - 1].cells) < 2) and len(rows[index].cells) > 1:
            words = [extraction.text.slice(cell) for cell in rows[index].cells.values()]
            if not any(map(tables_module._is_value, words)):
                return index
    return None


@given(made=tables(), at=st.integers(0, 60), length=st.integers(0, 9))
def test_rows_are_those_found_by_a_look_at_each_block(
    made: tuple[Extraction, Block], at: int, length: int
) -> None:
    extraction, table = made
    rows, expected = read_rows(extraction, table), list_rows(extraction, table)
    assert list(rows) == expected
    assert rows[1:] == expected[1:]
    span = Span(at, at + length)
    assert rows.touched(span) == [n for n, r in enumerate(expected) if r.span.overlaps(span)]
    for cited in range(len(expected)):
        assert find_header(extraction, rows, cited) == look_for_header(extraction, expected, cited)
    held = [b for b in extraction.blocks if b.kind == "table" and b.span.contains(span)]
    assert find_table(extraction.blocks, span) == (held[-1] if held else None)
