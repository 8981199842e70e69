"""Real files that users reported, each with what it should come to; none of them is kept here."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spanproof.ingest import extract
from tests.engines import needs_mupdf

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

_DATA = os.environ.get("SPANPROOF_TEST_DATA")


@cache
def _read(name: str) -> Extraction:
    path = Path(_DATA or "", "documents", name)
    if _DATA is None or not path.is_file():
        pytest.skip(f"needs documents/{name} in SPANPROOF_TEST_DATA")
    return extract(path.read_bytes(), filename=path.name)


@needs_mupdf
@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("reported/178360.pdf", 24),
        ("reported/427669.pdf", 17),
        ("reported/427669.pdf", 18),
        ("reported/455746.pdf", 19),
        ("reported/455746.pdf", 78),
    ],
)
def test_a_page_whose_stream_is_damaged_is_degraded(name: str, page: int) -> None:
    found = _read(name).pages[page - 1]
    assert found.status == "degraded"
    assert found.problem is not None
    assert "damaged or ends early" in found.problem


@needs_mupdf
def test_damage_is_told_of_its_own_pages_only() -> None:
    pages = _read("reported/455746.pdf").pages
    assert [page.number for page in pages if page.status != "ok"] == [5, 19, 23, 72, 78, 81]


def test_visible_text_under_an_empty_actualtext_is_text() -> None:
    extraction = _read("reported/test_4546.pdf")
    for shown in ("SINORICH TRANSPORT LIMITED", "WATER METERS/WATER METER PARTS", "OSTHYS24060771"):
        assert shown in extraction.text.text
    assert all(page.status == "ok" for page in extraction.pages)


@needs_mupdf
def test_an_actualtext_inside_a_line_does_not_break_it() -> None:
    text = _read("reported/7.2-t21-fail-a.pdf").text.text
    assert text.startswith("Replacement text\n")


@needs_mupdf
@pytest.mark.parametrize(
    ("name", "said", "shown"),
    [
        ("pdf/camelot/us-024.pdf", "he proportion of housing units", "Th"),
        ("pdf/camelot/us-025.pdf", "irst and third leading", "\ufb01"),
    ],
)
def test_a_ligature_told_as_one_letter_is_known_by_its_glyph(
    name: str, said: str, shown: str
) -> None:
    extraction = _read(name)
    start = extraction.text.text.index(said)
    glyphs = {one.span.start: one.glyphs for one in extraction.glyph_texts}
    assert glyphs[start] == shown
