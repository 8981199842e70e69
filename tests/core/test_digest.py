from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedDigestError


@given(st.binary())
def test_the_written_form_is_the_whole_sha256(content: bytes) -> None:
    digest = Digest.of(content)
    assert str(digest) == "sha256:" + hashlib.sha256(content).hexdigest()
    assert Digest.parse(str(digest)) == digest


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a" * 64,
        "sha256:" + "A" * 64,
        "SHA256:" + "a" * 64,
        "sha256:" + "a" * 63,
        "sha256:" + "a" * 65,
        "sha256:" + "a" * 8,
        "sha256:" + "g" * 64,
        " sha256:" + "a" * 64,
        "sha256:" + "a" * 64 + "\n",
        "sha256:" + "\uff11" * 64,
    ],
)
def test_nothing_else_is_a_digest(text: str) -> None:
    with pytest.raises(MalformedDigestError) as caught:
        Digest.parse(text)
    assert "64 lower-case hexadecimal digits" in caught.value.message


def test_equality_is_over_all_digits() -> None:
    one, other = Digest("a" * 63 + "0"), Digest("a" * 63 + "1")
    assert one != other
    assert len({one, other, Digest("a" * 63 + "0")}) == 2
    assert one != str(one)


def test_digests_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def compare(one: str, two: str) -> bool:
        asked.append((one, two))
        return one == two

    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert Digest.of(b"a") == Digest.of(b"a")
    assert Digest.of(b"a") != Digest.of(b"b")
    assert len(asked) == 2
