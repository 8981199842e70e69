"""What a whole answer comes to: its result, its level, its digest, what it cites in vain."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_library
from tests.verifier.checking import OTHER, POLICY, REFUND, check, cite

if TYPE_CHECKING:
    from spanproof.core.verdicts.verification_block import VerificationBlock


@pytest.mark.parametrize(
    ("prose", "citations", "reason"),
    [
        ("Nothing is cited here.", [], "no_citations"),
        ("", [], "no_citations"),
        ("Only an orphan [7].", [], "orphan_anchors"),
        ("Given but unused.", [cite(REFUND)], "no_citations"),
    ],
)
def test_no_verdict_at_all_is_never_a_pass(
    prose: str, citations: list[dict[str, Any]], reason: str
) -> None:
    block = check(prose, *citations)
    assert block.result is Outcome.FAIL
    assert block.all_spans_present is False
    assert block.all_claims_entailed is False
    assert (block.citation_level, block.abstention_reason) == ("RED", reason)


def test_an_abstention_is_reviewed_not_passed() -> None:
    assert check("I cannot say.", answer_kind="abstention").result is Outcome.REVIEW


def test_orphans_unused_and_uncited_are_reported_and_an_orphan_fails() -> None:
    prose = "Refunds take four business days [1]. More [4]. Uncited here."
    block = check(prose, cite(REFUND), cite(REFUND, anchor=3))
    assert [(n, prose[s.start : s.end]) for n, s in block.orphan_anchors] == [(4, "[4]")]
    assert block.unused_citations == (3,)
    assert [prose[s.span.start : s.span.end] for s in block.uncited_sentences] == ["Uncited here."]
    assert block.verdicts[0].outcome is Outcome.PASS
    assert block.result is Outcome.FAIL
    assert not block.all_spans_present


def test_the_same_words_cited_twice_raise_no_level() -> None:
    prose = "Refunds take four business days [1][2]."
    block = check(prose, cite(REFUND), cite(REFUND, anchor=2))
    assert block.result is Outcome.PASS
    assert block.citation_level == "YELLOW"
    assert block.declared_count == 2
    second = "The supplier must not subcontract without consent."
    prose = "Refunds take four business days [1]. The supplier must not subcontract [2]."
    green = check(prose, cite(REFUND), cite(second, anchor=2))
    assert green.citation_level == "GREEN"


def test_the_digest_is_of_verdicts_policy_and_model_only() -> None:
    def once(**changes: Any) -> VerificationBlock:
        return check("Refunds take four business days [1].", cite(REFUND), **changes)

    first = once()
    parsed = parse_answer(
        json.dumps(
            {"answer": "Refunds take four business days [1].", "citations": [cite(REFUND)]}
        ).encode()
    )
    later = verify(
        parsed.answer,
        make_library(POLICY, OTHER),
        ScriptedModel(),
        load_policy("balanced"),
        verified_at=MOMENT.replace(year=2027),
    )
    assert first.verdicts_digest == later.verdicts_digest
    assert once(policy="strict").verdicts_digest != first.verdicts_digest
    assert once(model=ScriptedModel({})).verdicts_digest != first.verdicts_digest


def test_the_block_has_every_field_of_the_contract() -> None:
    block = check("Refunds take four business days [1].", cite(REFUND))
    found = block_to_json(block)
    json.dumps(found, allow_nan=False)
    assert set(found) >= {
        "verifier_version", "verified_at", "all_spans_present", "all_claims_entailed", "result",
        "citation_level", "citation_density", "declared", "recommended_action", "abstention_reason",
        "orphan_anchors", "unused_citations", "uncited_sentences", "policy", "model",
        "verdicts_digest", "import", "verdicts",
    }  # fmt: skip
    (verdict,) = found["verdicts"]
    assert set(verdict) >= {
        "anchor", "citation", "claim", "identity", "existence", "locator", "support",
        "attribution", "outcome", "codes", "notes", "view_url",
    }  # fmt: skip
    assert verdict["view_url"] is not None
    assert verdict["view_url"].startswith("/view/sha256:")
    assert found["verified_at"] == "2026-11-20T14:00:00Z"
    model = block.model.weights_digest
    assert model is not None
    assert str(model) in found["verifier_version"]
    assert str(block.policy.digest) in found["verifier_version"]


def test_a_case_is_judged_alike_in_any_order() -> None:
    prose = "Refunds take four business days [1]. No subcontracting [2]."
    one, two = cite(REFUND), cite("The supplier must not subcontract without consent.", anchor=2)
    forward, backward = check(prose, one, two), check(prose, two, one)
    assert [replace(verdict, citation=0) for verdict in forward.verdicts] == [
        replace(verdict, citation=0) for verdict in backward.verdicts
    ]
