from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.extraction_record import from_record, to_record
from spanproof.core.documents.text_block import CellValue
from spanproof.core.errors import IntegrityError
from spanproof.core.span import Span
from tests.core.documents.layouts import level_layout, two_pages

EXTRACTION = two_pages()
RECORD = to_record(EXTRACTION)


def test_the_parts_read_back_the_same() -> None:
    again = from_record(RECORD)
    assert to_record(again) == RECORD
    assert again.extraction_id == EXTRACTION.extraction_id
    assert again.pages == EXTRACTION.pages
    assert again.originals == ((4, 0xD800),)


def test_no_layout_is_an_empty_part() -> None:
    record = to_record(replace(EXTRACTION, layout=None))
    assert record.layout == b""
    assert from_record(record).layout is None


def test_a_text_that_is_not_the_one_digested_is_refused() -> None:
    with pytest.raises(IntegrityError, match="digest"):
        from_record(replace(RECORD, text=RECORD.text.replace(b"ab", b"aB")))


def test_a_layout_of_another_text_is_refused() -> None:
    other = level_layout([(0, 3, 0, 0)], 4).to_bytes()
    with pytest.raises(IntegrityError, match="12 characters"):
        from_record(replace(RECORD, layout=other))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("pages", 0, "text_source"), "guessed"),
        (("pages", 0, "status"), "fine"),
        (("pages", 0, "number"), 2),
        (("pages", 0, "number"), True),
        (("pages", 0, "start"), 0.0),
        (("pages", 0, "end"), 8),
        (("pages", 0, "label"), 7),
        (("pages", 0, "frame", "rotation"), 45),
        (("pages", 0, "frame", "user_unit"), 0),
        (("pages", 0, "frame", "view_box"), [9, 9, 1, 1]),
        (("pages", 0, "frame", "view_box"), [0, 0, 1]),
        (("pages", 0, "counts", "characters"), -1),
        (("pages", 0, "counts", "unheard"), 1),
        (("pages",), []),
        (("pages",), None),
        (("originals",), [[99, 0]]),
        (("originals",), [["0", 0]]),
        (("originals",), [[1, 2, 3]]),
        (("doc_hash",), "sha256:AB"),
        (("doc_hash",), None),
        (("byte_length",), "5"),
        (("repaired",), None),
        (("pipeline",), {"name": "x"}),
    ],
)
def test_no_field_is_taken_on_trust(path: tuple[str | int, ...], value: Any) -> None:
    meta = json.loads(RECORD.meta)
    at: Any = meta
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    with pytest.raises(IntegrityError) as caught:
        from_record(replace(RECORD, meta=json.dumps(meta).encode()))
    assert caught.value.hint


@given(meta=st.binary(max_size=40), text=st.binary(max_size=40), layout=st.binary(max_size=80))
def test_any_other_bytes_are_refused_and_nothing_else_escapes(
    meta: bytes, text: bytes, layout: bytes
) -> None:
    for record in (
        replace(RECORD, meta=meta),
        replace(RECORD, meta=meta, text=text, layout=layout),
        replace(RECORD, layout=layout or b"x"),
    ):
        with pytest.raises(IntegrityError):
            from_record(record)


def test_cell_values_read_back_and_are_written_only_where_there_are_any() -> None:
    values = (CellValue(span=Span(0, 2), raw="0.5"), CellValue(span=Span(3, 4), moment="08:30:00"))
    record = to_record(replace(EXTRACTION, cell_values=values))
    assert from_record(record).cell_values == values
    assert from_record(record).extraction_id == EXTRACTION.extraction_id
    assert b"cell_values" not in RECORD.meta


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([[0, 2, 0.5, None]], id="a number that is no text"),
        pytest.param([[0, 2, "0.5", 7]], id="a date that is no text"),
        pytest.param([[0.0, 2, "0.5", None]], id="an offset that is no whole number"),
        pytest.param([[0, 2, "0.5"]], id="a part missing"),
        pytest.param([[0, 10_000, "0.5", None]], id="beyond the text"),
        pytest.param([[3, 4, "0.5", None], [0, 2, "0.5", None]], id="in another order"),
    ],
)
def test_cell_values_that_cannot_be_are_refused(values: list[Any]) -> None:
    meta = json.loads(RECORD.meta) | {"cell_values": values}
    with pytest.raises(IntegrityError):
        from_record(replace(RECORD, meta=json.dumps(meta).encode()))
