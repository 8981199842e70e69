from __future__ import annotations

import pytest

from spanproof.store.documents.intake import find_problem, summarise
from tests.store.examples import make_laid_out, make_plain


def test_a_sound_extraction_is_ok_and_lists_only_what_was_met() -> None:
    summary = summarise(make_plain())
    assert (summary.status, summary.problem) == ("ok", None)
    assert summary.flags == {"soft_hyphen": 2}
    assert (summary.characters, summary.pages) == (33, 1)


def test_flags_add_up_over_the_pages() -> None:
    assert summarise(make_laid_out()).flags == {"invisible": 1, "pages_without_text": 1}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"status": "error", "text": "", "text_source": "none"}, "PAGE_ERRORS"),
        ({"text": "", "text_source": "none"}, "NO_TEXT_LAYER"),
        ({"repaired": True}, "DOCUMENT_REPAIRED"),
        ({"text_source": "ocr_layer"}, "OCR_LAYER"),
        ({"text_source": "ocr"}, "OCR_LAYER"),
        ({"status": "degraded"}, "PAGES_DEGRADED"),
    ],
)
def test_what_is_degraded_says_why_and_what_to_do(given: dict[str, str], code: str) -> None:
    extraction = make_plain(**given)  # type: ignore[arg-type]
    problem = find_problem(extraction)
    assert problem is not None
    assert problem.code == code
    assert problem.detail.startswith("Expected ")
    assert problem.hint
    assert summarise(extraction).status == "degraded"
