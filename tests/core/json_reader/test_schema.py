from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedReceiptError
from spanproof.core.json_reader import schema
from spanproof.core.moment import write_signed_moment


class _Word(StrEnum):
    HERE = "HERE"


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HEX = "ab" * 32
HINT = "Give what was issued."
read = partial(schema.read, error=MalformedReceiptError, hint=HINT)
READERS: dict[str, tuple[schema.Read[Any], list[Any], list[Any]]] = {
    "flag": (schema.flag, [True, False], [0, 1, "true", None]),
    "integer": (
        schema.integer,
        [0, -5, 2**53 - 1, 1 - 2**53],
        [True, 2**53, -(2**53), 1.0, "1", None],
    ),
    "count": (schema.count, [0, 2**53 - 1], [-1, True, 2**53, 0.0, "0"]),
    "decimal": (
        schema.decimal,
        ["0.500000", "-12.000001", "-0.000000", "1" * 40 + ".000000"],
        [
            *("0.5", "1", ".500000", "01.000000", "1e0", "0.5000000", "+1.000000", 0.5, None),
            *("0.50000\u0660", "1" * 41 + ".000000", "0.500000\n"),
        ],
    ),
    "sha256": (schema.sha256, [HEX], [HEX.upper(), HEX[:-2], HEX + "00", f"sha256:{HEX}", None, 1]),
    "digest": (
        schema.digest,
        [f"sha256:{HEX}"],
        [HEX, f"SHA256:{HEX}", f"sha256:{HEX[:8]}", f"sha256:{HEX.upper()}", None, ["sha256:"]],
    ),
    "hexadecimal": (schema.hexadecimal(2), ["00ff"], ["00f", "00FF", "00ff00", "zzzz", None, 0]),
    "text": (
        schema.text,
        ["", "a name", "é😀", "x" * 8192],
        ["a\nb", "\x00", "\x1f", "\x7f", "\x85", "\x9f", "\u2028", "\u2029", "x" * 8193, 1, None],
    ),
    "moment": (
        schema.moment,
        ["2026-11-20T14:00:00.000Z"],
        [
            *("2026-11-20T14:00:00Z", "2026-13-20T14:00:00.000Z", "2026-11-20 14:00:00.000Z"),
            *("2026-11-20T14:00:00.000+00:00", None, 5),
        ],
    ),
    "constant": (schema.constant(1), [1], [True, "1", 2, 1.0, None]),
    "constant word": (schema.constant("v1"), ["v1"], ["v2", "V1", None, 1]),
    "one_of": (schema.one_of(_Word), ["HERE"], ["here", "", None, 1, ["HERE"]]),
    "one of words": (schema.one_of(("a", "b")), ["a", "b"], ["c", None, {}]),
    "matching": (
        schema.matching("[a-z]+", "letters"),
        ["abc", "x" * 8192],
        ["ABC", "abc\n", "", "x" * 8193, "\u0561", None],
    ),
    "nullable": (schema.nullable(schema.count), [None, 0], ["", False]),
    "array": (schema.array(schema.count), [[], [1, 2]], [[1, -1], (1,), {}, None]),
    "array of two": (schema.array(schema.count, size=2), [[1, 2]], [[], [1], [1, 2, 3], None]),
    "table": (schema.table(schema.count), [{}, {"a": 1}], [{"a": -1}, {"a\n": 1}, [], None]),
    "plain": (
        schema.plain(a=schema.count),
        [{"a": 1}],
        [{}, {"a": 1, "b": 2}, {"b": 1}, {"a": -1}, [], None],
    ),
}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_its_own_kind(name: str) -> None:
    reader, good, _ = READERS[name]
    for value in good:
        read(reader, value, what="a test")


@pytest.mark.parametrize("name", READERS)
def test_a_reader_refuses_every_other_kind(name: str) -> None:
    reader, _, bad = READERS[name]
    for value in bad:
        with pytest.raises(MalformedReceiptError):
            read(reader, value, what="a test")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    )
)
def test_no_value_makes_a_reader_fail_otherwise(value: Any) -> None:
    for reader, _, _ in READERS.values():
        try:
            read(reader, value, what="a test")
        except MalformedReceiptError as error:
            # No more than a line, whatever a forger wrote.
            assert error.message.isprintable()  # noqa: PT017 - or no error at all
            assert len(error.message) < 400  # noqa: PT017


def test_values_come_out_typed() -> None:
    assert read(schema.digest, f"sha256:{HEX}", what="") == Digest(HEX)
    assert read(schema.hexadecimal(2), "00ff", what="") == b"\x00\xff"
    assert read(schema.one_of(_Word), "HERE", what="") is _Word.HERE
    assert read(schema.array(schema.count), [1, 2], what="") == (1, 2)
    assert read(schema.matching("[a-z]+", "letters"), "x" * 8192, what="") == "x" * 8192
    assert read(schema.constant("v1"), "v1", what="") == "v1"
    assert read(schema.text, "a name", what="") == "a name"
    assert read(schema.flag, value=True, what="") is True
    assert read(schema.flag, value=False, what="") is False
    assert read(schema.integer, -5, what="") == -5
    assert read(schema.count, 5, what="") == 5
    assert read(schema.decimal, "0.500000", what="") == "0.500000"
    assert read(schema.table(schema.count), {"a": 1}, what="") == {"a": 1}
    assert read(schema.plain(a=schema.count), {"a": 1}, what="") == {"a": 1}
    maybe = schema.nullable(schema.count)
    assert (read(maybe, None, what=""), read(maybe, 5, what="")) == (None, 5)
    moment = read(schema.moment, "2026-11-20T14:00:00.123Z", what="")
    assert moment == datetime(2026, 11, 20, 14, 0, 0, 123_000, tzinfo=UTC)


def test_the_place_of_a_mismatch_is_named() -> None:
    reader = schema.plain(rows=schema.array(schema.table(schema.plain(n=schema.count))))
    with pytest.raises(MalformedReceiptError, match="at /rows/1/x/n of the thing, got -1"):
        read(reader, {"rows": [{}, {"x": {"n": -1}}]}, what="the thing")
    with pytest.raises(MalformedReceiptError, match="a field 'n' at /rows/0/x of"):
        read(reader, {"rows": [{"x": {}}]}, what="the thing")
    with pytest.raises(MalformedReceiptError, match=r"no other field at / of .*, got 'more'"):
        read(reader, {"rows": [], "more": 1}, what="the thing")


def test_what_is_wrong_is_said_in_words() -> None:
    pair = schema.plain(a=schema.count, b=schema.count)
    for reader, value, words in (
        (pair, {}, "a field 'a' at / of the thing, got None."),
        (pair, {"a": 1}, "a field 'b' at / of the thing, got None."),
        (pair, {"a": 1, "b": 2, "d": 3, "c": 4}, "no other field at / of the thing, got 'c'."),
        (pair, [1, 2], "an object at / of the thing, got an array of 2."),
        (schema.table(schema.count), 5, "an object at / of the thing, got 5."),
        (schema.array(schema.count), {}, "an array at / of the thing, got an object."),
        (schema.array(schema.count, size=2), [1], "an array of 2 at / of the thing, got an array"),
        (schema.constant(1), True, "1 at / of the thing, got True."),
        (schema.matching("[a-z]+", "letters"), 5, "letters at / of the thing, got 5."),
        (schema.matching("[a-z]+", "letters"), "x" * 8193, "letters at / of the thing, got 'x"),
        (schema.constant("v1"), "v2", "\"v1\" at / of the thing, got 'v2'."),
        (schema.one_of(("a", "b")), "c", "one of a, b at / of the thing, got 'c'."),
        (schema.matching("[a-z]+", "letters"), "1", "letters at / of the thing, got '1'."),
        (schema.hexadecimal(2), "0", "4 lower-case hexadecimal digits at /"),
    ):
        with pytest.raises(MalformedReceiptError) as caught:
            read(reader, value, what="the thing")
        assert caught.value.message.startswith(f"Expected {words}")
        assert caught.value.hint == HINT


def test_what_is_shown_has_80_characters_at_most() -> None:
    # The quotes count too.
    for length, shown in ((78, repr("y" * 78)), (79, "'" + "y" * 76 + "...")):
        with pytest.raises(MalformedReceiptError) as caught:
            read(schema.flag, "y" * length, what="a test")
        assert caught.value.message.endswith(f", got {shown}.")


def test_a_message_shows_little_of_what_was_forged() -> None:
    for value, shown in (("y" * 500, "..."), ({"a": 1}, "an object"), ([1], "an array")):
        with pytest.raises(MalformedReceiptError, match=shown) as caught:
            read(schema.flag, value, what="a test")
        assert len(caught.value.message) < 200
    with pytest.raises(MalformedReceiptError) as caught:
        read(schema.flag, "\x1b[31mred\u202e", what="a test")
    assert caught.value.message.isascii()


@given(st.integers(10**13, 10**17).map(lambda n: EPOCH + timedelta(microseconds=n)))
def test_a_moment_is_read_as_it_was_written_to_the_millisecond(moment: datetime) -> None:
    found = read(schema.moment, write_signed_moment(moment), what="")
    assert timedelta(0) <= moment - found < timedelta(milliseconds=1)


def test_an_object_of_known_fields_may_leave_some_out() -> None:
    reader: schema.Read[dict[str, Any]] = schema.known(
        dict, "name", name=schema.text, size=schema.count
    )
    assert read(reader, {"name": "a"}, what="") == {"name": "a"}
    assert read(reader, {"name": "a", "size": 2}, what="") == {"name": "a", "size": 2}
    with pytest.raises(MalformedReceiptError, match=r"characters at /name of the thing, got None"):
        read(reader, {"size": 2}, what="the thing")
    with pytest.raises(MalformedReceiptError, match="one of name, size at /more of the thing"):
        read(reader, {"name": "a", "more": 1}, what="the thing")
    with pytest.raises(MalformedReceiptError, match="an object at / of the thing"):
        read(reader, [], what="the thing")


def test_fields_picked_from_an_object_are_null_where_it_lacks_them() -> None:
    reader: schema.Read[dict[str, Any]] = schema.picked(
        dict, name=schema.text, size=schema.nullable(schema.count)
    )
    assert read(reader, {"name": "a", "more": 1}, what="") == {"name": "a", "size": None}
    with pytest.raises(MalformedReceiptError, match="at /size of the thing, got -1"):
        read(reader, {"name": "a", "size": -1}, what="the thing")
    with pytest.raises(MalformedReceiptError, match="an object at / of the thing"):
        read(reader, None, what="the thing")
