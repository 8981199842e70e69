from __future__ import annotations

import base64
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.api.http.requests.body import parse_digest_field
from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedDigestError


def _encode(content: bytes) -> str:
    return base64.b64encode(bytes.fromhex(Digest.of(content).hex)).decode()


@given(st.binary())
def test_a_written_digest_is_read_back(content: bytes) -> None:
    assert parse_digest_field(f"sha-256=:{_encode(content)}:") == Digest.of(content)


def test_other_algorithms_may_stand_beside_it() -> None:
    value = f"sha-512=:AAAA:, sha-256=:{_encode(b'a')}:"
    assert parse_digest_field(value) == Digest.of(b"a")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "sha-256",
        "sha-256=::",
        "sha-256=:%%%%:",
        "SHA-256=:" + _encode(b"a") + ":",
        "sha-256=:" + _encode(b"a")[:-5] + ":",
        "sha-256=:" + _encode(b"a") + ":, nonsense",
        "md5=:AAAA:",
        Digest.of(b"a").hex,
    ],
)
def test_anything_else_is_refused(value: str) -> None:
    with pytest.raises(MalformedDigestError):
        parse_digest_field(value)


@given(st.text())
def test_no_text_raises_anything_else(value: str) -> None:
    with contextlib.suppress(MalformedDigestError):
        parse_digest_field(value)
