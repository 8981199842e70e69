from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bench.invariants.repeat import check_i4, check_i11
from spanproof.core.span import Span
from spanproof.ingest.engine.choice import load_engine
from spanproof.ingest.sandbox import Parser
from tests.bench.invariants.broken import (
    LIMITS,
    THREE_PAGES,
    SpoiltEngine,
    forge,
    read_three_pages,
    replaced_text,
    with_column,
)

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction


@pytest.mark.long
def test_other_processes_and_numbers_of_workers_read_the_same() -> None:
    with Parser(workers=1) as one, Parser(workers=2) as two:
        first, second = one.extract(THREE_PAGES), two.extract(THREE_PAGES)
    assert check_i4(first, second).holds
    assert check_i4(read_three_pages(), first).holds


@pytest.mark.long
@pytest.mark.parametrize("seed", ["0", "1"])
def test_another_folder_and_another_hash_seed_read_the_same(tmp_path: Path, seed: str) -> None:
    code = (
        "import sys; from spanproof.ingest import extract;"
        "sys.stdout.write(str(extract(sys.stdin.buffer.read()).extraction_id))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=THREE_PAGES,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONHASHSEED": seed, "LC_ALL": "C"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == str(read_three_pages().extraction_id)


def test_another_text_pages_blocks_or_layout_is_told() -> None:
    sound = read_three_pages()
    others = (
        replaced_text(sound, sound.text.text.replace("One", "Two")),
        forge(sound, pages=(replace(sound.pages[0], label="i"), *sound.pages[1:])),
        with_column(sound, "run_x", lambda xs: xs + 1),
    )
    for other in others:
        assert check_i4(sound, other).violated == 1


def test_a_page_read_alone_is_the_same_page() -> None:
    finding = check_i11(read_three_pages(), THREE_PAGES, load_engine("mupdf"), LIMITS)
    assert finding.holds
    assert finding.checked == 3


def test_a_page_that_needs_its_neighbours_is_told() -> None:
    def shorten(extraction: Extraction, only: frozenset[int] | None) -> Extraction:
        if only != frozenset({3}):
            return extraction
        page = extraction.pages[2]
        shorter = replace(page, span=Span(page.span.start + 1, page.span.end))
        return forge(extraction, pages=(*extraction.pages[:2], shorter))

    engine = SpoiltEngine(engine=load_engine("mupdf"), spoil=shorten)
    finding = check_i11(read_three_pages(), THREE_PAGES, engine, LIMITS)
    assert [violation.page for violation in finding.violations] == [3]
    assert engine.asked == [frozenset({1}), frozenset({2}), frozenset({3})]


@pytest.mark.parametrize("column", ["left", "flags", "run_x", "run_ascent"])
def test_a_page_whose_glyphs_stand_elsewhere_alone_is_told(column: str) -> None:
    engine = SpoiltEngine(
        engine=load_engine("mupdf"),
        spoil=lambda extraction, _: with_column(extraction, column, lambda values: values + 1),
    )
    finding = check_i11(read_three_pages(), THREE_PAGES, engine, LIMITS)
    assert {violation.page for violation in finding.violations} >= {1, 3}


def test_a_long_document_is_sampled_the_same_at_every_run() -> None:
    engine = SpoiltEngine(engine=load_engine("mupdf"), spoil=lambda extraction, _: extraction)
    for _ in range(2):
        check_i11(read_three_pages(), THREE_PAGES, engine, LIMITS, most=2)
    assert engine.asked[:2] == engine.asked[2:]
