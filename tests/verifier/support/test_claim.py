"""Step 5 through ``verify``: parts, context and company, with a model that answers by rule."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import Outcome, SupportStatus
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, make_extraction, make_library
from tests.verifier.pair_models import AGAINST, NO, OPEN, YES, PairModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.core.verdicts.verification_block import VerificationBlock

REFUND = "Refunds are paid within four days."
RETURN = "Returns are free of charge."
POST = "Notices are sent by post."
ROOF = "The tenant repairs the roof."
RENT = "The rent is due in May."
KEYS = "Keys are handed over at noon."
PETS = "Pets are kept outside."
ALL = [REFUND, RETURN, POST, ROOF, RENT, KEYS, PETS]
# Apart by more than a context of sentences: what stands before a span is tested elsewhere.
TERMS = make_extraction("\n\n".join(f"{'Filler words stand here. ' * 30}\n\n{s}" for s in ALL))


def cite(text: str, anchor: int, document: Extraction = TERMS) -> dict[str, Any]:
    start = document.text.text.index(text)
    span = {"text": text, "char_start": start, "char_end": start + len(text)}
    return {"anchor": anchor, "doc_hash": str(document.document.doc_hash), "span": span}


def check(
    prose: str,
    quotes: Sequence[str],
    model: PairModel,
    *,
    document: Extraction = TERMS,
    policy: str = "balanced",
    **more: Any,
) -> VerificationBlock:
    citations = [cite(quote, number, document) for number, quote in enumerate(quotes, 1)]
    raw = json.dumps({"answer": prose, "citations": citations} | more).encode()
    return verify(
        parse_answer(raw).answer,
        make_library(document),
        model,
        load_policy(policy),
        verified_at=MOMENT,
    )


def only(block: VerificationBlock) -> Verdict:
    (verdict,) = block.verdicts
    return verdict


def holds(*words: str) -> Any:
    """Entailed where the premise has all of these words, neutral elsewhere."""
    return lambda premise, _: YES if all(word in premise for word in words) else NO


def test_a_simple_claim_that_passes_costs_one_call() -> None:
    model = PairModel(lambda _premise, _claim: YES)
    block = check("Refunds take four days [1].", [REFUND], model)
    assert model.asked == [(REFUND, "Refunds take four days.")]
    support = only(block).support
    assert (support.grade, support.subclaims, support.context) == ("full", (), "bare")
    assert (support.joint, support.read) == (None, None)
    assert block.result is Outcome.PASS


def test_no_pair_is_read_twice() -> None:
    model = PairModel(lambda _premise, _claim: NO)
    prose = "Refunds are quick, but returns are free [1][2][3]. Returns are free [2]."
    check(prose, [REFUND, RETURN, POST], model)
    assert len(model.asked) == len(set(model.asked))


TWO = "Refunds are paid within four days and returns are refused [1]."


def say_of_parts(whole: Any, first: Any, second: Any) -> PairModel:
    told = {
        "Refunds are paid within four days and returns are refused.": whole,
        "Refunds are paid within four days.": first,
        "Returns are refused.": second,
    }
    return PairModel(lambda _premise, claim: told[claim])


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((YES, YES, YES), (SupportStatus.ENTAILED, None, "full", Outcome.PASS)),
        ((YES, YES, OPEN), (SupportStatus.ENTAILED, None, "full", Outcome.PASS)),
        ((YES, YES, NO), (SupportStatus.BORDERLINE, "parts_disagree", "partial", Outcome.REVIEW)),
        (
            (YES, YES, AGAINST),
            (SupportStatus.BORDERLINE, "parts_disagree", "partial", Outcome.REVIEW),
        ),
        (
            (YES, YES, "model_failed"),
            (SupportStatus.BORDERLINE, "part_not_run", "partial", Outcome.REVIEW),
        ),
        ((NO, YES, NO), (SupportStatus.NEUTRAL, None, "partial", Outcome.FAIL)),
        ((NO, YES, YES), (SupportStatus.NEUTRAL, None, "partial", Outcome.FAIL)),
        # The span says one part word for word, whatever the model says.
        ((NO, NO, NO), (SupportStatus.NEUTRAL, None, "partial", Outcome.FAIL)),
        ((OPEN, YES, NO), (SupportStatus.BORDERLINE, "band", "partial", Outcome.REVIEW)),
        ((AGAINST, YES, NO), (SupportStatus.CONTRADICTED, None, "partial", Outcome.FAIL)),
        (
            ("claim_too_long", YES, YES),
            (SupportStatus.BORDERLINE, "claim_in_parts", "partial", Outcome.REVIEW),
        ),
        (
            ("claim_too_long", YES, OPEN),
            (SupportStatus.NOT_RUN, "claim_too_long", None, Outcome.ERROR),
        ),
        (
            ("claim_too_long", YES, NO),
            (SupportStatus.NOT_RUN, "claim_too_long", None, Outcome.ERROR),
        ),
        (("no_premise", YES, YES), (SupportStatus.NOT_RUN, "no_premise", None, Outcome.ERROR)),
    ],
)
def test_what_the_parts_make_of_the_whole(
    said: tuple[Any, Any, Any], expected: tuple[SupportStatus, str | None, str | None, Outcome]
) -> None:
    verdict = only(check(TWO, [REFUND], say_of_parts(*said)))
    support = verdict.support
    assert (support.status, support.reason, support.grade, verdict.outcome) == expected


SAID = st.sampled_from([YES, NO, AGAINST, OPEN, "claim_too_long", "model_failed"])


@settings(deadline=None)
@given(said=st.tuples(SAID, SAID, SAID), policy=st.sampled_from(["balanced", "strict", "review"]))
def test_partial_support_never_passes_and_parts_only_lower(
    said: tuple[Any, Any, Any], policy: str
) -> None:
    with_parts = only(check(TWO, [REFUND], say_of_parts(*said), policy=policy))
    if with_parts.outcome is Outcome.PASS:
        assert with_parts.support.grade == "full"
        assert said[0] == YES
        assert not {"model_failed", "claim_too_long"} & set(said[1:])
        # The span says the first part word for word: only of the second the model's no counts.
        assert said[2] not in {NO, AGAINST}
    if with_parts.support.grade == "partial":
        assert with_parts.support.status is not SupportStatus.ENTAILED


def test_a_veto_on_a_part_sends_the_whole_to_a_person() -> None:
    premise = "The fee is due in 4 days. The deposit of 20 euro is returned in 9 days."
    document = make_extraction(premise)
    prose = "The fee is due in 4 days and the deposit is returned in 8 days [1]."

    def say(_premise: str, claim: str) -> tuple[float, float, float]:
        return YES if claim else NO

    support = only(check(prose, [premise], PairModel(say), document=document)).support
    assert support.status is not SupportStatus.ENTAILED
    assert support.vetoes or any(part.vetoes for part in support.subclaims)


def test_subclaims_stand_in_the_answer() -> None:
    prose = "Before it. " + TWO
    support = only(check(prose, [REFUND], say_of_parts(YES, YES, NO))).support
    for part in support.subclaims:
        assert prose[part.span.start : part.span.end] == part.text
    assert [part.status.value for part in support.subclaims] == ["ENTAILED", "NEUTRAL"]
    assert [part.p_entailment for part in support.subclaims] == [YES[0], NO[0]]


BOTH = "Refunds take four days and returns are free [1][2]."


def test_two_citations_support_together_what_neither_does_alone() -> None:
    model = PairModel(holds("Refunds", "Returns"))
    block = check("Refunds are quick and free [1][2].", [REFUND, RETURN], model)
    for verdict, quote in zip(block.verdicts, (REFUND, RETURN), strict=True):
        support = verdict.support
        assert (support.status, support.reason) == (SupportStatus.ENTAILED, "joint")
        assert support.joint is not None
        assert support.joint.citations == (0, 1)
        assert (support.joint.status, support.joint.p_entailment) == ("ENTAILED", YES[0])
        assert (support.joint.alone, support.joint.p_alone) == ("NEUTRAL", NO[0])
        assert support.coverage == 1.0
        assert support.evidence is not None
        assert TERMS.text.slice(support.evidence) == quote
        assert support.read is not None
        assert support.read.premise == f"{REFUND}\n{RETURN}"
        assert verdict.attribution.status == "HERE"
        assert verdict.outcome is Outcome.PASS
        assert "together" in verdict.notes


def test_the_smallest_set_is_taken_and_others_stay_as_they_are() -> None:
    model = PairModel(holds("Refunds", "post"))
    block = check("Refunds go by post [1][2][3][4].", [RETURN, REFUND, POST, ROOF], model)
    found = {v.citation: v.support for v in block.verdicts}
    assert [found[n].status.value for n in range(4)] == [
        "NEUTRAL", "ENTAILED", "ENTAILED", "NEUTRAL",
    ]  # fmt: skip
    assert found[1].joint == found[2].joint
    assert found[1].joint is not None
    assert found[1].joint.citations == (1, 2)
    assert found[0].joint is None
    assert block.result is Outcome.FAIL


def test_one_citation_that_entails_leaves_the_others_alone() -> None:
    model = PairModel(holds("Refunds"))
    block = check("Refunds are quick [1][2].", [REFUND, RETURN], model)
    assert [v.support.status.value for v in block.verdicts] == ["ENTAILED", "NEUTRAL"]
    assert all(v.support.joint is None for v in block.verdicts)
    assert all("\n" not in premise for premise, _ in model.asked)


def test_what_contradicts_is_in_no_set() -> None:
    def say(premise: str, _claim: str) -> tuple[float, float, float]:
        if premise == POST:
            return AGAINST
        return YES if "Refunds" in premise and "Returns" in premise else NO

    model = PairModel(say)
    block = check("Refunds are quick and free [1][2][3].", [POST, REFUND, RETURN], model)
    assert [v.support.status.value for v in block.verdicts] == [
        "CONTRADICTED", "ENTAILED", "ENTAILED",
    ]  # fmt: skip
    assert not any("\n" in premise and POST in premise for premise, _ in model.asked)
    assert block.result is Outcome.FAIL


def test_altered_words_are_in_no_set() -> None:
    model = PairModel(holds("Refunds", "Returns"))
    altered = cite(REFUND, 1)
    altered["span"]["text"] = REFUND.replace("four", "nine")
    raw = {"answer": "Quick and free [1][2].", "citations": [altered, cite(RETURN, 2)]}
    block = verify(
        parse_answer(json.dumps(raw).encode()).answer,
        make_library(TERMS),
        model,
        load_policy("balanced"),
        verified_at=MOMENT,
    )
    assert [v.existence.status.value for v in block.verdicts] == ["ALTERED", "EXACT"]
    assert [v.support.status.value for v in block.verdicts] == ["NEUTRAL", "NEUTRAL"]
    assert all("\n" not in premise for premise, _ in model.asked)


def test_a_span_that_the_deciding_window_does_not_touch_supports_nothing() -> None:
    model = PairModel(holds("Refunds", "Returns"), window=REFUND)
    block = check("Refunds are quick and free [1][2].", [REFUND, RETURN], model)
    assert [v.support.status.value for v in block.verdicts] == ["NEUTRAL", "NEUTRAL"]
    assert all(v.support.joint is not None for v in block.verdicts)


def test_the_same_words_cited_twice_are_one_span() -> None:
    model = PairModel(holds("Refunds", "Returns"))
    block = check("Refunds are quick and free [1][2][3].", [REFUND, RETURN, REFUND], model)
    assert [v.support.reason for v in block.verdicts] == ["joint"] * 3
    assert block.verdicts[0].support.joint is not None
    assert block.verdicts[0].support.joint.citations == (0, 2, 1)


def test_a_veto_is_looked_for_in_the_joint_text() -> None:
    quotes = ["The fee is due in 4 days.", "The deposit is due in 9 days."]
    document = make_extraction("\n\n".join(quotes))
    right = "The fee is due in 4 days and the deposit is due in 9 days [1][2]."
    found = []
    for claim in (right, right.replace("9", "8")):
        block = check(claim, quotes, PairModel(holds("4 days", "9 days")), document=document)
        for verdict in block.verdicts:
            joint = verdict.support.joint
            assert joint is not None
            assert joint.p_entailment == YES[0]
            found.append((verdict.support.status.value, joint.status.value, joint.reason))
    assert found[:2] == [("ENTAILED", "ENTAILED", None)] * 2
    assert found[2:] == [("NEUTRAL", "NEUTRAL", "veto")] * 2


@pytest.mark.parametrize(("count", "sets"), [(2, 1), (3, 4), (4, 11), (5, 21), (6, 36)])
def test_the_number_of_sets_is_bounded(count: int, sets: int) -> None:
    model = PairModel(lambda _premise, _claim: NO)
    marks = "".join(f"[{n}]" for n in range(1, count + 1))
    block = check(f"Bees may be kept {marks}.", ALL[:count], model)
    assert sum("\n" in premise for premise, _ in model.asked) == sets
    joint = block.verdicts[0].support.joint
    assert joint is not None
    assert (joint.citations, joint.status) == (tuple(range(count)), SupportStatus.NEUTRAL)


def test_a_large_set_is_thinned_to_what_it_needs() -> None:
    needed = ("Refunds", "Returns", "post", "roof")
    block = check(
        "All of it holds [1][2][3][4][5][6].", [RENT, *ALL[:4], KEYS], PairModel(holds(*needed))
    )
    assert [v.support.reason for v in block.verdicts] == [None, *["joint"] * 4, None]


def test_of_seven_spans_nothing_is_tried_and_that_is_said() -> None:
    model = PairModel(holds("Refunds", "Returns"))
    block = check("Refunds are free [1][2][3][4][5][6][7].", ALL, model)
    for verdict in block.verdicts:
        assert verdict.support.status is SupportStatus.NEUTRAL
        assert verdict.support.joint is not None
        assert verdict.support.joint.status is SupportStatus.NOT_RUN
        assert verdict.support.joint.reason == "too_many_citations"
        assert verdict.support.joint.p_entailment is None


def test_the_block_tells_what_an_auditor_compares() -> None:
    model = PairModel(lambda _premise, _claim: YES)
    (verdict,) = block_to_json(check(TWO, [REFUND], model))["verdicts"]
    support = verdict["support"]
    # 0.97 * 3.3 is no float32; the nearest one in its fewest digits is.
    assert support["logits"] == {"entailed": 3.201, "neutral": 0.02, "contradicted": 0.01}
    assert support["grade"] == "full"
    assert support["context"] == "bare"
    assert support["joint"] is None
    assert support["read"] is None
    assert support["terms"] == []
    for part in support["subclaims"]:
        assert TWO[part["start"] : part["end"]] == part["text"]
        assert set(part) == {
            "text", "start", "end", "hypothesis", "status", "reason", "p_entailment", "p_neutral",
            "p_contradiction", "logits", "vetoes",
        }  # fmt: skip
