from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.documents.document import (
    CharacterCounts,
    DocumentName,
    Library,
    Page,
    Source,
    TextSource,
)
from spanproof.core.errors import IntegrityError
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from tests.core.documents.layouts import two_pages

EXTRACTION = two_pages()
OLD, NEW = Digest.of(b"old"), Digest.of(b"new")


def _day(day: int) -> datetime:
    return datetime(2026, 11, day, tzinfo=UTC)


def _pages(*sources: TextSource) -> tuple[Page, ...]:
    first, second = EXTRACTION.pages
    return tuple(
        replace(page, text_source=source)
        for page, source in zip((first, second), sources, strict=True)
    )


def test_the_identity_is_document_pipeline_and_text() -> None:
    parts = [
        str(EXTRACTION.document.doc_hash),
        str(EXTRACTION.pipeline.digest),
        str(EXTRACTION.text.digest),
    ]
    assert EXTRACTION.extraction_id == canonical_json.digest(parts)
    moved = replace(EXTRACTION, repaired=True, layout=None)
    assert moved.extraction_id == EXTRACTION.extraction_id
    other = replace(EXTRACTION, text=CanonicalText.of("ab cd\nef\fgH\f"))
    assert other.extraction_id != EXTRACTION.extraction_id


def test_pages_partition_the_text() -> None:
    with pytest.raises(IntegrityError):
        replace(EXTRACTION, pages=EXTRACTION.pages[:1])
    with pytest.raises(IntegrityError):
        replace(EXTRACTION, pages=())
    late = replace(EXTRACTION.pages[0], span=Span(1, 9))
    with pytest.raises(IntegrityError):
        replace(EXTRACTION, pages=(late, EXTRACTION.pages[1]))


def test_a_page_holds_its_first_offset_and_not_its_end() -> None:
    assert [EXTRACTION.page_at(i).number for i in (0, 8, 9, 11, 12)] == [1, 1, 2, 2, 2]
    assert [page.number for page in EXTRACTION.pages_of(Span(8, 9))] == [1]
    assert [page.number for page in EXTRACTION.pages_of(Span(8, 10))] == [1, 2]


@pytest.mark.parametrize(
    ("sources", "whole"),
    [
        (("none", "none"), "none"),
        (("none", "born_digital"), "born_digital"),
        (("born_digital", "ocr_layer"), "ocr_layer"),
        (("ocr", "ocr_layer"), "ocr"),
    ],
)
def test_one_word_says_where_the_text_comes_from(
    sources: tuple[TextSource, TextSource], whole: TextSource
) -> None:
    extraction = replace(EXTRACTION, pages=_pages(*sources))
    assert extraction.text_source == whole
    assert extraction.is_ocr == (whole == "ocr")


def test_counts_add_up_over_pages() -> None:
    assert EXTRACTION.counts == CharacterCounts(characters=12)


def test_a_source_gives_the_named_extraction_or_the_newest_that_is_not_ocr() -> None:
    read = replace(EXTRACTION, pages=_pages("ocr", "ocr"), text=CanonicalText.of("AB CD\nEF\fGH\f"))
    source = Source(document=EXTRACTION.document, extractions=(read, EXTRACTION))
    assert source.find_extraction(None) is EXTRACTION
    assert source.find_extraction(read.extraction_id) is read
    assert source.find_extraction(Digest.of(b"other")) is None
    only = Source(document=EXTRACTION.document, extractions=(read,))
    assert only.find_extraction(None) is read


def test_a_name_stands_for_the_version_live_at_the_moment() -> None:
    library = Library(
        names=(
            DocumentName(doc_id="act", doc_hash=NEW, since=_day(10)),
            DocumentName(doc_id="act", doc_hash=OLD, since=_day(1)),
        )
    )
    assert library.resolve("act") == NEW
    assert library.resolve("act", at=_day(5)) == OLD
    assert library.resolve("act", at=datetime(2025, 1, 1, tzinfo=UTC)) == OLD
    assert library.resolve("unknown") is None
    assert library.names_of(OLD) == {"act"}
