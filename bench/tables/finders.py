"""What finds tables on a page of a PDF: ours, pdfplumber's and PyMuPDF's, each by its own door."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bench.tables.truth import Rows, list_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.table import Table

Finder = Callable[[Path, int], list[Rows]]
_BY_TEXT = {"vertical_strategy": "text", "horizontal_strategy": "text"}


def _find_ours(path: Path, page: int) -> list[Rows]:
    from spanproof.ingest.extraction import extract

    extraction = extract(path.read_bytes(), only=frozenset({page}))
    return [to_rows(extraction, table) for table in extraction.tables]


def to_rows(extraction: Extraction, table: Table) -> Rows:
    """A table of ours as rows of words; a cell over several places stands in its first one."""
    rows = [[""] * table.column_count for _ in range(table.row_count)]
    for cell in table.cells:
        rows[cell.row - 1][cell.column - 1] = cell.words(extraction.text)
    return rows


def _by_pdfplumber(settings: Mapping[str, str]) -> Finder:
    def find(path: Path, page: int) -> list[Rows]:
        import pdfplumber

        with pdfplumber.open(path, pages=[page]) as opened:
            tables = opened.pages[0].extract_tables(dict(settings))
        return [list(list_rows(table)) for table in tables]

    return find


def _by_pymupdf(strategy: str) -> Finder:
    def find(path: Path, page: int) -> list[Rows]:
        from spanproof.ingest.engine.mupdf.library import load_pymupdf

        with load_pymupdf().open(path) as opened:
            # Without its layout model, which takes seconds for a page.
            found = opened[page - 1].find_tables(strategy=strategy, use_layout=False)
            tables = found.tables
            return [list(list_rows(table.extract())) for table in tables]

    return find


FINDERS: Mapping[str, Finder] = {
    "spanproof": _find_ours,
    "pdfplumber, lines": _by_pdfplumber({}),
    "pdfplumber, text": _by_pdfplumber(_BY_TEXT),
    "PyMuPDF, lines": _by_pymupdf("lines"),
    "PyMuPDF, text": _by_pymupdf("text"),
}
