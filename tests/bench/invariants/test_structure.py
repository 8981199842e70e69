from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bench.invariants.structure import check_i1, check_i2, check_i10
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.text_block import Block
from spanproof.core.span import Span
from spanproof.ingest.extraction import extract
from tests.bench.invariants.broken import forge, read_three_pages, with_column, with_text

if TYPE_CHECKING:
    import numpy as np

    from spanproof.core.documents.document import Extraction


def _blocks(extraction: Extraction, *spans: tuple[int, int]) -> Extraction:
    blocks = tuple(Block(kind="paragraph", span=Span(start, end)) for start, end in spans)
    return forge(extraction, blocks=blocks)


def test_a_sound_extraction_has_owners_pages_and_runs() -> None:
    extraction = read_three_pages()
    assert check_i1(extraction).holds
    assert check_i2(extraction).holds
    assert check_i1(extraction).checked == len(extraction.text)


def test_a_plain_text_is_its_pages_own() -> None:
    extraction = extract(b"one\ftwo\n", filename="a.txt")
    assert check_i1(extraction).holds
    assert check_i2(extraction).holds


def test_a_markdown_text_with_hidden_words_is_its_pages_own() -> None:
    extraction = extract(b"seen <!-- hidden --> words\n", filename="a.md")
    assert extraction.layout is not None
    assert check_i1(extraction).holds


def test_a_character_in_no_run_and_no_block_has_no_owner() -> None:
    extraction = with_column(read_three_pages(), "run_end", lambda ends: ends - (ends == ends[0]))
    finding = check_i1(extraction)
    assert finding.violated == 1
    assert "0 owners" in finding.violations[0].detail


def test_a_character_in_a_run_that_is_a_separator_besides_has_two_owners() -> None:
    def flag(flags: np.ndarray[tuple[int], np.dtype[np.uint16]]) -> object:
        flags[3] |= int(CharFlag.SEPARATOR)
        return flags

    finding = check_i1(with_column(read_three_pages(), "flags", flag))
    assert finding.violations[0].span == Span(3, 4)
    assert "2 owners" in finding.violations[0].detail


@pytest.mark.parametrize(("mark", "at"), [(" ", "\n"), ("\f", "\n"), ("\n", "\f"), ("\t", "\n")])
def test_a_separator_of_ours_is_a_newline_or_the_form_feed_of_a_page(mark: str, at: str) -> None:
    extraction = read_three_pages()
    text = extraction.text.text
    place = text.index(at)
    changed = with_text(extraction, text[:place] + mark + text[place + 1 :])
    assert check_i1(changed).violated == 1


def test_a_page_ends_with_a_form_feed_of_ours() -> None:
    def clear(flags: np.ndarray[tuple[int], np.dtype[np.uint16]]) -> object:
        flags[-1] = 0
        return flags

    assert not check_i1(with_column(read_three_pages(), "flags", clear)).holds


def test_pages_that_leave_a_gap_do_not_partition_the_text() -> None:
    extraction = read_three_pages()
    first, *others = extraction.pages
    shorter = replace(first, span=Span(0, first.span.end - 1))
    finding = check_i2(forge(extraction, pages=(shorter, *others)))
    assert {violation.page for violation in finding.violations} >= {1, 2}


def test_pages_count_from_one_in_order() -> None:
    extraction = read_three_pages()
    first, *others = extraction.pages
    assert not check_i2(forge(extraction, pages=(replace(first, number=7), *others))).holds


def test_a_page_that_counts_other_hazards_than_it_holds_is_told() -> None:
    extraction = read_three_pages()
    first, *others = extraction.pages
    counted = replace(first, counts=replace(first.counts, unmapped=1))
    finding = check_i2(forge(extraction, pages=(counted, *others)))
    assert finding.violated == 1
    assert finding.violations[0].page == 1


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("run_end", lambda ends: ends + 100 * (ends == ends[0])),
        ("run_start", lambda starts: starts[::-1].copy()),
        ("run_end", lambda ends: ends - 30 * (ends == ends[0])),
    ],
)
def test_runs_that_overlap_go_back_or_are_empty_are_told(column: str, change: object) -> None:
    assert not check_i2(with_column(read_three_pages(), column, change)).holds  # type: ignore[arg-type]


def test_a_run_over_two_pages_is_told() -> None:
    extraction = read_three_pages()
    first, second, third = extraction.pages
    # The page ends inside the last run of what was the first page.
    edge = first.span.end - 4
    counts = replace(first.counts, characters=edge)
    pages = (
        replace(first, span=Span(0, edge), counts=counts),
        replace(
            second,
            span=Span(edge, second.span.end),
            counts=replace(second.counts, characters=second.span.end - edge),
        ),
        third,
    )
    finding = check_i2(forge(extraction, pages=pages))
    assert any("run" in violation.detail for violation in finding.violations)


def test_blocks_that_nest_or_stand_apart_hold() -> None:
    extraction = extract(b"one two three four\n", filename="a.txt")
    assert check_i10(_blocks(extraction, (0, 7), (0, 3), (4, 7), (8, 13))).holds


@pytest.mark.parametrize(
    "spans",
    [
        [(0, 7), (4, 13)],  # overlapping
        [(8, 13), (0, 3)],  # out of order
        [(0, 3), (0, 7)],  # the inner one first
        [(3, 4)],  # white space alone
        [(14, 90)],  # beyond the text
    ],
)
def test_blocks_that_cross_swap_or_hold_nothing_are_told(spans: list[tuple[int, int]]) -> None:
    extraction = extract(b"one two three four\n", filename="a.txt")
    assert check_i10(_blocks(extraction, *spans)).violated == 1


def test_a_block_takes_in_no_separator_and_no_second_page() -> None:
    extraction = read_three_pages()
    end = extraction.pages[0].span.end
    assert check_i10(_blocks(extraction, (0, end))).violated == 1
    assert check_i10(_blocks(extraction, (end - 3, end + 4))).violated == 1
