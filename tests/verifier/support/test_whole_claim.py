"""What coverage makes of the model's judgement: leftovers ask for review, verbatim claims pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spanproof.core.verdicts.status import SupportStatus
from spanproof.core.verdicts.verdict import Support
from spanproof.verifier.policies import load_policy
from spanproof.verifier.support.judge import SupportJudge
from tests.builders import ScriptedModel

SOURCE = (
    "The council approved the new bridge on Monday. Work starts in May and will take two years. "
    "The old bridge may have been damaged by floods."
)
ENTAILED, NEUTRAL, CONTRADICTED = (0.97, 0.02, 0.01), (0.2, 0.75, 0.05), (0.02, 0.08, 0.9)
POLICIES = ("balanced", "strict", "review")


def judge(
    claim: str, said: tuple[float, float, float], policy: str = "balanced", source: str = SOURCE
) -> Support:
    model = ScriptedModel({source: said})
    model.identity = replace(model.identity, thresholds=())
    judged = SupportJudge(model, load_policy(policy))
    return judged.judge(source, claim, premise_start=40)


@pytest.mark.parametrize("policy", POLICIES)
def test_words_that_nothing_accounts_for_ask_for_review(policy: str) -> None:
    claim = "The council approved the new bridge on Monday and thanked the engineers."
    support = judge(claim, ENTAILED, policy)
    assert (support.status, support.reason) == (SupportStatus.BORDERLINE, "claim_part_unsupported")
    assert [part.claim for part in support.unsupported_parts] == ["thanked", "engineers"]
    assert all(
        claim[part.span.start : part.span.end] == part.claim for part in support.unsupported_parts
    )
    assert support.ordered_coverage == pytest.approx(5 / 7)


@pytest.mark.parametrize("said", [ENTAILED, NEUTRAL])
def test_a_whole_sentence_in_other_words_is_restated(said: tuple[float, float, float]) -> None:
    support = judge("In May the construction begins.", said, source="The building starts in May.")
    assert support.status is SupportStatus.ENTAILED
    assert support.reason in {"restated", "verbatim"}
    assert support.unsupported_parts == ()


def test_every_word_out_of_two_clauses_is_not_enough() -> None:
    claim = "The council approved work in May."
    support = judge(claim, ENTAILED)
    assert support.unsupported_parts == ()
    assert (support.status, support.reason) == (SupportStatus.BORDERLINE, "no_certificate")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("said", [NEUTRAL, (0.5, 0.45, 0.05), (0.53, 0.4, 0.07)])
def test_a_claim_word_for_word_is_entailed_whatever_p_says(
    said: tuple[float, float, float], policy: str
) -> None:
    support = judge("The council approved the new bridge on Monday.", said, policy)
    assert (support.status, support.reason) == (SupportStatus.ENTAILED, "verbatim")
    assert support.p_entailment == said[0]
    assert support.ordered_coverage == 1.0


def test_a_whole_sentence_is_said_even_if_the_model_calls_it_contradicted() -> None:
    support = judge("The council approved the new bridge on Monday.", CONTRADICTED)
    assert (support.status, support.reason) == (SupportStatus.ENTAILED, "verbatim")
    assert support.p_contradiction == CONTRADICTED[2]


def test_a_clause_that_the_model_calls_contradicted_is_not_said() -> None:
    claim = "The council approved the new bridge."
    assert judge(claim, NEUTRAL).status is SupportStatus.ENTAILED
    assert judge(claim, CONTRADICTED).status is SupportStatus.CONTRADICTED


@pytest.mark.parametrize(
    "claim",
    [
        "Floods damaged the old bridge.",  # another order
        "The old bridge was damaged by floods.",  # the source says that it may have been
        "The council approved the old bridge on Monday.",  # an opposite
        "The bridge.",  # too few words
    ],
)
def test_what_is_not_word_for_word_is_not_lifted(claim: str) -> None:
    assert judge(claim, NEUTRAL).reason != "verbatim"


def test_what_was_not_judged_has_no_coverage() -> None:
    support = Support(status=SupportStatus.NOT_RUN, reason="no_span")
    assert (support.ordered_coverage, support.unsupported_parts) == (None, ())
