"""Copies that the layout proves, on level layouts made by hand: 1000 quanta a character."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.layout import CharFlag, Layout
from spanproof.core.documents.match_views import view_of
from spanproof.core.documents.overprint import find_copies, overprint_of, single_view_of
from spanproof.core.documents.text_block import Block
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from tests.core.documents.layouts import level_layout, two_pages
from tests.strategies import PLAIN_WORDS, unhurried

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction


def painted(*lines: tuple[str, int, int], columns: dict[int, int] | None = None) -> Extraction:
    """One page of lines ``(text, x, y)``; ``columns`` puts characters in another column."""
    text = "".join(f"{line}\n" for line, _, _ in lines)
    runs, at = [], 0
    for line, x, y in lines:
        runs.append((at, at + len(line), x, y))
        at += len(line) + 1
    layout = level_layout(runs, len(text))
    left = layout.left.copy()
    for index, column in (columns or {}).items():
        left[index] = column
    return _with(text, replace(layout, left=left, right=left + (layout.right - layout.left)))


def _with(text: str, layout: Layout, *, blocks: tuple[Block, ...] = ()) -> Extraction:
    page = replace(two_pages().pages[0], span=Span(0, len(text)))
    return replace(
        two_pages(),
        text=CanonicalText.of(text),
        pages=(page,),
        layout=layout,
        originals=(),
        blocks=blocks,
    )


def _copied(extraction: Extraction) -> str:
    copies = find_copies(extraction)
    if copies is None:
        return ""
    return "".join(c if copy else "." for c, copy in zip(extraction.text.text, copies, strict=True))


def doubled(word: str, by: int) -> Extraction:
    """Every letter of a word painted twice, one after the other."""
    text = "".join(2 * letter for letter in word)
    columns = {i: (i // 2) * 1000 + (i % 2) * by for i in range(len(text))}
    return painted((text, 100, 70_000), columns=columns)


@pytest.mark.parametrize("by", [0, 30, 100])
def test_a_line_painted_again_is_a_copy(by: int) -> None:
    extraction = painted(("the fee", 100, 70_000), ("the fee", 100 + by, 70_000 - by))
    assert _copied(extraction) == "........the.fee."


def test_a_line_painted_three_times_has_two_copies() -> None:
    extraction = painted(*[("the fee", 100 + 30 * i, 70_000) for i in range(3)])
    assert _copied(extraction) == "........the.fee.the.fee."


@pytest.mark.parametrize("by", [0, 50])
def test_a_word_painted_letter_by_letter_twice(by: int) -> None:
    assert _copied(doubled("Total", by)) == ".T.o.t.a.l."


@pytest.mark.parametrize(
    "extraction",
    [
        pytest.param(painted(("the fee", 100, 70_000), ("the fee", 100, 68_000)), id="below"),
        pytest.param(painted(("the fee", 100, 70_000), ("the fee", 500, 70_000)), id="aside"),
        pytest.param(painted(("the fee", 100, 70_000), ("one dog", 100, 70_000)), id="others"),
        # A ligature that is spelled out: two letters, one glyph, one box.
        pytest.param(painted(("office", 100, 70_000), columns={2: 1000}), id="shared glyph"),
        pytest.param(painted(("1000", 100, 70_000)), id="digits side by side"),
    ],
)
def test_anything_else_is_no_copy(extraction: Extraction) -> None:
    assert _copied(extraction) == ""


def test_a_pair_of_letters_within_a_word_proves_nothing() -> None:
    extraction = painted(("committee", 100, 70_000), columns={3: 2000, 5: 4000, 8: 7000})
    assert _copied(extraction) == ""


def test_the_rectangle_of_a_field_is_no_glyphs_box() -> None:
    text, columns = "1000 1000", dict.fromkeys(range(9), 0)
    bare = painted((text, 100, 70_000), columns=columns)
    assert bare.layout is not None
    field = Block(kind="form_field", span=Span(0, len(text)))
    assert find_copies(_with(bare.text.text, bare.layout, blocks=(field,))) is None


def test_hidden_text_under_visible_text_is_no_copy() -> None:
    extraction = painted(("the fee", 100, 70_000), ("the fee", 100, 70_000))
    assert extraction.layout is not None
    flags = extraction.layout.flags.copy()
    flags[:7] |= np.uint16(CharFlag.INVISIBLE)
    hidden = _with(extraction.text.text, replace(extraction.layout, flags=flags))
    assert find_copies(hidden) is None


def test_the_same_place_on_another_page_is_another_place() -> None:
    extraction = painted(("the fee", 100, 70_000), ("the fee", 100, 70_000))
    first, second = Span(0, 8), Span(8, 16)
    pages = [replace(extraction.pages[0], number=n, span=s) for n, s in ((1, first), (2, second))]
    assert find_copies(replace(extraction, pages=tuple(pages))) is None


def test_a_text_without_layout_has_no_copies() -> None:
    assert overprint_of(replace(two_pages(), layout=None)) is None


@unhurried
@given(
    words=st.lists(st.sampled_from(PLAIN_WORDS), min_size=1, max_size=6),
    by=st.integers(0, 100),
)
def test_the_single_view_is_the_view_of_the_text_painted_once(words: list[str], by: int) -> None:
    line = " ".join(words)
    once = painted((line, 100, 70_000))
    twice = painted((line, 100, 70_000), (line, 100 + by, 70_000))
    single = single_view_of(twice)
    assert single is not None
    assert single.text == view_of(once).text
    assert single.positions.tolist() == view_of(once).positions.tolist()
    assert single_view_of(once) is None
