"""One spelling for the same bytes."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.json_reader.base64_text import decode_base64, encode_base64


@given(content=st.binary(max_size=200))
def test_bytes_go_there_and_back(content: bytes) -> None:
    assert encode_base64(content) == base64.standard_b64encode(content).decode()
    assert decode_base64(encode_base64(content)) == content


@pytest.mark.parametrize(
    "text",
    [
        "AA",  # without its padding
        "AB==",  # bits behind the last byte
        "A-==",  # the other alphabet
        "AA==\n",
        " AA==",
        "AA==AA==",
        "A",
        "Äá==",  # no ASCII
        "A\udc80==",  # half a surrogate
    ],
)
def test_another_spelling_is_none(text: str) -> None:
    assert decode_base64(text) is None
