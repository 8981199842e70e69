"""What the rates rest on: which answers are one sample, and what is no answer's own fault."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import UnknownPolicyError
from spanproof.operations.sampling.rates import compute_rates
from spanproof.operations.sampling.verification import verify_sampled
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.store.samples.records import Outcome
from tests.operations.sampling.conftest import ALL, BAD, GOOD, make_payload, submit
from tests.store.examples import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def label(context: Context, said: str, *names: str) -> None:
    for name in names:
        context.store.samples.reviews.add_label(
            name,
            said,  # type: ignore[arg-type]
            reviewer="ann",
            note=None,
            labelled_at=NOON,
        )


def refuse(context: Context, answer_id: str) -> None:
    answer = context.store.samples.answers.load(answer_id)
    outcome = Outcome(
        answer_id=answer_id,
        number=answer.number,
        verification_id=None,
        answer_kind="answer",
        result="error",
        is_flagged=True,
        cited=0,
        failed=0,
        share=1.0,
        problem_code="MALFORMED_ANSWER",
        verified_at=NOON,
    )
    assert context.store.samples.outcomes.add(outcome, (), None)


def test_a_refused_answer_may_be_right_whatever_people_say_of_the_others(
    open_home: Callable[..., Any],
) -> None:
    with open_home(ALL) as context:
        for name, quote in (("a", BAD), ("b", GOOD), ("c", GOOD), ("d", GOOD)):
            submit(context, make_payload(name, quote), trace_parent=f"00-{TRACE}-{'1' * 16}-01")
        submit(context, make_payload("e", GOOD))
        refuse(context, "d")
        verify_waiting(context)
        label(context, "wrong", "a", "b", "c", "e")
        (group,) = compute_rates(context).groups
        assert (group["verified"], group["refused"], group["labelled"]) == (5, 1, 4)
        # Four answers of one trace, and one without.
        assert group["traces"] == 2
        assert group["true_rate"]["estimate"] == 1
        alone = 0.0125 / 2
        # Flagged: one of the four that were shown; all of each part are labelled.
        low = 0.8 * (0.25 * alone + 0.75 * alone ** (1 / 3))
        assert group["true_rate"]["low"] == pytest.approx(low)
        assert group["true_rate"]["high"] == 1


def test_with_an_abstention_what_was_not_drawn_is_never_known(
    open_home: Callable[..., Any],
) -> None:
    plan = {"default": 1, "trust_trace_ids": True, "review": {"flagged": 1, "others": 1}}
    with open_home(plan) as context:
        for name in ("a", "b"):
            submit(context, make_payload(name, GOOD))
        for name in ("c", "d", "e", "f"):
            submit(context, make_payload(name, answer_kind="abstention"))
        # One chosen answer still waits: it may be an answer, and it may be wrong.
        submit(context, make_payload("late", GOOD))
        for name in "abcdef":
            verify_sampled(context, name)
        label(context, "correct", "a", "b")
        (before,) = compute_rates(context).groups
        verify_waiting(context)
        (after,) = compute_rates(context).groups
        assert (before["verified"], before["not_answers"], before["answers"]) == (2, 4, 7)
        # The share that is flagged is a guess before, and known after.
        assert before["true_rate"]["high"] > 0.95 > after["true_rate"]["high"]
        assert before["true_rate"]["estimate"] == 0


@pytest.mark.long
def test_labels_of_different_review_probabilities_are_no_one_sample(
    open_home: Callable[..., Any],
) -> None:
    def plan(others: float) -> dict[str, Any]:
        return {"default": 1, "review": {"flagged": 1, "others": others}}

    with open_home(plan(1)) as context:
        for at in range(4):
            submit(context, make_payload(f"a{at}", GOOD))
        verify_waiting(context)
        label(context, "correct", *(f"a{at}" for at in range(4)))
    with open_home(plan(0)) as context:
        for at in range(12):
            submit(context, make_payload(f"b{at}", GOOD))
        verify_waiting(context)
        (group,) = compute_rates(context).groups
        # Nobody is shown the second epoch: the first one's labels say nothing of it.
        assert group["labelled"] == 4
        assert group["true_rate"]["estimate"] is None
        assert group["true_rate"]["high"] >= 12 / 16
        by_epoch = {each["group"]: each for each in compute_rates(context, by="epoch").groups}
        assert by_epoch["epoch-1"]["true_rate"]["estimate"] == 0
        assert by_epoch["epoch-2"]["true_rate"] is None


def test_a_policy_that_the_service_has_lost_is_no_fault_of_an_answer(
    open_home: Callable[..., Any],
) -> None:
    with open_home(ALL) as context:
        submit(context, make_payload("a", GOOD))
    with open_home(ALL, policy="lost") as context:
        with pytest.raises(UnknownPolicyError):
            verify_sampled(context, "a")
        assert context.store.samples.outcomes.find("a") is None
    with open_home(ALL) as context:
        outcome, _ = verify_sampled(context, "a")
        assert outcome.result == "pass"


def test_rates_are_told_apart_and_flags_are_not_the_truth(open_home: Callable[..., Any]) -> None:
    with open_home(ALL) as context:
        for at in range(6):
            model = {"generator": {"model": f"m{at % 2}"}}
            submit(context, make_payload(f"a{at}", BAD if at == 0 else GOOD, **model))
        verify_waiting(context)
        (everything,) = compute_rates(context).groups
        assert (everything["answers"], everything["verified"], everything["weighed"]) == (6, 6, 6)
        assert everything["results"] == {"pass": 5, "fail": 1, "review": 0, "error": 0}
        assert everything["judge_flagged"]["estimate"] == pytest.approx(1 / 6)
        assert everything["true_rate"] is None
        # The one that the judge flags is right, by two people's word; another is wrong.
        reviews = context.store.samples.reviews
        now = datetime.now(UTC)
        for name, label in (("a0", "correct"), ("a1", "wrong")):
            for reviewer in ("ann", "bob"):
                reviews.add_label(name, label, reviewer=reviewer, note=None, labelled_at=now)
        report = compute_rates(context, by="model")
        first, second = sorted(report.groups, key=lambda group: group["group"])
        assert first["judge_flagged"]["estimate"] == pytest.approx(1 / 3)
        assert first["labelled"] == second["labelled"] == 1
        assert first["true_rate"]["low"] == 0
        assert second["true_rate"]["high"] == 1
        assert second["true_rate"]["low"] > 0
        assert report.alarms[0]["samples"] == 3
        assert len(report.incidents) == 1
        for by in ("tenant", "index_version", "stratum", "epoch"):
            assert [group["answers"] for group in compute_rates(context, by=by).groups] == [6]
