from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedReceiptError
from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.core.json_reader.json_field import Field
from spanproof.core.moment import write_short_moment

if TYPE_CHECKING:
    from collections.abc import Callable

MOMENTS = st.datetimes(
    min_value=datetime(1, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    max_value=datetime(9999, 12, 31, 23, 59, 59),  # noqa: DTZ001 - as above
    timezones=st.just(UTC),
).map(lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000))


def at(value: Any) -> Field:
    """A value as the whole document."""
    return Field(value, MalformedReceiptError, "Give another.")


def refused(read: Callable[[], object]) -> str:
    """The message with which something is refused."""
    with pytest.raises(MalformedReceiptError) as caught:
        read()
    assert caught.value.hint == "Give another."
    return caught.value.message


def test_fields_are_exactly_those_named() -> None:
    found = at({"a": 1, "b": 2}).fields("a", "b")
    assert {name: field.value for name, field in found.items()} == {"a": 1, "b": 2}
    assert "a field 'c'" in refused(lambda: at({"a": 1}).fields("a", "c"))
    assert "no such field at '/b'" in refused(lambda: at({"a": 1, "b": 2}).fields("a"))
    assert "an object at '/'" in refused(lambda: at([]).fields())


def test_an_optional_field_may_be_left_out() -> None:
    assert set(at({"a": 1}).fields("a", optional=["b"])) == {"a"}
    assert set(at({"a": 1, "b": 2}).fields("a", optional=["b"])) == {"a", "b"}
    assert "no such field" in refused(lambda: at({"a": 1, "c": 2}).fields("a", optional=["b"]))


def test_the_pointer_names_the_place() -> None:
    inner = at({"a/b": [{"~": 1}]}).fields("a/b")["a/b"].items(most=1)[0].fields("~")["~"]
    assert inner.pointer == "/a~1b/0/~0"
    assert refused(inner.text) == (
        "Expected a text of 1 to 1024 characters at '/a~1b/0/~0', got 1."
    )


def test_items_are_counted() -> None:
    assert [item.value for item in at([1, 2]).items(least=1, most=2)] == [1, 2]
    assert [item.value for item in at([1, 2]).items(least=2, most=3)] == [1, 2]
    assert "an array of 1 at" in refused(lambda: at([1, 2]).items(least=1, most=1))
    assert "an array of 3 to 4 at" in refused(lambda: at([1, 2]).items(least=3, most=4))
    assert "an array of 0 to 2" in refused(lambda: at({"0": 1}).items(most=2))


def test_texts_are_strings_of_so_many_characters() -> None:
    assert at("ab").text(most=2) == "ab"
    assert at("").text(least=0) == ""
    for value in ("", "abc", None, 1, ["a"]):
        assert "a text of 1 to 2 characters" in refused(partial(at(value).text, most=2))


def test_a_literal_is_one_of_those_named() -> None:
    assert at("b").literal("a", "b") == "b"
    assert "'a' or 'b'" in refused(lambda: at("c").literal("a", "b"))
    assert "'1'" in refused(lambda: at(1).literal("1"))


def test_integers_have_bounds_and_are_no_booleans() -> None:
    assert at(3).integer(most=3) == 3
    assert at(0).integer(most=3) == 0
    for value in (4, -1, True, 1.0, "1", None):
        assert "an integer from 0 to 3" in refused(partial(at(value).integer, most=3))


def test_64_bits_are_decimal_strings_of_one_form() -> None:
    assert at("0").int64() == 0
    assert at(str(2**63 - 1)).int64() == 2**63 - 1
    for value in (0, "", "-1", "+1", "01", " 1", "1 ", "1.0", "1e1", "٣", str(2**63), "9" * 20):
        assert "Expected a string that holds an integer in [0, 2**63) at" in refused(
            at(value).int64
        )


@given(content=st.binary(min_size=1, max_size=40))
def test_base64_has_one_form(content: bytes) -> None:
    text = encode_base64(content)
    assert at(text).base64() == content
    assert at(text).base64(size=len(content)) == content
    refused(lambda: at(text).base64(size=len(content) + 1))
    refused(lambda: at(text + "\n").base64())
    refused(lambda: at(text.rstrip("=") + "====").base64())


@pytest.mark.parametrize("text", ["YQ", "YR==", "YQ=", "_w==", "/w= =", "YQ==YQ==", "é", "YQ==\n"])
def test_base64_that_decodes_elsewhere_too_is_refused(text: str) -> None:
    assert "Expected canonical base64 at '/', got" in refused(lambda: at(text).base64())


def test_bytes_are_counted() -> None:
    assert "16 bytes" in refused(lambda: at("YQ==").base64(size=16))
    assert "2 to 9 bytes" in refused(lambda: at("YQ==").base64(least=2, most=9))
    assert "at most" not in refused(lambda: at("YWFhYWFh").base64(most=1))
    assert "1 to 16777216 bytes" in refused(lambda: at("").base64())
    assert at("YWFh").base64(least=3, most=3) == b"aaa"
    assert at("").base64(least=0) == b""


def test_a_text_that_must_hold_too_many_bytes_is_not_decoded() -> None:
    # Five bytes, in as many characters as six.
    for most, characters in ((1, 4), (2, 4), (3, 4)):
        message = refused(partial(at("YWFhYWE=").base64, most=most))
        assert f"a text of 0 to {characters} characters" in message
    assert "1 to 4 bytes" in refused(lambda: at("YWFhYWE=").base64(most=4))
    assert at("YWFhYWE=").base64(most=5) == b"aaaaa"


@given(moment=MOMENTS)
def test_a_moment_that_was_written_is_read(moment: datetime) -> None:
    assert at(write_short_moment(moment)).moment() == moment


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-20",
        "2026-11-20T14:00:00",
        "2026-11-20T14:00:00+00:00",
        "2026-11-20 14:00:00Z",
        "2026-11-20T14:00:00.1Z",
        "2026-11-20T14:00:00.1234Z",
        "2026-11-20t14:00:00z",
        "２026-11-20T14:00:00Z",
        1_700_000_000,
        None,
    ],
)
def test_other_forms_of_a_moment_are_refused(value: object) -> None:
    assert "Expected a moment 'YYYY-MM-DDTHH:MM:SSZ' at" in refused(lambda: at(value).moment())


@pytest.mark.parametrize(
    "value",
    [
        "2026-02-30T14:00:00Z",
        "2026-11-20T24:00:01Z",
        "2026-11-20T23:59:60Z",
        "0000-01-01T00:00:00Z",
    ],
)
def test_moments_that_no_calendar_has_are_refused(value: str) -> None:
    assert "Expected a moment that a calendar has at" in refused(lambda: at(value).moment())
