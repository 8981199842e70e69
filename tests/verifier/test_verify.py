"""The procedure on one citation: each way to pass, to fail and to be reviewed."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import pytest

from spanproof.core.errors import VerificationFailed
from spanproof.core.verdicts.status import (
    AttributionStatus,
    ExistenceStatus,
    IdentityStatus,
    Outcome,
    SupportStatus,
)
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.support.readable import Readable
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library
from tests.pages import read_page
from tests.verifier.checking import OTHER, POLICY, REFUND, check, cite


def test_an_exact_and_entailed_citation_passes() -> None:
    block = check("Refunds take four business days [1].", cite(REFUND))
    (verdict,) = block.verdicts
    assert verdict.identity.status is IdentityStatus.MATCH
    assert verdict.existence.status is ExistenceStatus.EXACT
    assert verdict.support.status is SupportStatus.ENTAILED
    assert verdict.attribution.status is AttributionStatus.HERE
    assert verdict.outcome is Outcome.PASS
    assert block.result is Outcome.PASS
    assert block.all_spans_present
    assert block.all_claims_entailed
    assert block.recommended_action == "show"
    block.require()


def test_a_contradicted_claim_fails_and_require_raises() -> None:
    model = ScriptedModel({REFUND: (0.01, 0.04, 0.95)})
    block = check("Refunds are never paid [1].", cite(REFUND), model=model)
    assert block.verdicts[0].support.status is SupportStatus.CONTRADICTED
    assert block.result is Outcome.FAIL
    assert not block.all_claims_entailed
    with pytest.raises(VerificationFailed, match="negation"):
        block.require()


def test_a_moved_span_is_read_where_it_stands_and_goes_to_review() -> None:
    block = check("Refunds take four business days [1].", cite(REFUND, at=7))
    (verdict,) = block.verdicts
    assert verdict.existence.status is ExistenceStatus.MOVED
    assert verdict.existence.span is not None
    assert verdict.existence.span.start == 0
    assert verdict.support.status is SupportStatus.ENTAILED
    assert block.result is Outcome.REVIEW
    assert check("It [1].", cite(REFUND, at=7), policy="strict").result is Outcome.FAIL


def test_words_of_another_supplied_document_are_misattributed_and_found_elsewhere() -> None:
    quote = "The tenant repairs the roof at its own cost every spring."
    block = check("The tenant repairs the roof [1].", cite(quote))
    (verdict,) = block.verdicts
    assert verdict.existence.status is ExistenceStatus.MISATTRIBUTED
    assert verdict.support.status is SupportStatus.NOT_RUN
    assert verdict.support.reason == "no_span"
    assert verdict.attribution.status is AttributionStatus.ELSEWHERE
    assert verdict.attribution.supported_by[0].doc_hash == OTHER.document.doc_hash
    assert block.result is Outcome.FAIL


@pytest.mark.parametrize("given", ["documents", "chunk text", "chunk offsets"])
def test_support_is_looked_for_in_everything_that_was_supplied(given: str) -> None:
    roof = "The tenant repairs the roof at its own cost every spring."
    other = str(OTHER.document.doc_hash)
    chunk: dict[str, Any] = {"chunk_id": "c", "doc_hash": other}
    chunk |= {"text": roof} if given == "chunk text" else {"char_start": 0, "char_end": len(roof)}
    more: dict[str, Any] = (
        {"documents": [other]} if given == "documents" else {"retrieved": [chunk]}
    )
    whole = OTHER.text.text if given == "documents" else roof
    model = ScriptedModel({Readable.of(whole).text: (0.97, 0.02, 0.01)})
    block = check(
        "The tenant repairs the roof every spring [1].", cite(REFUND), model=model, **more
    )
    (verdict,) = block.verdicts
    assert verdict.support.status is SupportStatus.NEUTRAL
    assert verdict.attribution.status is AttributionStatus.ELSEWHERE
    assert verdict.attribution.supported_by[0].doc_hash == OTHER.document.doc_hash
    nowhere = check("Bees may be kept [1].", cite(REFUND), model=ScriptedModel({}), **more)
    assert nowhere.verdicts[0].attribution.status is AttributionStatus.NOWHERE


def test_an_altered_number_fails_on_the_words_of_the_source() -> None:
    quote = "Refunds are paid within nine business days of the request."
    model = ScriptedModel()
    block = check("Refunds take nine business days [1].", cite(quote, at=0), model=model)
    (verdict,) = block.verdicts
    assert verdict.existence.status is ExistenceStatus.ALTERED
    assert verdict.existence.difference is not None
    assert [(e.quote, e.source) for e in verdict.existence.difference.edits] == [("nine", "four")]
    assert all(premise != quote for premise, _ in model.asked)
    assert "nine" in verdict.notes
    assert "four" in verdict.notes
    assert block.result is Outcome.FAIL


def test_a_quote_that_stands_nowhere_is_absent() -> None:
    block = check("Bees may be kept [1].", cite("Bees may be kept on every roof garden in town."))
    assert block.verdicts[0].existence.status is ExistenceStatus.ABSENT
    assert block.verdicts[0].support.status is SupportStatus.NOT_RUN
    assert block.result is Outcome.FAIL
    assert block.citation_level == "RED"


def test_two_places_without_offsets_are_ambiguous_and_reviewed() -> None:
    citation = cite("Notices are sent by post.")
    del citation["span"]["char_start"], citation["span"]["char_end"]
    block = check("Notices go by post [1].", citation)
    assert block.verdicts[0].existence.status is ExistenceStatus.AMBIGUOUS
    assert len(block.verdicts[0].existence.candidates) == 2
    assert block.result is Outcome.REVIEW


def test_a_hash_of_no_known_document_is_an_error_not_a_failure() -> None:
    citation = cite(REFUND) | {"doc_hash": "sha256:" + "0" * 64}
    block = check("Refunds take four business days [1].", citation)
    (verdict,) = block.verdicts
    assert verdict.identity.status is IdentityStatus.UNKNOWN_DOCUMENT
    assert verdict.existence.status is ExistenceStatus.NOT_RUN
    assert block.result is Outcome.ERROR
    assert block.abstention_reason == "verification_incomplete"


def test_a_document_without_text_is_unverifiable_never_absent() -> None:
    scanned = make_extraction("", scanned=True)
    block = check("A [1].", cite("A b c.", document=scanned), library=make_library(scanned))
    assert block.verdicts[0].existence.status is ExistenceStatus.UNVERIFIABLE
    assert block.result is Outcome.ERROR


def test_a_blank_at_the_end_of_the_quote_is_not_stripped() -> None:
    """A published verifier stripped both sides before comparing."""
    text = REFUND + " "
    citation = cite(REFUND) | {"span": {"text": text, "char_start": 0, "char_end": len(text)}}
    block = check("Refunds take four business days [1].", citation)
    assert block.verdicts[0].existence.status is not ExistenceStatus.EXACT


@pytest.mark.parametrize("policy", ["balanced", "strict", "review"])
def test_a_model_that_did_not_run_is_never_a_pass(policy: str) -> None:
    """A published verifier held 'not run' as None, which is not False."""
    from spanproof.verifier.entailment import NullEntailment

    parsed = parse_answer(
        json.dumps({"answer": "Refunds take four days [1].", "citations": [cite(REFUND)]}).encode()
    )
    with pytest.warns(match="model_unavailable"):
        block = verify(
            parsed.answer,
            make_library(POLICY),
            NullEntailment("model_unavailable"),
            load_policy(policy),
            verified_at=MOMENT,
        )
    assert block.verdicts[0].support.status is SupportStatus.NOT_RUN
    assert block.verdicts[0].attribution.status is AttributionStatus.NOT_RUN
    assert block.result is Outcome.ERROR
    assert block.all_claims_entailed is False


def test_offsets_in_another_unit_are_named() -> None:
    astral = make_extraction("𝑉𝑉𝑉 The fee is ten euro.")
    quote = "The fee is ten euro."
    block = check(
        "The fee is ten euro [1].",
        cite(quote, document=astral, at=7),
        library=make_library(astral),
    )
    (verdict,) = block.verdicts
    assert verdict.existence.status is ExistenceStatus.MOVED
    assert "OFFSET_UNIT_MISMATCH" in verdict.codes
    assert block.imported.observed_unit == "utf16"
    declared = cite(quote, document=astral, at=7)
    declared["span"]["unit"] = "utf16"
    right = check("The fee is ten euro [1].", declared, library=make_library(astral))
    assert right.verdicts[0].existence.status is ExistenceStatus.EXACT


def test_offsets_beyond_the_text_go_down_the_ladder() -> None:
    block = check("Refunds take four business days [1].", cite(REFUND, at=100_000))
    assert block.verdicts[0].existence.status is ExistenceStatus.MOVED
    assert "SPAN_OUT_OF_RANGE" in block.verdicts[0].codes


def test_a_fold_that_the_policy_does_not_accept_is_reviewed() -> None:
    folded = REFUND.replace("Refunds are", "Refunds\u00a0are")
    raw = json.dumps(
        {
            "answer": "Refunds take four business days [1].",
            "citations": [cite(REFUND) | {"span": {"text": folded}}],
        }
    ).encode()
    answer, balanced = parse_answer(raw).answer, load_policy("balanced")
    outcomes = {}
    for policy in (balanced, replace(balanced, folds=())):
        (verdict,) = verify(
            answer, make_library(POLICY), ScriptedModel(), policy, verified_at=MOMENT
        ).verdicts
        assert verdict.existence.status is ExistenceStatus.FOLD_EQUAL
        assert verdict.existence.folds == ("white_space",)
        outcomes[bool(policy.folds)] = (verdict.outcome, "FOLD_NOT_ACCEPTED" in verdict.codes)
    assert outcomes == {True: (Outcome.PASS, False), False: (Outcome.REVIEW, True)}


def test_a_name_alone_is_reviewed_under_strict() -> None:
    library = make_library(POLICY, names={"policy": POLICY})
    citation = cite(REFUND) | {"doc_id": "policy"}
    del citation["doc_hash"]
    prose = "Refunds take four business days [1]."
    assert check(prose, citation, library=library).result is Outcome.PASS
    assert check(prose, citation, library=library, policy="strict").result is Outcome.REVIEW


def test_the_docs_carry_the_numbers_of_the_procedure() -> None:
    steps = [
        line.partition(":")[0]
        for line in (sys.modules["spanproof.verifier.verify"].__doc__ or "").splitlines()
        if line.startswith("(")
    ]
    assert len(steps) == 9
    text = read_page("verification.md")
    assert [line[3:] for line in text.splitlines() if line.startswith("## (")] == steps
