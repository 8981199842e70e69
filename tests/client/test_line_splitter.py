"""Lines of a stream, whatever its pieces; apart from the tests that run a service beside them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanproof.client.bodies import LineSplitter


@given(st.binary(max_size=200).map(lambda raw: raw.replace(b"c", b"\n")), st.integers(1, 20))
def test_lines_are_the_same_however_they_are_cut(content: bytes, size: int) -> None:
    splitter = LineSplitter()
    lines = [
        line
        for at in range(0, len(content), size)
        for line in splitter.feed(content[at : at + size])
    ]
    assert lines + splitter.end() == [line for line in content.split(b"\n") if line]
