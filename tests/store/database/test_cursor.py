from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import InputError
from spanproof.store.database.cursor import (
    MAX_LIMIT,
    Position,
    check_limit,
    parse_cursor,
    to_cursor,
)
from tests.store.examples import NOON


@given(key=st.text(st.characters(codec=None), max_size=60), listing=st.text(max_size=20))
def test_a_cursor_comes_back(key: str, listing: str) -> None:
    position = Position(moment=NOON, key=key)
    assert parse_cursor(to_cursor(position, listing), listing) == position


def encode(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "!",
        "é",
        "\x00",
        "\ud800",
        "A" * 10_000,
        encode({}),
        encode([]),
        encode(None),
        encode(["yesterday", "key", "print"]),
        encode(["2026-11-20T12:00:00", "key", "print"]),
        encode(["0001-01-01T00:00:00+23:59", "key", "print"]),
        encode([1, 2, 3]),
        to_cursor(Position(moment=NOON, key="key"), "other filters"),
    ],
)
def test_what_is_no_cursor_of_this_listing_is_the_callers_mistake(cursor: str) -> None:
    with pytest.raises(InputError, match="Expected a cursor of this listing"):
        parse_cursor(cursor, "these filters")


@given(cursor=st.text(max_size=80))
def test_no_text_makes_anything_but_an_input_error(cursor: str) -> None:
    with pytest.raises(InputError):
        parse_cursor(cursor, "listing")


@pytest.mark.parametrize("limit", [0, -1, MAX_LIMIT + 1])
def test_a_page_has_a_largest_size(limit: int) -> None:
    with pytest.raises(InputError, match="limit"):
        check_limit(limit)
