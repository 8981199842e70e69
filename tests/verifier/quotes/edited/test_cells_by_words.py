"""Cells found by their words are those that a look at each of them finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.table import Table, TablePart
from spanproof.verifier.quotes.edited.cells_by_words import CellsByWords
from tests.core.documents.test_block_place import make_extraction
from tests.core.documents.test_cell_columns import cells

if TYPE_CHECKING:
    from spanproof.core.documents.cell_columns import TableCell

_LETTERS = st.sampled_from(["a", "b", "1", " ", "\n", "\u00a0", "é", "\U0001f600"])


@given(
    text=st.lists(_LETTERS, min_size=60), made=st.lists(cells(), max_size=3), most=st.integers(1, 5)
)
def test_cells_are_found_by_all_of_their_words(
    text: list[str], made: list[list[TableCell]], most: int
) -> None:
    extraction = make_extraction("".join(text))
    part = TablePart(page=1, first_row=1, last_row=1)
    tables = [
        Table(number=number, cells=tuple(c for c in some if c.spans), parts=(part,))
        for number, some in enumerate(made, start=1)
        if all(span.end <= len(text) for cell in some for span in cell.spans)
    ]
    chosen = [(table, np.flatnonzero(np.arange(len(table.cells)) % 3 < 2)) for table in tables]
    forms = {cell.spans[0].start: ("0.5", "a") for table in tables for cell in table.cells[::2]}
    given_cells = [(table, table.cells[at]) for table, some in chosen for at in some.tolist()]
    found = CellsByWords(extraction, chosen, forms)
    said = [cell.words(extraction.text) for _, cell in given_cells]
    for words in {*said, "a", "ab", "0.5", "", "nowhere"}:
        expected = [
            number
            for number, (_, cell) in enumerate(given_cells)
            if words in {said[number], *forms.get(cell.spans[0].start, ())}
        ]
        assert found.find(words, most=most) == expected[:most]
        assert [found.get(number) for number in expected] == [given_cells[n] for n in expected]
    for number in range(len(given_cells)):
        table, place = found.place(number)
        assert table == tables.index(given_cells[number][0])
        assert chosen[table][0].cells[int(chosen[table][1][place])] == given_cells[number][1]
