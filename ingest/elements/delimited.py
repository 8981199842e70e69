"""CSV and TSV → canonical text: a row a line, its cells parted by tabs.

The delimiter is found by the file itself: the one that parts the first rows most evenly. A quoted
cell may hold line breaks and delimiters; it is shown without its quotes.
"""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import TYPE_CHECKING

from spanproof.core.documents.text_block import Place
from spanproof.core.errors import BrokenDocumentError, UnsupportedMediaTypeError
from spanproof.ingest.elements.decoding import decode_declared
from spanproof.ingest.elements.partition import partition
from spanproof.ingest.elements.piece import name_cell
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.writer import Cell, TextWriter, pause_collection
from spanproof.ingest.media_type import TSV

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.limits import Limits

#: In order of preference where two part the rows equally.
_DELIMITERS = ",;\t|"
_SAMPLED_ROWS = 50
#: pandas would take longer than the document's time; a table of rows has no other kinds anyway.
_MOST_COMPARED = 2 << 20


@pause_collection()
def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a table; raise ExtractionError if it is not what was declared or a row is malformed."""
    text, guess = decode_declared(data, charset)
    if "\x00" in text:
        msg = f"Expected text, got binary data (NUL at character {text.index(chr(0))})."
        raise UnsupportedMediaTypeError(msg, hint="Save the table as CSV again.")
    delimiter = "\t" if document.media_type == TSV else find_delimiter(text)
    writer = TextWriter(limits=limits)
    with writer.nest("table", place=Place()):
        for number, row in enumerate(_rows(text, delimiter, limits), start=1):
            writer.write_row(
                [
                    Cell(cell, Place(cell=name_cell(column, number)))
                    for column, cell in enumerate(row, start=1)
                    if cell and not cell.isspace()
                ],
                Place(paragraph=number),
            )
    problem = guess.problem if guess is not None else None
    if problem is None and len(data) <= _MOST_COMPARED:
        reading = partition(document.media_type, text.encode("utf-8", "replace"))
        problem = reading.find_problem(writer.page_text())
    writer.end_page(status="ok" if problem is None else "degraded", problem=problem)
    name = "tsv" if document.media_type == TSV else "csv"
    pipeline = unstructured_pipeline(name)
    return writer.finish(document, pipeline if guess is None else guess.mark(pipeline))


def find_delimiter(text: str) -> str:
    """The delimiter that gives most of the first rows the same number of cells, more than one."""
    best, best_score = _DELIMITERS[0], 0.0
    for delimiter in _DELIMITERS:
        try:
            rows = [row for row in islice(_parse(text, delimiter, len(text)), _SAMPLED_ROWS) if row]
        except csv.Error:
            continue
        widths = [len(row) for row in rows]
        common = max(set(widths), key=lambda width: (widths.count(width), width), default=1)
        score = widths.count(common) / len(widths) * (common > 1) if widths else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _rows(text: str, delimiter: str, limits: Limits) -> Iterable[list[str]]:
    try:
        yield from _parse(text, delimiter, limits.max_characters)
    except csv.Error as error:
        msg = f"Expected rows of cells, got a fault ({error})."
        raise BrokenDocumentError(msg, hint="Open the table and save it as CSV again.") from error


def _parse(text: str, delimiter: str, most: int) -> Iterator[list[str]]:
    # Process-wide, and only ever raised: a cell may be as long as a document.
    csv.field_size_limit(max(csv.field_size_limit(), most))
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
