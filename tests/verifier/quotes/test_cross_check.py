"""What a second engine's word does to a verdict; the engines themselves are tested elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from spanproof.core.documents.document import Library, Source
from spanproof.core.documents.layout import Layout
from spanproof.core.geometry import PageFrame, Rect
from spanproof.core.ports import WitnessReading
from spanproof.core.verdicts.block_json import verdict_to_json
from spanproof.core.verdicts.status import Outcome, WitnessStatus
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import NAMES, load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.core.verdicts.verification_block import VerificationBlock

WORDS = "Refunds take four business days."
ENGINE = "pypdfium2@5+canon-1"
AGREES = WitnessReading(status="AGREES", engine=ENGINE, moved=0.0)
DISAGREES = WitnessReading(status="DISAGREES", engine=ENGINE, read="Refunds take five", moved=0.25)
NOT_RUN = WitnessReading(status="NOT_RUN", engine=ENGINE, reason="limit_exceeded")


class ScriptedWitness:
    """Says one thing of every span, and keeps what it was asked."""

    def __init__(self, reading: WitnessReading | None) -> None:
        self._reading = reading
        self.asked: list[tuple[Extraction, Span]] = []

    def read(self, extraction: Extraction, span: Span) -> WitnessReading | None:
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
    witness: ScriptedWitness | None,
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
        witness=witness,
    )


def only(block: VerificationBlock) -> Verdict:
    """Its one verdict."""
    (verdict,) = block.verdicts
    return verdict


def test_an_agreement_changes_nothing_but_what_is_told() -> None:
    verdict = only(judge(ScriptedWitness(AGREES)))
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
    verdict = only(judge(ScriptedWitness(DISAGREES), policy=policy))
    assert verdict.outcome is Outcome.REVIEW
    assert "WITNESS_DISAGREES" in verdict.codes
    assert verdict.locator.witness.read == "Refunds take five"
    assert verdict.notes == ("A second engine reads the page differently where the quote stands.")


def test_a_witness_that_could_not_read_is_told_and_decides_nothing() -> None:
    verdict = only(judge(ScriptedWitness(NOT_RUN)))
    assert verdict.outcome is Outcome.PASS
    assert "WITNESS_NOT_RUN" in verdict.codes
    assert verdict.locator.witness.reason == "limit_exceeded"


@pytest.mark.parametrize("witness", [None, ScriptedWitness(None)])
def test_a_span_that_nobody_was_asked_about_says_so(witness: ScriptedWitness | None) -> None:
    verdict = only(judge(witness))
    assert verdict.locator.witness.status is WitnessStatus.NOT_ASKED
    assert not any(code.startswith("WITNESS") for code in verdict.codes)


def test_a_text_without_places_is_not_asked_about() -> None:
    witness = ScriptedWitness(DISAGREES)
    verdict = only(judge(witness, extraction=make_extraction(WORDS)))
    assert witness.asked == []
    assert verdict.locator.witness.status is WitnessStatus.NOT_ASKED


def test_a_quote_that_is_not_found_is_not_asked_about() -> None:
    witness = ScriptedWitness(DISAGREES)
    judge(witness, quote="Purple elephants dance at midnight under neon moons.")
    assert witness.asked == []


def test_a_span_is_read_once_however_often_it_is_cited() -> None:
    witness = ScriptedWitness(AGREES)
    block = judge(witness, anchors="[1]. They take four days [1]")
    assert len(block.verdicts) == 2
    assert len(witness.asked) == 1


def test_the_resolved_span_is_asked_about_not_the_given_offsets() -> None:
    witness = ScriptedWitness(AGREES)
    judge(witness, quote="four business days")
    ((extraction, span),) = witness.asked
    assert extraction.text.slice(span) == "four business days"


def test_the_witness_is_part_of_what_is_digested() -> None:
    digests = {
        judge(witness).verdicts_digest
        for witness in (None, *map(ScriptedWitness, (AGREES, DISAGREES, NOT_RUN)))
    }
    assert len(digests) == 4
