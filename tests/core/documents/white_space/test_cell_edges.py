"""Whether two cells below each other may be one name or sentence in two lines."""

from __future__ import annotations

import pytest

from spanproof.core.documents.blocks import Blocks
from spanproof.core.documents.cell_columns import TableCell
from spanproof.core.documents.table import Table, TablePart
from spanproof.core.documents.text_block import Block
from spanproof.core.documents.white_space.cell_edges import CellPair, block_cells_of
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText

Rows = list[list[str]]


def make_table(rows: Rows, *, heads: int = 0) -> tuple[Table, CanonicalText]:
    """A table, and the text of its filled cells."""
    text, cells = "", []
    for row, words in enumerate(rows, start=1):
        for column, word in enumerate(words, start=1):
            spans = (Span(len(text), len(text) + len(word)),) if word else ()
            text += f"{word}\n" if word else ""
            cells.append(TableCell(row=row, column=column, spans=spans))
    table = Table(
        number=1,
        cells=tuple(cells),
        parts=(TablePart(page=1, first_row=1, last_row=len(rows)),),
        header_rows=tuple(range(1, heads + 1)),
    )
    return table, CanonicalText.of(f"{text}\f")


def may_wrap(rows: Rows, one: tuple[int, int], other: tuple[int, int], *, heads: int = 0) -> bool:
    table, text = make_table(rows, heads=heads)
    found = table.find_cell(*one), table.find_cell(*other)
    assert found[0] is not None
    assert found[1] is not None
    return CellPair(table=table, one=found[0], other_table=table, other=found[1]).may_wrap(text)


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        pytest.param([["Rent of", ""], ["land", "5"]], 0, id="the first line without values"),
        pytest.param([["Rent of", "5"], ["land", ""]], 0, id="the last line without values"),
        pytest.param([["Total of", "Share"], ["all", "in all"]], 2, id="lines of a head"),
        pytest.param([["All that was paid", "5"], ["for land", "6"]], 0, id="a sentence"),
    ],
)
def test_a_name_or_sentence_may_go_on_in_the_row_below(rows: Rows, heads: int) -> None:
    assert may_wrap(rows, (1, 1), (2, 1), heads=heads)


@pytest.mark.parametrize(
    ("rows", "other", "heads"),
    [
        pytest.param([["Rent", "5"], ["land", "6"]], (2, 1), 0, id="two rows of values"),
        pytest.param([["2,400", ""], ["land", "6"]], (2, 1), 0, id="a value above"),
        pytest.param([["Rent", ""], ["2,400", "6"]], (2, 1), 0, id="a value below"),
        pytest.param([["Rent of", ""], ["", "land"]], (2, 2), 0, id="another column"),
        pytest.param([["Rent of", ""], ["sea", "5"], ["land", ""]], (3, 1), 0, id="one between"),
        pytest.param([["Rent of", "5"], ["land", "all"]], (2, 1), 1, id="a head and a row"),
    ],
)
def test_other_cells_are_rows_of_their_own(rows: Rows, other: tuple[int, int], heads: int) -> None:
    assert not may_wrap(rows, (1, 1), other, heads=heads)


def test_a_blank_row_between_is_none() -> None:
    assert may_wrap([["Rent of", ""], ["", "5"], ["land", ""]], (1, 1), (3, 1))


def test_cells_of_two_tables_are_in_no_common_row() -> None:
    table, text = make_table([["Rent of", ""], ["land", "5"]])
    other, _ = make_table([["Rent of", ""], ["land", "5"]])
    one, below, beside = table.find_cell(1, 1), other.find_cell(2, 1), other.find_cell(1, 2)
    assert one is not None
    assert below is not None
    assert beside is not None
    assert not CellPair(table=table, one=one, other_table=other, other=below).may_wrap(text)
    assert CellPair(table=table, one=one, other_table=other, other=beside).crossing == "row"
    assert CellPair(table=table, one=one, other_table=table, other=beside).crossing == "cell"


def test_words_behind_a_table_in_a_cell_are_of_that_cell() -> None:
    rows = [Block(kind="row", span=span) for span in (Span(0, 40), Span(2, 9))]
    spans = (Span(0, 30), Span(2, 5), Span(6, 9), Span(31, 40))
    edges = block_cells_of(Blocks.of([*rows, *(Block(kind="cell", span=span) for span in spans)]))
    assert edges is not None
    assert edges.find_crossing(5, 6) == "cell"
    assert edges.find_crossing(20, 21) is None
    assert edges.find_crossing(30, 31) == "cell"
