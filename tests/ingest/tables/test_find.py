"""Tables of drawn pages and of real ones: rows, cells, headers, captions, and what goes on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bench.tables.finders import to_rows
from bench.tables.truth import Score, find_files, load_pages
from spanproof.ingest import extract
from tests.engines import needs_mupdf
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

pytestmark = needs_mupdf
_DATA = os.environ.get("SPANPROOF_TEST_DATA")
HEAD = ("Item", "2018", "2019")
ROWS = (("Revenue", "3,999", "4,512"), ("Costs", "", "1,200"), ("Profit", "2,799", "3,312"))
_COLUMNS, _RIGHT, _STEP = (60, 200, 300), 400, 24


def _draw(
    rows: tuple[tuple[str, ...], ...], *, top: float, ruled: bool, caption: str = ""
) -> bytes:
    """The rows from a height downwards; blank cells draw nothing."""
    drawn = text_at(60, top + 30, caption, size=10) if caption else b""
    for number, row in enumerate(rows):
        y = top - number * _STEP
        for x, words in zip(_COLUMNS, row, strict=True):
            drawn += text_at(x + 4, y, words, size=10) if words else b""
    low, high = top - len(rows) * _STEP + 16, top + 16
    if ruled:
        for number in range(len(rows) + 1):
            drawn += b"%d %f m %d %f l S\n" % (
                60,
                high - number * _STEP,
                _RIGHT,
                high - number * _STEP,
            )
        for x in (*_COLUMNS, _RIGHT):
            drawn += b"%d %f m %d %f l S\n" % (x, low, x, high)
    return drawn


def _tables(extraction: Extraction) -> list[list[list[str]]]:
    return [to_rows(extraction, table) for table in extraction.tables]


@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize("rotation", [0, 90])
def test_rows_and_blank_cells_are_found_with_their_headers(*, ruled: bool, rotation: int) -> None:
    page = _draw((HEAD, *ROWS), top=700, ruled=ruled, caption="Table 3: Income")
    data = build_pdf(PageSpec(content=page, entries=b"/Rotate %d" % rotation))
    extraction = extract(data)
    assert _tables(extraction) == [[list(HEAD), *map(list, ROWS)]]
    (table,) = extraction.tables
    assert table.header_rows == (1,)
    assert table.caption is not None
    assert extraction.text.slice(table.caption) == "Table 3: Income"
    cell = table.find_cell(2, 3)
    assert cell is not None
    assert [head.words(extraction.text) for head in table.column_headers(cell)] == ["2019"]
    assert [head.words(extraction.text) for head in table.row_headers(cell)] == ["Revenue"]
    blank = table.find_cell(3, 2)
    assert blank is not None
    assert blank.spans == ()
    (part,) = table.parts
    assert part.bbox is not None
    assert part.bbox.area > 20_000


def test_a_table_that_goes_on_is_one_table_and_another_is_not() -> None:
    first = _draw((HEAD, *ROWS), top=160, ruled=True)
    rest = _draw((HEAD, ("Cash", "5", "6"), ("Debt", "7", "8")), top=740, ruled=True)
    other = _draw((("Region", "North", "South"), ("Shops", "5", "6")), top=740, ruled=True)
    joined = extract(build_pdf(PageSpec(content=first), PageSpec(content=rest)))
    (table,) = joined.tables
    assert [(part.page, part.first_row, part.last_row) for part in table.parts] == [
        (1, 1, 4),
        (2, 5, 7),
    ]
    assert table.header_rows == (1, 5)
    cash = table.find_cell(6, 2)
    assert cash is not None
    assert [head.words(joined.text) for head in table.column_headers(cash)] == ["2018"]
    assert table.page_of(cash) == 2
    apart = extract(build_pdf(PageSpec(content=first), PageSpec(content=other)))
    assert len(apart.tables) == 2


def test_prose_frames_and_drawings_are_no_table() -> None:
    prose = b"".join(
        text_at(
            60, 700 - 14 * line, f"In {2000 + line} the board met and agreed on {line}.", size=10
        )
        for line in range(12)
    )
    frame = b"50 500 500 230 re S\n"
    letters = text_at(100, 300, "Interpreter", size=12)
    drawing = b"".join(b"%d 250 m %d 340 l S\n" % (x, x) for x in range(90, 180, 12))
    drawing += b"".join(b"90 %d m 180 %d l S\n" % (y, y) for y in (250, 290, 340))
    extraction = extract(build_pdf(PageSpec(content=prose + frame + letters + drawing)))
    assert extraction.tables == ()


def test_sixty_pages_are_labelled_once_each_in_whole_rows() -> None:
    pages = load_pages()
    assert len({(page.sha256, page.page) for page in pages}) == len(pages) >= 60
    for table in (table for page in pages for table in page.tables):
        assert len({len(row) for row in table}) == 1


def test_real_tables_are_near_their_truth() -> None:
    pages = load_pages("tuning")[::5]
    files = find_files(Path(_DATA, "documents", "pdf"), pages) if _DATA else {}
    if len(files) < len(pages):
        pytest.skip("needs the files of table_pages.json in SPANPROOF_TEST_DATA")
    score = Score()
    for page in pages:
        data = files[page.sha256].read_bytes()
        score.add(page.tables, _tables(extract(data, only=frozenset({page.page}))))
    assert score.right >= 0.95 * max(score.true, score.found)
