"""Two readings of one page, compared: streams made by hand, so that every difference is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.ingest.assembly.actual_text import Painted, read_page_text
from tests.ingest.assembly.streams import make_stream
from tests.strategies import unhurried

if TYPE_CHECKING:
    from spanproof.ingest.assembly.stream import CharStream

WORDS = st.text("abcde", min_size=1, max_size=30)


def _compare(said: str, shown: str) -> list[Painted]:
    return read_page_text(make_stream([[said]]), make_stream([[shown]])).painted


def _shifted(text: str, by: float) -> CharStream:
    """The text, each character so far from where the other reading has its own."""
    stream = make_stream([[text]])
    stream.origins[0] += np.float32(by)
    return stream


@pytest.mark.parametrize(
    ("said", "shown", "differs"),
    [
        pytest.param("five", "nine", True, id="letters"),
        pytest.param("not", "   ", True, id="letters over blanks"),
        pytest.param("\u2212", "5", True, id="sign"),
        pytest.param("2", "\u00b2", True, id="superscript"),
        pytest.param("Caps", "CAPS", False, id="case"),
        pytest.param("\u00ad", "-", False, id="soft hyphen"),
        pytest.param("\u200b", "x", False, id="nothing said"),
        pytest.param("\ufb01", "f", True, id="half of a ligature"),
        pytest.param("A", "\uff21", False, id="width"),
        pytest.param("\u201c", '"', False, id="quotation mark"),
        pytest.param("\U0001f600", "\ue000", False, id="emoji of a private code point"),
        pytest.param("a", "\ufffd", False, id="glyph without a character"),
        pytest.param("\ufffd", "a", False, id="text without a character"),
    ],
)
def test_each_kind_of_difference(said: str, shown: str, *, differs: bool) -> None:
    found = _compare(said, shown)
    assert any(one.differs for one in found) == differs


def test_a_difference_is_no_wider_than_it_is() -> None:
    (first, second) = _compare("four days", "five daze")
    assert (first.start, first.end, first.glyphs) == (1, 4, "ive")
    assert (second.start, second.end, second.glyphs) == (7, 9, "ze")


def test_glyphs_that_are_painted_twice_are_no_loss() -> None:
    """One reading folds fake bold, the other keeps it."""
    shown = make_stream([["bold", "bold"]])
    shown.origins[:, 4:] = shown.origins[:, :4] + np.float32(0.3)
    said = make_stream([["bold"]])
    assert _text_of(said, shown) == ["bold"]
    shown.origins[:, 4:] += np.float32(40)
    assert _text_of(said, shown) == ["bold", "bold"]


@pytest.mark.parametrize(
    ("said", "shown", "text"),
    [
        pytest.param(["It is due"], ["It is never due"], ["It is never due"], id="word"),
        pytest.param(["first", "third"], ["first", "second", "third"], None, id="line"),
        pytest.param(["Natu", "ral"], ["Natxral"], ["Natural"], id="word not broken"),
        pytest.param(["end", "figure"], ["end"], ["end", "figure"], id="no glyph"),
        pytest.param(["five"], ["nine"], ["five"], id="said otherwise"),
    ],
)
def test_what_nothing_is_said_of_stands_as_its_glyphs_say(
    said: list[str], shown: list[str], text: list[str] | None
) -> None:
    # Letters that both readings have stand at the same places.
    places: dict[int, list[Any]] = {}
    two = make_stream([shown])
    for index, point in enumerate(two.points.tolist()):
        places.setdefault(point, []).append(two.origins[:, index])
    one = make_stream([said])
    for index, point in enumerate(one.points.tolist()):
        known = places.get(point)
        one.origins[:, index] = known.pop(0) if known else (9000 + index, 9000)
    assert _text_of(one, two) == (shown if text is None else text)


def _text_of(said: CharStream, shown: CharStream) -> list[str]:
    stream = read_page_text(said, shown).stream
    ends = np.cumsum(stream.line_length).tolist()
    text = "".join(map(chr, stream.points.tolist()))
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@unhurried
@given(said=WORDS, shown=WORDS)
def test_what_is_not_flagged_stands_on_the_page(said: str, shown: str) -> None:
    flagged = {i for one in _compare(said, shown) for i in range(one.start, one.end)}
    for index, character in enumerate(said):
        if index not in flagged:
            assert shown[index : index + 1] == character


@unhurried
@given(said=WORDS)
def test_the_same_reading_differs_nowhere(said: str) -> None:
    assert _compare(said, said) == []
    # The same letters at other places are the same words still.
    assert [
        one
        for one in read_page_text(make_stream([[said]]), _shifted(said, 3)).painted
        if one.differs
    ] == []
