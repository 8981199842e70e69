"""Blocks by columns are the blocks that they were made of, wherever they were kept."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.blocks import COLUMNS, KINDS, Blocks
from spanproof.core.documents.cell_address import name_cell, split_address
from spanproof.core.documents.extraction_record import from_record, to_record
from spanproof.core.documents.text_block import Block, Place
from spanproof.core.errors import IntegrityError
from spanproof.core.span import Span
from tests.core.documents.test_block_place import make_extraction

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

TEXT = "Title\na\tb\nc\td\f" * 3
_WORDS = st.sampled_from(["1.2", "Q1", "", "ü", "table"])
_COUNTS = st.none() | st.integers(0, 2**31 - 1)
_ADDRESSES = st.sampled_from(
    ["B4", "AA10", "XFD1048576", "B04", "$B$4", "b4", "A0", "", "A9999999999"]
)
_PLACES = st.builds(
    Place,
    part=st.none() | _WORDS,
    slide=_COUNTS,
    sheet=st.none() | _WORDS,
    cell=st.none() | _ADDRESSES,
    paragraph=_COUNTS,
    rows=_COUNTS,
    columns=_COUNTS,
    header=st.none() | st.booleans(),
)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    start = draw(st.integers(0, len(TEXT)))
    return Span(start, draw(st.integers(start, len(TEXT))))


_BLOCKS = st.builds(
    Block,
    kind=st.sampled_from(KINDS),
    span=spans(),
    level=_COUNTS,
    name=st.none() | _WORDS,
    place=st.none() | _PLACES,
)


@st.composite
def blocks(draw: st.DrawFn) -> tuple[Block, ...]:
    """Any blocks in their order."""
    some = draw(st.lists(_BLOCKS, max_size=12))
    return tuple(sorted(some, key=lambda block: (block.span.start, -block.span.end)))


def old_form(extraction: Extraction) -> bytes:
    """The record of an earlier release: a row a block."""
    meta = json.loads(to_record(extraction).meta)
    names = [field.name for field in fields(Place)]
    meta["blocks"] = [
        [
            block.kind,
            block.span.start,
            block.span.end,
            block.level,
            block.name,
            None
            if block.place is None
            else {n: v for n in names if (v := getattr(block.place, n)) is not None},
        ]
        for block in extraction.blocks
    ]
    return json.dumps(meta).encode()


@given(made=blocks())
def test_blocks_that_were_kept_are_the_plain_ones(made: tuple[Block, ...]) -> None:
    extraction = make_extraction(TEXT, *made)
    assert extraction.blocks == made
    assert tuple(extraction.blocks) == made
    record = to_record(extraction)
    again = from_record(record)
    assert again.blocks == made
    assert to_record(again) == record
    beside: list[bytes] = []
    assert from_record(to_record(extraction, beside), beside).blocks == made
    assert from_record(replace(record, meta=old_form(extraction))).blocks == made


@given(made=blocks(), span=spans(), kind=st.sampled_from(KINDS), cut=st.slices(12))
def test_blocks_are_asked_for_as_plain_ones_are(
    made: tuple[Block, ...], span: Span, kind: Any, cut: slice
) -> None:
    found = Blocks.of(made)
    assert found.touching(span) == [b for b in made if b.span.overlaps(span)]
    assert found.holding(span) == [b for b in made if b.span.contains(span)]
    assert found.of_kind(kind, "cell") == [b for b in made if b.kind in {kind, "cell"}]
    assert found.count_before(span.start) == sum(b.span.start < span.start for b in made)
    assert found[cut] == made[cut]
    assert list(reversed(found)) == list(reversed(made))
    assert [found[index] for index in range(-len(made), len(made))] == [*made, *made]
    assert found.are_ordered
    assert found.reach == max((b.span.end for b in made), default=0)
    with pytest.raises(IndexError):
        _ = found[len(made)]


def test_blocks_in_another_order_or_beyond_the_text_are_refused() -> None:
    one, other = (Block(kind="cell", span=Span(at, at + 2)) for at in (0, 3))
    make_extraction(TEXT, one, other)
    for refused in ((other, one), (Block(kind="cell", span=Span(0, 1)), one)):
        with pytest.raises(IntegrityError, match="ordered"):
            make_extraction(TEXT, *refused)
    with pytest.raises(IntegrityError, match="inside"):
        make_extraction(TEXT, Block(kind="cell", span=Span(0, len(TEXT) + 1)))


SAMPLE = make_extraction(
    TEXT,
    Block(kind="table", span=Span(0, 14), place=Place(sheet="Q1")),
    Block(kind="cell", span=Span(0, 5), place=Place(sheet="Q1", cell="A1", rows=2)),
    Block(kind="cell", span=Span(6, 7), place=Place(sheet="Q1", cell="$B$1", header=True)),
    Block(kind="heading", span=Span(15, 20), level=2, name="x"),
)
RAW: dict[str, Any] = json.loads(to_record(SAMPLE).meta)["blocks"]


@pytest.mark.parametrize(
    "change",
    [
        {"count": 5},
        {"count": 3},
        {"count": 0},
        {"count": 1 << 60},
        {"count": True},
        {"count": "4"},
        {"kinds": ["cell"]},
        {"kinds": ["poem", *RAW["kinds"][1:]]},
        {"words": []},
        {"words": ["Q1", 7, "x"]},
        {"columns": {}},
        {"columns": []},
        {"columns": RAW["columns"] | {"colour": 1}},
        *({"columns": RAW["columns"] | {name: -2}} for name in COLUMNS),
        *({"columns": RAW["columns"] | {name: 1 << 31}} for name in COLUMNS),
        *({"columns": RAW["columns"] | {name: 1.5}} for name in COLUMNS),
        *({"columns": RAW["columns"] | {name: True}} for name in COLUMNS),
        *({"columns": RAW["columns"] | {name: None}} for name in COLUMNS),
        *({"columns": RAW["columns"] | {name: [0]}} for name in COLUMNS),
        *({"columns": RAW["columns"] | {name: "AAAA"}} for name in COLUMNS),
        *({"columns": RAW["columns"] | {name: "."}} for name in COLUMNS),
        {"columns": RAW["columns"] | {"start": 0}},
        {"columns": RAW["columns"] | {"end": 0}},
        {"columns": RAW["columns"] | {"placed": 0}},
        {"columns": RAW["columns"] | {"sheet": 99}},
        {"columns": RAW["columns"] | {"row": 0, "column": 99}},
        {"columns": RAW["columns"] | {"row": 0, "column": -1}},
        {"columns": RAW["columns"] | {"row": 1, "column": -1}},
        {"columns": RAW["columns"] | {"row": -1, "column": 1}},
    ],
    ids=str,
)
def test_columns_that_cannot_be_are_refused(change: dict[str, Any]) -> None:
    record = to_record(SAMPLE)
    meta = json.loads(record.meta) | {"blocks": RAW | change}
    with pytest.raises(IntegrityError):
        from_record(replace(record, meta=json.dumps(meta).encode()))


@pytest.mark.parametrize("part", [b"", b"x", b"\x00" * 12, b"\x00" * 20, b"\xfe" * 16])
def test_columns_beside_the_record_are_not_taken_on_trust(part: bytes) -> None:
    beside: list[bytes] = []
    record = to_record(SAMPLE, beside)
    assert from_record(record, beside).blocks == SAMPLE.blocks
    for at in range(len(beside)):
        with pytest.raises(IntegrityError):
            from_record(record, [*beside[:at], part, *beside[at + 1 :]])
        with pytest.raises(IntegrityError):
            from_record(record, beside[:at])


def test_a_column_that_claims_a_gigabyte_is_not_unpacked() -> None:
    many = make_extraction(
        TEXT, *(Block(kind="cell", span=Span(at, at + 1)) for at in range(len(TEXT)))
    )
    record = to_record(many)
    meta = json.loads(record.meta)
    meta["blocks"]["count"] = 1 << 27
    with pytest.raises(IntegrityError):
        from_record(replace(record, meta=json.dumps(meta).encode()))


def test_what_all_blocks_share_takes_no_room() -> None:
    many = Blocks.of(Block(kind="cell", span=Span(at, at + 1)) for at in range(1000))
    alike = {name for name in COLUMNS if not any(getattr(many, name).strides)}
    assert alike == set(COLUMNS) - {"start", "end"}
    some = many.take(np.arange(5, 9))
    assert some == list(many)[5:9]
    assert {name for name in COLUMNS if not any(getattr(some, name).strides)} == alike


@given(column=st.integers(1, 20_000), row=st.integers(1, 10**9 - 1))
def test_an_address_is_its_row_and_column(column: int, row: int) -> None:
    assert split_address(name_cell(column, row)) == (row, column)


@pytest.mark.parametrize("address", ["", "B", "4", "B0", "B04", "b4", "$B$4", "B4 ", "Ä4", "B٤"])
def test_another_word_is_no_address(address: str) -> None:
    assert split_address(address) is None


def test_a_child_hands_over_no_packed_column() -> None:
    """A few packed bytes may claim to be gigabytes."""
    packed = to_record(SAMPLE)
    assert from_record(packed).blocks == SAMPLE.blocks
    with pytest.raises(IntegrityError):
        from_record(packed, [])
