from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from spanproof.core.errors import LimitExceededError
from spanproof.ingest.assembly.stream import CharStream
from spanproof.ingest.engine.mupdf import stext
from spanproof.ingest.engine.mupdf.library import library_errors, load_pymupdf
from tests.engines import needs_mupdf
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at, turned_text

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_mupdf
# Fonts that draw their own glyphs, text that is turned, right to left, vertical, hidden or fuzzed.
SAMPLED_EVERY = 23


def _pages(data: bytes, most: int = 5) -> list[Any]:
    pymupdf = load_pymupdf()
    opened = pymupdf.open(stream=data, filetype="pdf")
    return [
        pymupdf.mupdf.FzStextPage(
            pymupdf.extra.page_get_textpage(opened[i].this, None, 3, pymupdf.mupdf.FzMatrix())
        )
        for i in range(min(most, opened.page_count))
    ]


def _assert_equal(one: CharStream, other: CharStream) -> None:
    for name in CharStream.__slots__:
        ours, theirs = getattr(one, name), getattr(other, name)
        assert ours.dtype == theirs.dtype, name
        assert ours.shape == theirs.shape, name
        assert np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f"), name


def test_this_release_is_the_one_whose_structures_are_known() -> None:
    assert stext.reads_memory()


def test_reading_memory_equals_the_bindings_walk() -> None:
    many = b"".join(text_at(10 + 7 * i, 40 + 20 * i, f"line {i}", mode=i % 4) for i in range(30))
    pages = _pages(
        build_pdf(
            PageSpec(content=many),
            PageSpec(),
            PageSpec(content=turned_text("0.6 0.8 -0.8 0.6 100 100", "skewed" * 40)),
        )
    )
    ours = stext.read_stream(pages, most=10_000)
    assert len(ours) > 400
    _assert_equal(ours, stext.read_by_bindings(pages, most=10_000))


@pytest.mark.long
def test_reading_memory_equals_the_bindings_walk_on_real_files(test_data: Path) -> None:
    compared = 0
    for path in sorted((test_data / "documents").rglob("*.pdf"))[::SAMPLED_EVERY]:
        try:
            pages = _pages(path.read_bytes(), 2)
        except library_errors():
            continue
        if pages and stext.widest_count(pages[0]) < 20_000:
            ours = stext.read_stream(pages, most=100_000)
            _assert_equal(ours, stext.read_by_bindings(pages, most=100_000))
            compared += len(ours)
    assert compared > 10_000


@pytest.mark.parametrize("reader", [stext.read_stream, stext.read_by_bindings])
def test_too_many_characters_are_refused_before_they_are_copied(reader: Any) -> None:
    pages = _pages(build_pdf(PageSpec(content=text_at(10, 10, "x" * 50))))
    with pytest.raises(LimitExceededError):
        reader(pages, most=49)
