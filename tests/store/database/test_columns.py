from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import InputError
from spanproof.store.database.columns import escape_text, to_utc, unescape_text

#: Lone surrogates, NUL and backslashes included.
any_text = st.text(st.characters(codec=None)) | st.text("\\u0\x00\ud800\udfffd8a")


@given(text=any_text)
def test_any_text_comes_back_and_what_is_stored_fits_every_database(text: str) -> None:
    stored = escape_text(text)
    assert unescape_text(stored) == text
    assert "\x00" not in stored
    stored.encode("utf-8")


@given(first=any_text, second=any_text)
def test_different_texts_are_stored_differently(first: str, second: str) -> None:
    assert (escape_text(first) == escape_text(second)) == (first == second)


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\x00\\")))
def test_plain_text_is_stored_as_it_is(text: str) -> None:
    assert escape_text(text) == text


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(InputError, match="time zone"):
        to_utc(datetime(2026, 1, 1))  # noqa: DTZ001 - the very thing that is refused


def test_a_moment_keeps_its_instant() -> None:
    moment = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=5)))
    assert to_utc(moment) == moment
    assert to_utc(moment).tzinfo is UTC
