from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from bench.invariants.growth import check_i14
from spanproof.ingest.engine.choice import load_engine
from tests.bench.invariants.broken import LIMITS, SpoiltEngine
from tests.ingest.drawn_pdf import show, write_pdf
from tests.ingest.pdf_bytes import PageSpec

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

FULL_PAGE = write_pdf(
    PageSpec(
        content=b"".join(show("the words of one line " * 3, 40, 780 - 12 * i) for i in range(60))
    )
)


@pytest.mark.long
def test_a_character_costs_the_same_in_a_document_of_ten_times_the_pages() -> None:
    finding = check_i14(FULL_PAGE, load_engine("mupdf"), LIMITS)
    assert finding.holds, finding.violations
    assert finding.checked == 2


@pytest.mark.slow
def test_a_character_costs_the_same_in_a_document_of_ten_thousand_pages() -> None:
    short = write_pdf(
        PageSpec(content=b"".join(show("a line of words", 40, 780 - 12 * i) for i in range(20)))
    )
    finding = check_i14(short, load_engine("mupdf"), LIMITS, times=(100, 1_000, 10_000))
    assert finding.holds, finding.violations


@pytest.mark.long
def test_work_that_grows_with_the_square_is_told() -> None:
    def burn(extraction: Extraction, _: frozenset[int] | None) -> Extraction:
        until = time.process_time() + 2e-4 * len(extraction.pages) ** 2
        while time.process_time() < until:
            pass
        return extraction

    engine = SpoiltEngine(engine=load_engine("mupdf"), spoil=burn)
    # Little to read, so that what is burnt is most of the work.
    finding = check_i14(write_pdf(PageSpec(content=show("one line", 40, 780))), engine, LIMITS)
    assert finding.violated == 1


def test_a_document_that_cannot_be_repeated_is_skipped_by_name() -> None:
    finding = check_i14(b"%PDF-1.7 nothing of a file", load_engine("mupdf"), LIMITS)
    assert finding.skipped
    assert not finding.holds
