from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedReceiptError, MalformedTrustError
from spanproof.core.json_reader import strict_json
from spanproof.core.shown import show_ascii

MEGABYTE = 1 << 20


def parse(raw: bytes, **limits: Any) -> Any:
    """Read with limits that a test may change."""
    error = limits.pop("error", MalformedReceiptError)
    given = strict_json.JsonLimits(**{"max_bytes": MEGABYTE, **limits})
    return strict_json.parse(raw, what="a thing", error=error, hint="Give a thing.", limits=given)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(value=JSON, indent=st.none() | st.integers(0, 2), is_ascii=st.booleans())
def test_whatever_is_well_formed_comes_out(
    value: Any, indent: int | None, *, is_ascii: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    assert parse(text.encode("utf-8")) == value


REFUSED = {
    "empty": (b"", "not JSON"),
    "cut": (b'{"a": 1', "not JSON"),
    "two_values": (b"1 2", "not JSON"),
    "trailing_comma": (b"[1,]", "not JSON"),
    "comment": (b"[1] // one", "not JSON"),
    "single_quotes": (b"{'a': 1}", "not JSON"),
    "control_character_in_a_string": (b'"\n"', "not JSON"),
    "byte_order_mark": (b"\xef\xbb\xbf1", "not JSON"),
    "utf_16": ('{"a":1}'.encode("utf-16"), "not UTF-8"),
    "utf_32_reads_as_nul_characters": ('{"a":1}'.encode("utf-32-le"), "not JSON"),
    "latin_1": (b'"\xe9"', "not UTF-8"),
    "surrogate_in_utf_8": (b'"\xed\xa0\x80"', "not UTF-8"),
    "overlong_utf_8": (b'"\xc0\xaf"', "not UTF-8"),
    "name_twice": (b'{"a": 1, "a": 1}', "twice in one object"),
    "name_twice_escaped": (b'{"a": 1, "\\u0061": 2}', "twice in one object"),
    "name_twice_deep": (b'[{"a": [{"b": 1, "b": 2}]}]', "twice in one object"),
    "nan": (b"[NaN]", "NaN, which JSON does not have"),
    "infinity": (b"[Infinity]", "Infinity, which"),
    "minus_infinity": (b"[-Infinity]", "-Infinity, which"),
    "fraction": (b"[1.0]", "the number '1.0'"),
    "exponent": (b"[1e2]", "the number '1e2'"),
    "integer_beyond_a_double": (b"[9007199254740992]", "not every reader holds"),
    "negative_integer_beyond_a_double": (b"[-9007199254740992]", "not every reader holds"),
    "integer_of_5000_digits": (b"9" * 5000, "not JSON"),
    "half_a_surrogate_pair": (b'["\\ud800"]', "a lone surrogate"),
    "half_a_surrogate_pair_in_a_name": (b'{"\\udc00": 1}', "a lone surrogate"),
    "nested_beyond_the_interpreter": (b"[" * 100_000, "nested too deep"),
    "nested_objects_beyond_the_interpreter": (b'{"":' * 90_000, "nested too deep"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_be_read_in_two_ways_is_refused(case: str) -> None:
    raw, got = REFUSED[case]
    with pytest.raises(MalformedReceiptError) as caught:
        parse(raw)
    assert caught.value.message.startswith("Expected a thing, got ")
    assert got in caught.value.message
    assert caught.value.hint == "Give a thing."


def test_the_error_is_the_callers() -> None:
    with pytest.raises(MalformedTrustError):
        parse(b"", error=MalformedTrustError)


def test_the_largest_integers_of_a_double_are_read() -> None:
    assert parse(b"[9007199254740991, -9007199254740991]") == [2**53 - 1, 1 - 2**53]


def test_a_surrogate_pair_is_one_character() -> None:
    assert parse(b'["\\ud83d\\ude00"]') == ["\U0001f600"]


def test_floats_are_read_where_they_are_asked_for() -> None:
    assert parse(b"[1.5, 2]", has_floats=True) == [1.5, 2]


def test_a_float_beyond_every_double_is_refused() -> None:
    with pytest.raises(MalformedReceiptError, match="1e999, which no reader holds"):
        parse(b"[1e999]", has_floats=True)


def test_size_is_counted_in_bytes() -> None:
    raw = '"é"'.encode()
    assert parse(raw, max_bytes=4) == "é"
    with pytest.raises(MalformedReceiptError, match="4 bytes, more than 3"):
        parse(raw, max_bytes=3)


def test_depth_counts_objects_and_arrays() -> None:
    assert parse(b'[{"a": 1}]', max_depth=2) == [{"a": 1}]
    with pytest.raises(MalformedReceiptError, match="more than 1 levels"):
        parse(b'[{"a": 1}]', max_depth=1)
    assert parse(b"1", max_depth=0) == 1


def test_values_are_counted() -> None:
    assert parse(b"[1,2,3]", max_values=3) == [1, 2, 3]
    with pytest.raises(MalformedReceiptError, match="more than 2 values"):
        parse(b"[1,2,3]", max_values=2)
    nested = b'{"a": {"b": [{}]}}'
    assert parse(nested, max_values=4) == {"a": {"b": [{}]}}
    with pytest.raises(MalformedReceiptError, match="more than 3 values"):
        parse(nested, max_values=3)


def test_what_is_not_asked_for_has_these_limits() -> None:
    assert parse(b"[" * 32 + b"1" + b"]" * 32)
    with pytest.raises(MalformedReceiptError, match="more than 32 levels"):
        parse(b"[" * 33 + b"1" + b"]" * 33)
    assert len(parse(b"[" + b"0," * 99_999 + b"0]")) == 100_000
    with pytest.raises(MalformedReceiptError, match="more than 100000 values"):
        parse(b"[" + b"0," * 100_000 + b"0]")


@pytest.mark.parametrize(
    "unit", [b"0,", b"{},", b"[],", b'"",', b'{"":0},', b"[[[[[[[[]]]]]]]],", b"1.5,"]
)
def test_a_megabyte_of_the_smallest_values_is_refused_before_it_is_read(unit: bytes) -> None:
    raw = b"[" + unit * (MEGABYTE // len(unit) - 2) + b"0]"
    with pytest.raises(MalformedReceiptError, match="more than 100000 values"):
        parse(raw, has_floats=True)


@given(raw=st.binary(max_size=60) | st.text(alphabet='[]{},:"\\u0d8aeE.-+1NI \n').map(str.encode))
def test_nothing_but_the_typed_error_comes_out(raw: bytes) -> None:
    try:
        value = parse(raw)
    except MalformedReceiptError:
        return
    assert json.loads(raw) == value


def test_what_is_shown_is_short_and_printable() -> None:
    assert show_ascii("é\x1b" * 100) == ascii("é\x1b" * 100)[:60] + "…"
    assert show_ascii(5) == "5"
    # The quotes count too.
    assert show_ascii("x" * 58) == repr("x" * 58)
    assert show_ascii("x" * 59) == "'" + "x" * 59 + "…"
