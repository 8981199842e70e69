"""Cells by columns are found as they are by a look at each of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.cell_columns import CellColumns, TableCell
from spanproof.core.span import Span


@st.composite
def cells(draw: st.DrawFn) -> list[TableCell]:
    """Cells whose stretches of text follow each other, in any order of places."""
    made, at = [], 0
    for _ in range(draw(st.integers(0, 12))):
        spans = []
        for length in draw(st.lists(st.integers(1, 4), max_size=2)):
            spans.append(Span(at, at + length))
            at += length + draw(st.integers(0, 2))
        numbers = [draw(st.integers(1, 5)) for _ in range(4)]
        row, column, rows, columns = numbers
        made.append(
            TableCell(row=row, column=column, spans=tuple(spans), rows=rows, columns=columns)
        )
    return draw(st.permutations(made))


@given(made=cells(), start=st.integers(0, 40), length=st.integers(0, 20))
def test_cells_are_found_as_by_a_look_at_each(
    made: list[TableCell], start: int, length: int
) -> None:
    found = CellColumns.of(made)
    assert found == made
    assert list(found) == made
    assert found[1:4] == tuple(made[1:4])
    span = Span(start, start + length)
    met = sorted(
        (each.start, cell.row, cell.column)
        for cell in made
        for each in cell.spans
        if each.start < span.end and span.start < each.end
    )
    assert {(cell.row, cell.column) for cell in found.touching(span)} == {m[1:] for m in met}
    places = [(cell.row, cell.column) for cell in found.touching(span)]
    assert places == sorted(places)
    by_place = {
        (row, column): cell
        for cell in made
        for row in range(cell.row, cell.row + cell.rows)
        for column in range(cell.column, cell.column + cell.columns)
    }
    for row in range(1, 11):
        for column in range(1, 11):
            assert found.find(row, column) == by_place.get((row, column))
    assert found.row_count == max((row for row, _ in by_place), default=0)
    assert found.column_count == max((column for _, column in by_place), default=0)
