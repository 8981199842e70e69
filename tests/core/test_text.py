from __future__ import annotations

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedSpanError
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "\udfff"])
def test_nul_and_surrogates_never_enter(text: str) -> None:
    with pytest.raises(MalformedSpanError):
        CanonicalText.of(text)


def test_the_digest_is_of_the_utf8_bytes_and_nothing_is_stripped() -> None:
    text = CanonicalText.of(" é\r\n")
    assert text.digest == Digest.of(" é\r\n".encode())
    assert text == CanonicalText.of(" é\r\n")
    assert text != CanonicalText.of("é\r\n")


def test_a_slice_beyond_the_end_is_refused_not_cut() -> None:
    text = CanonicalText.of("abc")
    assert text.slice(Span(1, 3)) == "bc"
    with pytest.raises(MalformedSpanError):
        text.slice(Span(1, 4))
