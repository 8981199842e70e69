from __future__ import annotations

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.layout import CharFlag, Layout
from spanproof.core.errors import IntegrityError
from spanproof.core.span import Span
from tests.core.documents.layouts import layouts, level_layout

ONE = level_layout([(0, 4, 0, 0), (5, 8, 0, -1500)], 9)


def _assert_same(one: Layout, other: Layout) -> None:
    for field in fields(Layout):
        ours, theirs = getattr(one, field.name), getattr(other, field.name)
        assert ours.dtype == theirs.dtype, field.name
        assert np.array_equal(ours, theirs), field.name


@given(layouts())
def test_the_stored_form_reads_back_the_same(layout: Layout) -> None:
    _assert_same(Layout.from_bytes(layout.to_bytes()), layout)


@given(layouts(), st.integers(1, 5))
def test_the_stored_form_does_not_depend_on_how_much_is_packed_at_once(
    layout: Layout, at_once: int
) -> None:
    whole = layout.to_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spanproof.core.documents.packed_numbers._STRETCH", at_once)
        assert layout.to_bytes() == whole


@given(layouts())
def test_arrays_are_read_only_also_after_unpickling(layout: Layout) -> None:
    again = pickle.loads(pickle.dumps(layout))  # noqa: S301 - our own bytes
    _assert_same(again, layout)
    for field in fields(Layout):
        assert not getattr(again, field.name).flags.writeable


@given(data=st.data(), layout=layouts())
def test_no_damaged_byte_escapes_as_another_error(data: st.DataObject, layout: Layout) -> None:
    stored = bytearray(layout.to_bytes())
    position = data.draw(st.integers(0, len(stored) - 1))
    stored[position] ^= data.draw(st.integers(1, 255))
    try:
        Layout.from_bytes(bytes(stored[: data.draw(st.integers(0, len(stored)))]))
    except IntegrityError as error:
        assert error.hint  # noqa: PT017 - reading may succeed as well


def test_a_small_part_cannot_claim_to_be_large() -> None:
    import struct
    import zlib

    bomb = zlib.compress(bytes(50_000_000), 9)
    head = struct.pack("<4sII", b"SPL1", 1, 1) + struct.pack("<11I", *([len(bomb)] * 11))
    with pytest.raises(IntegrityError, match="a column of 1 numbers"):
        Layout.from_bytes(head + bomb * 11)


@pytest.mark.parametrize(
    "change",
    [
        {"run_end": np.array([6, 8], np.int32)},
        {"run_end": np.array([4, 99], np.int32)},
        {"run_start": np.array([-1, 5], np.int32)},
        {"run_start": np.array([4, 5], np.int32)},
        {"run_x": np.zeros(1, np.int32)},
        {"flags": np.zeros(3, np.uint16)},
        {"right": np.full(9, -1, np.int32)},
        {"run_cos": np.zeros(2, np.float32)},
    ],
)
def test_columns_that_do_not_agree_are_refused(change: dict[str, np.ndarray]) -> None:
    with pytest.raises(IntegrityError):
        replace(ONE, **change)


def test_a_quad_spans_the_characters_named() -> None:
    quad = ONE.quad(0, Span(1, 3))
    assert quad is not None
    assert quad.to_list() == [10, 8, 30, 8, 30, -2, 10, -2]


def test_separators_and_boxless_characters_have_no_quad() -> None:
    assert list(ONE.runs_of(Span(4, 5))) == []
    bare = replace(ONE, right=ONE.left.copy())
    assert bare.quad(0, Span(0, 4)) is None
    assert bare.centres(Span(0, 4)) == []


@given(data=st.data(), layout=layouts())
def test_all_quads_at_once_are_those_of_each_run_to_the_bit(
    data: st.DataObject, layout: Layout
) -> None:
    start = data.draw(st.integers(0, len(layout)))
    span = Span(start, data.draw(st.integers(start, len(layout))))
    one_by_one = [layout.quad(run, span) for run in layout.runs_of(span)]
    assert layout.quads(span) == [quad for quad in one_by_one if quad is not None]


@given(start=st.integers(0, 9), length=st.integers(0, 9))
def test_the_runs_of_a_span_are_those_it_shares_a_character_with(start: int, length: int) -> None:
    span = Span(start, min(9, start + length))
    wanted = set(range(span.start, span.end))
    touched = [
        run
        for run in range(2)
        if wanted & set(range(int(ONE.run_start[run]), int(ONE.run_end[run])))
    ]
    assert list(ONE.runs_of(span)) == touched


def test_a_flag_is_found_inside_the_span_only() -> None:
    flags = ONE.flags.copy()
    flags[2] = CharFlag.INVISIBLE
    layout = replace(ONE, flags=flags)
    assert layout.any_flag(Span(2, 3), CharFlag.INVISIBLE | CharFlag.OFFPAGE)
    assert not layout.any_flag(Span(0, 2), CharFlag.INVISIBLE)
    assert not layout.any_flag(Span(0, 9), CharFlag.OFFPAGE)
