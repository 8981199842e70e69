"""CSV and TSV → canonical text: a row a line, its cells parted by tabs.

The delimiter is found by the file itself: the one that parts the first rows most evenly. A quoted
cell may hold line breaks and delimiters; it is shown without its quotes.
"""

from __future__ import annotations

import csv
import io
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.documents.text_block import Place
from spanproof.core.errors import BrokenDocumentError, UnsupportedMediaTypeError
from spanproof.ingest.elements.decoding import decode_declared
from spanproof.ingest.elements.partition import partition
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.writer import Rows, TextWriter, pause_collection
from spanproof.ingest.media_type import TSV

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.limits import Limits

#: In order of preference where two part the rows equally.
_DELIMITERS = ",;\t|"
_SAMPLED_ROWS = 50
#: Cells that are written at once, and rows before it is known how many they have.
_CELLS_AT_ONCE, _FIRST_ROWS = 1 << 16, 16
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
        number = 1
        for rows in _read_some(_rows(text, delimiter, limits)):
            writer.write_rows(keep_filled(rows, number), counted=True)
            number += len(rows)
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


def _read_some(rows: Iterator[list[str]]) -> Iterator[list[list[str]]]:
    """The rows, some thousand cells of them at a time."""
    count = _FIRST_ROWS
    while some := list(islice(rows, count)):
        yield some
        count = max(1, _CELLS_AT_ONCE * len(some) // (sum(map(len, some)) + len(some)))


def keep_filled(rows: Sequence[list[str]], first: int) -> Rows:
    """The cells with text, and the rows with such cells; ``first`` is the number of the first."""
    held = np.fromiter(map(len, rows), np.int64, len(rows))
    cells = list(chain.from_iterable(rows))
    filled = np.fromiter(map(bool, cells), np.bool_, len(cells))
    filled &= ~np.fromiter(map(str.isspace, cells), np.bool_, len(cells))
    numbers = np.arange(first, first + len(rows), dtype=np.int32)
    columns = np.arange(1, len(cells) + 1) - np.repeat(np.cumsum(held) - held, held)
    texts: Iterable[list[str]] = rows
    if not filled.all():
        texts = ([cell for cell in row if cell and not cell.isspace()] for row in rows)
    kept = list(filter(None, texts))
    if len(kept) < len(rows):
        numbers = numbers[np.unique(np.repeat(np.arange(len(rows)), held)[filled])]
    return Rows(texts=kept, numbers=numbers, columns=columns[filled].astype(np.int32))


def _rows(text: str, delimiter: str, limits: Limits) -> Iterator[list[str]]:
    try:
        yield from _parse(text, delimiter, limits.max_characters)
    except csv.Error as error:
        msg = f"Expected rows of cells, got a fault ({error})."
        raise BrokenDocumentError(msg, hint="Open the table and save it as CSV again.") from error


def _parse(text: str, delimiter: str, most: int) -> Iterator[list[str]]:
    # Process-wide, and only ever raised: a cell may be as long as a document.
    csv.field_size_limit(max(csv.field_size_limit(), most))
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
