"""Which chunks are drawn, and which places count as false."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bench.foreign_chunks.chunks import Chunk, cut_chunks, is_false
from spanproof.core.text import CanonicalText
from tests.pdf_pages import read_lines

VERSE = "The tenant pays the rent on the first day of every month, and so does the next one too. "


def test_a_chunk_that_stands_twice_has_no_one_place_though_the_two_overlap() -> None:
    rng = random.Random(1)  # noqa: S311 - a sample, no secret
    assert not cut_chunks([7 * VERSE], rng, 9)
    once = "".join(VERSE.replace("rent", f"rent of flat {number}") for number in range(7))
    assert cut_chunks([once], rng, 9)


@pytest.mark.parametrize(
    ("said", "is_a_lie"),
    [("(cid:1)", False), ("(cid:12)", False), ("/G01", False), ("12", True), ("(cid:x1)", True)],
)
def test_a_glyphs_number_is_no_figure_of_the_page(said: str, is_a_lie: bool) -> None:
    drawn = read_lines(f"{VERSE} * {VERSE}")
    extraction = replace(drawn, text=CanonicalText.of(drawn.text.text.replace("*", "\x01")))
    chunk = Chunk(text=f"{VERSE} {said} {VERSE}".strip(), pages=frozenset({1}))
    assert is_false(chunk, extraction, [extraction.pages[0].span]) is is_a_lie
