from __future__ import annotations

from dataclasses import replace

import pytest

from spanproof.core.errors import ModelUnavailableError
from spanproof.core.span import Span
from spanproof.core.verdicts.model import Entailment
from spanproof.core.verdicts.status import SupportStatus
from spanproof.verifier.policies import load_policy
from spanproof.verifier.support.judge import SupportJudge
from tests.builders import ScriptedModel

PREMISE = "The fee is due at once."
CLAIM = "A charge applies to every visit."


def judge(
    probabilities: tuple[float, float, float], claim: str = CLAIM
) -> tuple[SupportStatus, str | None]:
    judged = SupportJudge(ScriptedModel({PREMISE: probabilities}), load_policy("balanced"))
    support = judged.judge(PREMISE, claim, premise_start=40)
    return support.status, support.reason


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ((0.97, 0.02, 0.01), (SupportStatus.ENTAILED, None)),
        ((0.20, 0.70, 0.10), (SupportStatus.NEUTRAL, None)),
        ((0.02, 0.08, 0.90), (SupportStatus.CONTRADICTED, None)),
        ((0.53, 0.40, 0.07), (SupportStatus.BORDERLINE, "band")),
        ((0.47, 0.46, 0.07), (SupportStatus.BORDERLINE, "band")),
        ((0.5002, 0.4, 0.09), (SupportStatus.BORDERLINE, "guard_band")),
    ],
)
def test_the_status_follows_the_probabilities(
    probabilities: tuple[float, float, float], expected: tuple[SupportStatus, str | None]
) -> None:
    assert judge(probabilities) == expected


@pytest.mark.parametrize("p_entailment", [n / 50 for n in range(51)])
@pytest.mark.parametrize("p_contradiction", [0.0, 0.2, 0.35, 0.6])
def test_a_stricter_policy_never_makes_a_better_outcome(
    p_entailment: float, p_contradiction: float
) -> None:
    p_contradiction = min(p_contradiction, 1 - p_entailment)
    said = (p_entailment, 1 - p_entailment - p_contradiction, p_contradiction)
    best_first = ("ENTAILED", "BORDERLINE", "NEUTRAL", "CONTRADICTED")
    rank = {
        name: best_first.index(
            SupportJudge(ScriptedModel({PREMISE: said}), load_policy(name))
            .judge(PREMISE, CLAIM, premise_start=0)
            .status
        )
        for name in ("balanced", "strict", "review")
    }
    assert rank["strict"] >= rank["balanced"]
    assert rank["review"] >= rank["balanced"]


def test_a_changed_number_vetoes_what_the_model_calls_entailed() -> None:
    premise = "The supplier pays a fee of 10 euro."
    judged = SupportJudge(ScriptedModel(), load_policy("balanced"))
    claim = "The supplier pays a fee of 15 euro."
    support = judged.judge(premise, claim, premise_start=100)
    assert (support.status, support.reason) == (SupportStatus.NEUTRAL, "veto")
    (veto,) = support.vetoes
    assert claim[veto.claim_span.start : veto.claim_span.end] == veto.claim
    assert veto.source_span is not None
    start, end = veto.source_span.start - 100, veto.source_span.end - 100
    assert premise[start:end] == veto.source
    same = judged.judge(premise, "The supplier pays a fee of ten euro.", premise_start=0)
    assert same.status is SupportStatus.ENTAILED


class _Unable(ScriptedModel):
    def judge(self, pairs: object) -> list[Entailment]:
        del pairs
        return [
            Entailment(
                reason="claim_too_long",
                p_entailment=None,
                p_neutral=None,
                p_contradiction=None,
                windows=0,
                coverage=0.0,
                evidence=None,
            )
        ]


class _Broken(ScriptedModel):
    def judge(self, pairs: object) -> list[Entailment]:
        del pairs
        raise ModelUnavailableError("Expected finite logits, got nan.", hint="Use other weights.")


class _Partial(ScriptedModel):
    def _say(self, premise: str) -> Entailment:
        return replace(super()._say(premise), coverage=0.8)


def test_what_did_not_run_or_did_not_read_everything_is_no_support() -> None:
    policy = load_policy("balanced")
    unable = SupportJudge(_Unable(), policy).judge(PREMISE, CLAIM, premise_start=0)
    assert (unable.status, unable.reason) == (SupportStatus.NOT_RUN, "claim_too_long")
    assert unable.p_entailment is None
    broken = SupportJudge(_Broken(), policy).judge(PREMISE, CLAIM, premise_start=0)
    assert (broken.status, broken.reason) == (SupportStatus.NOT_RUN, "model_failed")
    partial = SupportJudge(_Partial(), policy).judge(PREMISE, CLAIM, premise_start=0)
    assert (partial.status, partial.reason) == (SupportStatus.NOT_RUN, "premise_not_covered")


def test_evidence_is_in_the_canonical_text() -> None:
    support = SupportJudge(ScriptedModel(), load_policy("balanced")).judge(
        PREMISE, CLAIM, premise_start=40
    )
    assert support.evidence == Span(40, 40 + len(PREMISE))


def test_the_same_pair_is_read_once() -> None:
    model = ScriptedModel()
    judged = SupportJudge(model, load_policy("balanced"))
    assert judged.judge(PREMISE, CLAIM, premise_start=0) == judged.judge(
        PREMISE, CLAIM, premise_start=0
    )
    assert len(model.asked) == 1
