"""CSV and TSV: rows and cells, whatever parts them."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.digest import Digest
from spanproof.core.documents.cell_address import name_cell
from spanproof.core.documents.document import Document, Pipeline
from spanproof.core.documents.text_block import Place
from spanproof.core.errors import EmptyDocumentError, UnsupportedMediaTypeError
from spanproof.ingest import extract
from spanproof.ingest.elements.delimited import find_delimiter, keep_filled
from spanproof.ingest.elements.writer import TextWriter
from spanproof.ingest.limits import Limits
from tests.ingest.elements.blocks import block_of, of_kind, read

PIPELINE = Pipeline(name="test@1", config_json="{}")
CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=8)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_file_itself_tells_its_delimiter(delimiter: str) -> None:
    rows = ["name,of;it", "year", "total"], ["rent", "2026", "1.200,50"], ["gas", "2027", ""]
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    extraction = read(stream.getvalue().encode(), "a.csv")
    assert extraction.text.text == ("name,of;it\tyear\ttotal\nrent\t2026\t1.200,50\ngas\t2027\f")
    place = block_of(extraction, "1.200,50").place
    assert place is not None
    assert place.cell == "C2"
    assert extraction.pipeline.name == "unstructured-csv@0.27.32+canon-1"


def test_a_quoted_cell_may_hold_line_breaks_and_quotes() -> None:
    extraction = read(b'a,b\n"two\nlines, ""quoted""",c\n', "a.csv")
    assert of_kind(extraction, "cell") == ["a", "b", 'two\nlines, "quoted"', "c"]


def test_a_tsv_is_parted_by_tabs_alone() -> None:
    extraction = read(b"a,b\tc\nd\te\n", "a.tsv")
    assert extraction.text.text == "a,b\tc\nd\te\f"
    assert extraction.pipeline.name == "unstructured-tsv@0.27.32+canon-1"


def test_a_declared_encoding_is_decoded_strictly() -> None:
    data = "name;Größe\na;5".encode("cp1252")
    with pytest.raises(UnsupportedMediaTypeError) as caught:
        extract(data, filename="a.csv", media_type="text/csv; charset=utf-8")
    assert caught.value.hint == "Convert the file to UTF-8, or declare its charset."
    declared = extract(data, filename="a.csv", media_type="text/csv; charset=windows-1252")
    assert declared.text.text == "name\tGröße\na\t5\f"
    marked = extract("\ufeffname;Größe\na;5".encode("utf-16-le"), filename="a.csv")
    assert marked.text.text == declared.text.text


def test_a_table_of_nothing_is_refused() -> None:
    with pytest.raises(EmptyDocumentError):
        extract(b",,\n,,\n", filename="a.csv")


# The first reading of all loads unstructured.
@settings(deadline=None)
@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=5))
def test_cells_come_back_as_they_were_written(rows: list[list[str]]) -> None:
    if not any(cell.strip() for row in rows for cell in row):
        return
    stream = io.StringIO()
    csv.writer(stream, delimiter="\t", quoting=csv.QUOTE_ALL).writerows(rows)
    extraction = extract(stream.getvalue().encode(), filename="a.tsv")
    written = [cell for row in rows for cell in row if cell.strip()]
    assert of_kind(extraction, "cell") == written


@given(st.text(max_size=200))
def test_any_text_has_one_of_the_delimiters(text: str) -> None:
    assert find_delimiter(text) in {",", ";", "\t", "|"}


@given(
    rows=st.lists(st.lists(CELLS, max_size=5), min_size=1, max_size=12), at_once=st.integers(1, 9)
)
@settings(deadline=None)
def test_rows_read_at_once_are_the_rows_read_one_by_one(
    rows: list[list[str]], at_once: int
) -> None:
    limits = Limits()
    one, all_ = TextWriter(limits=limits), TextWriter(limits=limits)
    with all_.nest("table", place=Place()):
        number = 1
        for start in range(0, len(rows), at_once):
            some = rows[start : start + at_once]
            all_.write_rows(keep_filled(some, number), counted=True)
            number += len(some)
    with one.nest("table", place=Place()):
        for number, row in enumerate(rows, start=1):
            with one.nest("row", place=Place(paragraph=number)):
                separator = "\n"
                for column, cell in enumerate(row, start=1):
                    place = Place(cell=name_cell(column, number))
                    if cell.strip():
                        one.write(cell, "cell", place=place, separator=separator)
                        separator = "\t"
    document = Document(doc_hash=Digest.of(b""), media_type="text/csv", byte_length=0)
    if not any(cell.strip() for row in rows for cell in row):
        with pytest.raises(EmptyDocumentError):
            all_.finish(document, PIPELINE)
        return
    found, expected = (writer.finish(document, PIPELINE) for writer in (all_, one))
    assert found.text.text == expected.text.text
    assert found.blocks == expected.blocks
    assert found.layout is not None
    assert expected.layout is not None
    assert found.layout.flags.tolist() == expected.layout.flags.tolist()
