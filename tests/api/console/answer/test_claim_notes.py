from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from spanproof.api.console.answer.claim_notes import (
    QUOTATION_MEANINGS,
    describe_newest,
    describe_pages,
    list_quotations,
)
from spanproof.core.citation import ClaimedLocator
from spanproof.core.geometry import Rect
from spanproof.core.span import Span
from spanproof.core.verdicts.answer_findings import QuotationCheck
from spanproof.core.verdicts.status import ExistenceStatus, Outcome
from spanproof.core.verdicts.verdict import Difference, Edit, Existence, TouchedToken
from spanproof.verifier.quotes.quotations import quotation_codes
from tests.api.console.samples import (
    LINKS,
    cite,
    make_block,
    make_page,
    make_verdict,
    make_view,
    read_answer,
    render_answer,
)

PAGE = make_page("The tenant repairs the roof every year. Heating is the landlord's duty.")
CLAIM = "He “repairs the roof” [1]."


def quote_in_claim(status: ExistenceStatus, found: Span | None = None) -> dict[str, Any]:
    """A verdict whose claim quotes three words, which came to this status."""
    answer = read_answer(CLAIM, cite(PAGE, "The tenant repairs the roof every year."))
    check = QuotationCheck(text="repairs the roof", span=Span(4, 20), status=status, found=found)
    codes = ("EXISTENCE_EXACT", *quotation_codes((check,)))
    return make_verdict(answer, PAGE, CLAIM, codes=codes) | {"quotations": [check.to_json()]}


def test_every_status_of_a_quotation_has_its_sentence() -> None:
    assert set(QUOTATION_MEANINGS) == {status.value for status in ExistenceStatus}


@pytest.mark.parametrize(
    ("status", "tone", "code"),
    [
        (ExistenceStatus.EXACT, "pass", None),
        (ExistenceStatus.MISATTRIBUTED, "fail", None),
        (ExistenceStatus.ALTERED, "fail", "QUOTATION_ALTERED"),
        (ExistenceStatus.ABSENT, "fail", "QUOTATION_ABSENT"),
        (ExistenceStatus.NOT_RUN, "error", "QUOTATION_NOT_RUN"),
    ],
)
def test_a_quotation_shows_its_status_and_its_code(
    status: ExistenceStatus, tone: str, code: str | None
) -> None:
    (view,) = list_quotations(quote_in_claim(status), PAGE, LINKS)

    assert (view.text, view.axis.status, view.axis.tone, view.code) == (
        "repairs the roof",
        status.value,
        tone,
        code,
    )


def test_a_quotation_leads_to_where_it_stands() -> None:
    answer = read_answer(CLAIM, cite(PAGE, "The tenant repairs the roof every year."))
    block = make_block(quote_in_claim(ExistenceStatus.EXACT, Span(11, 27)))

    html = render_answer(answer, block, PAGE)

    address = LINKS.span(str(PAGE.document.doc_hash), str(PAGE.extraction_id), 11, 27)
    assert "Words that the claim puts in quotation marks" in html
    assert "<q><bdi>repairs the roof</bdi></q>" in html
    assert f'Characters 11–27 · <a href="{address}">' in html


def test_a_status_of_a_quotation_that_is_not_known_is_an_error() -> None:
    verdict = quote_in_claim(ExistenceStatus.EXACT)
    verdict["quotations"][0]["status"] = "SPLENDID"

    (view,) = list_quotations(verdict, None, LINKS)

    assert (view.axis.tone, view.code, view.view_url) == ("error", None, None)


def test_a_newer_text_is_named_with_the_place_of_the_words() -> None:
    newer = "sha256:" + "7" * 64
    answer = read_answer("Yes [1].", cite(PAGE, "repairs the roof"))
    verdict = make_verdict(answer, PAGE, "Yes [1].", outcome=Outcome.REVIEW)
    doc_hash = verdict["identity"]["doc_hash"]
    newest = {"extraction_id": newer, "status": "EXACT", "char_start": 13, "char_end": 29}
    verdict["identity"]["newest"] = newest

    html = render_answer(answer, make_block(verdict), PAGE)

    assert "There is a newer text of this document:" in html
    assert f'href="{LINKS.span(doc_hash, newer, 13, 29)}"' in html
    newest |= {"status": "AMBIGUOUS", "char_start": None, "char_end": None}
    view = describe_newest(verdict["identity"], LINKS)
    assert view is not None
    assert (view.view_url, view.axis.tone) == (None, "review")
    assert "At no single place of" in render_answer(answer, make_block(verdict), PAGE)


def test_a_citation_says_which_format_it_came_from_and_which_pages_it_names() -> None:
    answer = read_answer("Yes [1].", cite(PAGE, "repairs the roof"))
    locator = ClaimedLocator(page=5, bbox=None, last_page=7)
    citation = replace(answer.citations[0], origin="anthropic", locator=locator)
    imported = replace(answer, citations=(citation,))
    block = make_block(make_verdict(answer, PAGE, "Yes [1]."))

    html = render_answer(imported, block, PAGE)

    assert '<span class="badge none">from anthropic</span>' in html
    assert "Place given: pages 5 to 7." in html
    assert make_view(answer, block, PAGE).cards[0].origin is None
    assert "Place given" not in render_answer(answer, block, PAGE)


def test_one_page_is_not_a_range() -> None:
    citation = read_answer("Yes [1].", cite(PAGE, "repairs the roof")).citations[0]
    for last in (None, 5):
        locator = ClaimedLocator(page=5, bbox=Rect(0, 0, 9, 9), last_page=last)
        assert describe_pages(replace(citation, locator=locator)) == "page 5"


def test_a_provider_that_quotes_nothing_is_said_to_and_never_passes() -> None:
    answer = read_answer("Yes [1].", cite(PAGE, "repairs the roof"))
    silent = replace(answer, citations=(replace(answer.citations[0], quote=None),))
    existence = Existence(status=ExistenceStatus.UNVERIFIABLE)
    verdict = make_verdict(
        silent, PAGE, "Yes [1].", existence=existence, outcome=Outcome.ERROR, codes=()
    )

    html = render_answer(silent, make_block(verdict, result="error"), PAGE)

    assert "The provider gives no quote, so there is nothing to check. This is not a pass" in html
    assert 'class="quote"' not in html


def test_a_difference_names_what_it_touches() -> None:
    answer = read_answer("Yes [1].", cite(PAGE, "The tenant repairs the roof twice every year."))
    edit = Edit(
        kind="replaced",
        quote="two",
        source="every",
        span=Span(28, 33),
        protected=True,
        touches=(TouchedToken(side="quote", kind="number_word", text="<two>"),),
    )
    existence = Existence(
        status=ExistenceStatus.ALTERED,
        span=Span(0, 39),
        difference=Difference(source=PAGE.text.text[:39], edits=(edit,)),
    )
    block = make_block(make_verdict(answer, PAGE, "Yes [1].", existence=existence))

    html = render_answer(answer, block, PAGE)

    assert "<li>number word <q><bdi>&lt;two&gt;</bdi></q> in the quote</li>" in html
    del block["verdicts"][0]["existence"]["difference"]["edits"][0]["touches"]
    assert "What the change touches" not in render_answer(answer, block, PAGE)
