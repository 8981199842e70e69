from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from spanproof.core.citation import ClaimedLocator
from spanproof.core.documents.document import CharacterCounts, Extraction, Library, Source
from spanproof.core.documents.layout import Layout
from spanproof.core.geometry import PageFrame, Rect, Rotation
from spanproof.core.ports import CrossCheckReading
from spanproof.core.span import Span
from spanproof.core.verdicts.status import CrossCheckStatus, LocatorStatus, Outcome
from spanproof.core.verdicts.verdict_json import verdict_to_json
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import NAMES, load_policy
from spanproof.verifier.quotes.locator import check_locator
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction

if TYPE_CHECKING:
    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.core.verdicts.verification_block import VerificationBlock

WORDS = "Refunds take four business days."
ENGINE = "pypdfium2@5+canon-1"
AGREES = CrossCheckReading(status="AGREES", engine=ENGINE, moved=0.0)
DISAGREES = CrossCheckReading(
    status="DISAGREES", engine=ENGINE, read="Refunds take five", moved=0.25
)
NOT_RUN = CrossCheckReading(status="NOT_RUN", engine=ENGINE, reason="limit_exceeded")


def laid_out(rotation: Rotation = 0) -> Extraction:
    """Ten characters, 10 points each, on a baseline from (100, 500); a page of 600 x 800."""
    plain = make_extraction("abcdefghij")
    edges = np.arange(11, dtype=np.int32) * 1000

    def one(value: int) -> np.ndarray[Any, np.dtype[np.int32]]:
        return np.array([value], dtype=np.int32)

    layout = Layout(
        run_start=one(0),
        run_end=one(10),
        run_x=one(10_000),
        run_y=one(50_000),
        run_cos=np.array([1.0], dtype=np.float32),
        run_sin=np.array([0.0], dtype=np.float32),
        run_ascent=one(800),
        run_descent=one(-200),
        left=edges[:-1].copy(),
        right=edges[1:].copy(),
        flags=np.zeros(10, dtype=np.uint16),
    )
    box = Rect(0, 0, 600, 800)
    frame = PageFrame(view_box=box, media_box=box, rotation=rotation)
    page = replace(plain.pages[0], frame=frame, counts=CharacterCounts(characters=10))
    return Extraction(
        document=plain.document,
        pipeline=plain.pipeline,
        text=plain.text,
        pages=(page,),
        layout=layout,
    )


SPAN = Span(2, 6)


#: The span's own box as displayed: x 120..160, y 800-508..800-498.
OWN = Rect(120, 292, 160, 302)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (ClaimedLocator(page=1, bbox=OWN), LocatorStatus.MATCH),
        (ClaimedLocator(page=1, bbox=Rect(121, 293, 159, 301)), LocatorStatus.MATCH),
        (ClaimedLocator(page=1, bbox=Rect(0, 0, 600, 800)), LocatorStatus.MATCH),
        (ClaimedLocator(page=1, bbox=None), LocatorStatus.MATCH),
        (ClaimedLocator(page=1, bbox=Rect(120, 292, 150, 302)), LocatorStatus.MISMATCH),
        (ClaimedLocator(page=1, bbox=Rect(120, 498, 160, 508)), LocatorStatus.MISMATCH),
        (ClaimedLocator(page=2, bbox=OWN), LocatorStatus.MISMATCH),
        (None, LocatorStatus.NOT_GIVEN),
    ],
)
def test_a_box_matches_when_it_holds_the_glyph_centres(
    given: ClaimedLocator | None, status: LocatorStatus
) -> None:
    check = check_locator(given, laid_out(), SPAN)
    assert check.status is status
    assert check.page == 1
    assert check.bbox is not None
    assert check.bbox.to_list() == OWN.to_list()


def test_the_box_is_on_the_page_as_displayed() -> None:
    check = check_locator(ClaimedLocator(page=1, bbox=OWN), laid_out(90), SPAN)
    assert check.status is LocatorStatus.MISMATCH
    assert check.bbox is not None
    turned = check_locator(ClaimedLocator(page=1, bbox=check.bbox), laid_out(90), SPAN)
    assert turned.status is LocatorStatus.MATCH
    assert turned.iou == pytest.approx(1.0)
    # The quads stay in user space, whatever the rotation.
    assert turned.quads == check_locator(None, laid_out(), SPAN).quads


def test_without_a_span_nothing_ran_and_without_a_layout_nothing_matches() -> None:
    given = ClaimedLocator(page=1, bbox=OWN)
    assert check_locator(given, laid_out(), None).status is LocatorStatus.NOT_RUN
    assert check_locator(given, None, SPAN).status is LocatorStatus.NOT_RUN
    plain = make_extraction("abcdefghij")
    assert check_locator(given, plain, SPAN).status is LocatorStatus.NO_LAYOUT


class ScriptedCrossChecker:
    """Says one thing of every span, and keeps what it was asked."""

    def __init__(self, reading: CrossCheckReading | None) -> None:
        self._reading = reading
        self.asked: list[tuple[Extraction, Span]] = []

    def read(self, extraction: Extraction, span: Span) -> CrossCheckReading | None:
        """The one thing."""
        self.asked.append((extraction, span))
        return self._reading


def lay_out(extraction: Extraction) -> Extraction:
    """The same text in one run of one page, ten units a character."""
    count = len(extraction.text)
    one = np.zeros(1, np.int32)
    left = np.arange(count, dtype=np.int32) * 1000
    layout = Layout(
        run_start=one,
        run_end=np.array([count], np.int32),
        run_x=one,
        run_y=one + 7000,
        run_cos=np.ones(1, np.float32),
        run_sin=np.zeros(1, np.float32),
        run_ascent=one + 900,
        run_descent=one - 200,
        left=left,
        right=left + 1000,
        flags=np.zeros(count, np.uint16),
    )
    box = Rect(0, 0, 612, 792)
    pages = tuple(
        replace(page, frame=PageFrame(view_box=box, media_box=box)) for page in extraction.pages
    )
    return replace(extraction, layout=layout, pages=pages)


LAID_OUT = lay_out(make_extraction(WORDS))


def judge(
    checker: ScriptedCrossChecker | None,
    *,
    extraction: Extraction = LAID_OUT,
    quote: str = WORDS,
    policy: str = "balanced",
    anchors: str = "[1]",
) -> VerificationBlock:
    """An answer with one citation of the document."""
    library = Library(sources=(Source(document=extraction.document, extractions=(extraction,)),))
    span: dict[str, Any] = {"text": quote, "char_start": 0, "char_end": len(quote)}
    payload = {
        "answer": f"Refunds take four business days {anchors}.",
        "citations": [{"anchor": 1, "doc_hash": str(extraction.document.doc_hash), "span": span}],
    }
    return verify(
        parse_answer(json.dumps(payload).encode()).answer,
        library,
        ScriptedModel(),
        load_policy(policy),
        verified_at=MOMENT,
        cross_checker=checker,
    )


def only(block: VerificationBlock) -> Verdict:
    """Its one verdict."""
    (verdict,) = block.verdicts
    return verdict


def test_an_agreement_changes_nothing_but_what_is_told() -> None:
    verdict = only(judge(ScriptedCrossChecker(AGREES)))
    assert verdict.outcome is Outcome.PASS
    assert not any(code.startswith("WITNESS") for code in verdict.codes)
    assert verdict_to_json(verdict)["locator"]["witness"] == {
        "status": "AGREES",
        "engine": ENGINE,
        "read": None,
        "moved": 0.0,
        "reason": None,
    }


@pytest.mark.parametrize("policy", NAMES)
def test_a_disagreement_is_looked_at_under_every_policy(policy: str) -> None:
    verdict = only(judge(ScriptedCrossChecker(DISAGREES), policy=policy))
    assert verdict.outcome is Outcome.REVIEW
    assert "WITNESS_DISAGREES" in verdict.codes
    assert verdict.locator.cross_check.read == "Refunds take five"
    assert verdict.notes == ("A second engine reads the page differently where the quote stands.")


def test_a_witness_that_could_not_read_is_told_and_decides_nothing() -> None:
    verdict = only(judge(ScriptedCrossChecker(NOT_RUN)))
    assert verdict.outcome is Outcome.PASS
    assert "WITNESS_NOT_RUN" in verdict.codes
    assert verdict.locator.cross_check.reason == "limit_exceeded"


@pytest.mark.parametrize("checker", [None, ScriptedCrossChecker(None)])
def test_a_span_that_nobody_was_asked_about_says_so(checker: ScriptedCrossChecker | None) -> None:
    verdict = only(judge(checker))
    assert verdict.locator.cross_check.status is CrossCheckStatus.NOT_ASKED
    assert not any(code.startswith("WITNESS") for code in verdict.codes)


def test_a_text_without_places_is_not_asked_about() -> None:
    checker = ScriptedCrossChecker(DISAGREES)
    verdict = only(judge(checker, extraction=make_extraction(WORDS)))
    assert checker.asked == []
    assert verdict.locator.cross_check.status is CrossCheckStatus.NOT_ASKED


def test_a_quote_that_is_not_found_is_not_asked_about() -> None:
    checker = ScriptedCrossChecker(DISAGREES)
    judge(checker, quote="Purple elephants dance at midnight under neon moons.")
    assert checker.asked == []


def test_a_span_is_read_once_however_often_it_is_cited() -> None:
    checker = ScriptedCrossChecker(AGREES)
    block = judge(checker, anchors="[1]. They take four days [1]")
    assert len(block.verdicts) == 2
    assert len(checker.asked) == 1


def test_the_resolved_span_is_asked_about_not_the_given_offsets() -> None:
    checker = ScriptedCrossChecker(AGREES)
    judge(checker, quote="four business days")
    ((extraction, span),) = checker.asked
    assert extraction.text.slice(span) == "four business days"


def test_the_witness_is_part_of_what_is_digested() -> None:
    digests = {
        judge(checker).verdicts_digest
        for checker in (None, *map(ScriptedCrossChecker, (AGREES, DISAGREES, NOT_RUN)))
    }
    assert len(digests) == 4
