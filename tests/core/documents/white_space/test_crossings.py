"""White space that parts cells or rows on drawn pages, and white space inside one cell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spanproof.core.documents.white_space.crossings import find_crossing, find_crossings
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.ingest.extraction import extract
from tests.core.documents.layouts import level_layout, two_pages
from tests.engines import ENGINES, needs_mupdf
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at, turned_text

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.white_space.cell_edges import Crossing
    from spanproof.ingest.limits import EngineName

#: Cells so close that their gaps are no wider than a blank in prose.
CLOSE = (("2018", "2019"), ("1,100", "2,200"), ("3,300", "4,400"), ("5,500", "6,600"))


def draw_grid(rows: tuple[tuple[str, ...], ...], columns: tuple[int, ...], *, step: int) -> bytes:
    """A ruled table; a line end in a cell begins a line in it, a tab stands for a wide gap."""
    drawn, top = b"", 700
    edges = [top - step * number for number in range(len(rows) + 1)]
    for y, row in zip(edges, rows, strict=False):
        for x, words in zip(columns, row, strict=False):
            for number, line in enumerate(words.split("\n")):
                for place, piece in enumerate(line.split("\t")):
                    drawn += text_at(x + 2 + 85 * place, y - 11 - 11 * number, piece, size=10)
    for y in edges:
        drawn += b"%d %d m %d %d l S\n" % (columns[0], y, columns[-1], y)
    for x in columns:
        drawn += b"%d %d m %d %d l S\n" % (x, edges[-1], x, edges[0])
    return build_pdf(PageSpec(content=drawn))


def draw(*lines: tuple[int, int, str]) -> bytes:
    """A page of pieces of text, each at a place of its own."""
    return build_pdf(PageSpec(content=b"".join(text_at(x, y, t, size=10) for x, y, t in lines)))


def draw_rows(
    rows: tuple[tuple[str, ...], ...], columns: tuple[int, ...], *, step: int = 14
) -> bytes:
    """Rows without lines between them; blank cells draw nothing."""
    return draw(
        *(
            (x, 700 - step * number, words)
            for number, row in enumerate(rows)
            for x, words in zip(columns, row, strict=True)
            if words
        )
    )


def between(extraction: Extraction, one: str, other: str) -> Crossing | None:
    """What parts two neighbours of a text."""
    text = extraction.text.text
    left = text.index(one) + len(one)
    right = text.index(other, left)
    assert not text[left:right].strip()
    return find_crossing(extraction, left, right)


@needs_mupdf
def test_cells_and_rows_of_a_found_table_are_told_apart_however_close_they_are() -> None:
    extraction = extract(draw_grid(CLOSE, (60, 92, 124), step=14))
    assert between(extraction, "1,100", "2,200") == "cell"
    assert between(extraction, "2,200", "3,300") == "row"
    inside = Span(0, extraction.text.text.index("3,300"))
    assert len(find_crossings(extraction, inside)) == 3


@needs_mupdf
def test_lines_of_one_cell_are_words() -> None:
    rows = (("Item", "Kind"), ("Number of\nCompanies", "2,200"), ("All of\nthem", "4,400"))
    extraction = extract(draw_grid(rows, (60, 140, 220), step=28))
    assert between(extraction, "Number of", "Companies") is None
    assert between(extraction, "Companies", "2,200") == "cell"


@needs_mupdf
def test_columns_that_were_found_as_one_cell_are_cells_but_stretched_blanks_are_not() -> None:
    rows = (("Name", "Kind"), ("Wine\t4711", "Red"), ("Fine and new\tlarge", "White"))
    extraction = extract(draw_grid(rows, (60, 220, 300), step=28))
    (table,) = extraction.tables
    assert table.column_count == 2
    assert between(extraction, "Wine", "4711") == "cell"
    assert between(extraction, "new", "large") is None


#: A name in two lines, which who finds tables takes for two rows.
_NAMES = (
    ("", "2018", "2019"),
    ("Wages", "1,100", "2,200"),
    ("Rent of land and", "", ""),
    ("buildings", "3,300", "4,400"),
    ("Interest", "5,500", "6,600"),
    ("Total sum of all", "", ""),
    ("Costs", "7,700", "8,800"),
    ("Tax", "", ""),
    ("Levy", "9,900", "9,100"),
)


@needs_mupdf
def test_a_name_in_two_lines_is_words_or_left_to_a_person() -> None:
    extraction = extract(draw_rows(_NAMES, (60, 200, 260)))
    (table,) = extraction.tables
    assert table.row_count == len(_NAMES)
    # "buildings" had no room in the line above, and goes on with it.
    assert between(extraction, "Rent of land and", "buildings") is None
    # "Costs" may be a row of its own.
    assert between(extraction, "Total sum of all", "Costs") == "cell"
    # "Levy" had room beside "Tax".
    assert between(extraction, "Tax", "Levy") == "row"
    assert between(extraction, "4,400", "Interest") == "row"


@pytest.mark.parametrize("engine", ENGINES)
def test_gaps_in_lines_part_cells_and_rows_where_no_table_is_found(engine: EngineName) -> None:
    rows = (("Wine", "Spain", "Verified"), ("Olives", "Greece", "Open"))
    extraction = extract(draw_rows(rows, (60, 200, 340)), engine=engine)
    assert not extraction.tables
    assert between(extraction, "Wine", "Spain") == "cell"
    assert between(extraction, "Verified", "Olives") == "row"
    assert len(find_crossings(extraction, Span(0, len(extraction.text.text)))) == 5


@pytest.mark.parametrize("engine", ENGINES)
def test_gaps_are_those_of_the_page_as_shown(engine: EngineName) -> None:
    words = ((60, "Wine", 10), (200, "Spain", 12), (340, "Verified", 10))
    drawn = b"".join(turned_text(f"0 1 -1 0 100 {x}", word, size=size) for x, word, size in words)
    extraction = extract(build_pdf(PageSpec(content=drawn, entries=b"/Rotate 90")), engine=engine)
    assert len(find_crossings(extraction, Span(0, len(extraction.text.text)))) == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_prose_and_items_are_words(engine: EngineName) -> None:
    prose = ("The supplier pays the invoice within thirty days of the", "day on which it came.")
    items = ("The goods are sent by post to the named address and", "The buyer tests them.")
    lines = [(60, 700, prose[0]), (60, 686, prose[1])]
    lines += [(60, 660, "1."), (90, 660, items[0]), (60, 646, "2."), (90, 646, items[1])]
    extraction = extract(draw(*lines), engine=engine)
    assert between(extraction, "of the", "day") is None
    assert between(extraction, "1.", "The goods") is None
    assert find_crossings(extraction, Span(0, extraction.text.text.index("1."))) == ()


@needs_mupdf
def test_names_in_one_column_that_do_not_reach_over_each_other_are_rows() -> None:
    rows = [(60, "Wages of all the workers"), (150, "Goods in"), (60, "Stores"), (60, "Levy")]
    values = [(x, value) for value in ("11", "", "33", "44") for x in (240, 300)]
    drawn = [(x, 700 - 14 * row, words) for row, (x, words) in enumerate(rows)]
    drawn += [(x, 700 - 14 * (at // 2), words) for at, (x, words) in enumerate(values) if words]
    extraction = extract(draw(*sorted(drawn, key=lambda piece: (-piece[1], piece[0]))))
    assert between(extraction, "Goods in", "Stores") == "row"


def place(*lines: tuple[float, float, str]) -> Extraction:
    """A page of lines, each letter five points wide and ten high; y is that of the base line."""
    text, runs = "", []
    for x, y, words in lines:
        runs.append((len(text), len(text) + len(words), int(x * 100), int(y * 100)))
        text += f"{words}\n"
    text = f"{text[:-1]}\f"
    page = replace(two_pages().pages[0], span=Span(0, len(text)))
    layout = level_layout(runs, len(text), width=500)
    return replace(
        two_pages(), text=CanonicalText.of(text), pages=(page,), layout=layout, originals=()
    )


def test_text_goes_on_at_the_top_of_the_next_column() -> None:
    extraction = place((60, 100, "The goods are sent to the"), (320, 700, "named address."))
    assert between(extraction, "the", "named") is None


def test_a_line_in_pieces_goes_on_as_a_whole() -> None:
    indented = (100, 700, "The paper is"), (60, 688, "to all"), (95, 688, "of us and of them.")
    assert between(place(*indented), "is", "to all") is None
    pieces = (60, 700, "The goods"), (110, 700, "that go"), (60, 688, "to us.")
    assert between(place(*pieces), "that go", "to us.") is None
    far = (60, 700, "The goods"), (150, 700, "that go"), (60, 688, "to us.")
    assert between(place(*far), "that go", "to us.") == "row"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_narrow_line_whose_blanks_are_stretched_is_prose(engine: EngineName) -> None:
    drawn = b"BT /F1 10 Tf 60 700 Td 15 Tw (for Sale to) Tj ET\n"
    drawn += b"BT /F1 10 Tf 60 686 Td 36 Tw (loans and) Tj ET\n"
    extraction = extract(build_pdf(PageSpec(content=drawn)), engine=engine)
    assert between(extraction, "to", "loans") is None
