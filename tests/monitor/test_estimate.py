"""Rates: what an interval says holds as often as it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spanproof.core.errors import InputError
from spanproof.monitor.estimate import (
    Labels,
    SampledStratum,
    compute_exact,
    compute_flagged,
    compute_true_rate,
    compute_wilson,
)


def test_wilson_and_exact_intervals_are_the_known_ones() -> None:
    # Brown, Cai and DasGupta (2001): 0 of 20 and 5 of 20.
    wilson = compute_wilson(5, 20)
    assert (round(wilson.low, 4), round(wilson.high, 4)) == (0.1119, 0.4687)
    exact = compute_exact(0, 20)
    assert (exact.low, round(exact.high, 4)) == (0.0, 0.1684)
    assert (wilson.method, exact.method) == ("wilson", "clopper-pearson")
    assert wilson.estimate == 0.25


@pytest.mark.parametrize(("count", "total"), [(1, 0), (0, 0), (3, 2), (-1, 5)])
def test_counts_that_cannot_be_are_refused(count: int, total: int) -> None:
    with pytest.raises(InputError, match="count"):
        compute_wilson(count, total)


@pytest.mark.long
def test_two_phases_cover_the_true_rate_whatever_the_judge_is_worth() -> None:
    random = np.random.default_rng(20261122)
    true_rate, sensitivity, specificity, judged, labels = 0.03, 0.85, 0.95, 20_000, 200
    covered = naive = 0
    runs = 60
    for _ in range(runs):
        wrong = random.random(judged) < true_rate
        flagged = np.where(
            wrong, random.random(judged) < sensitivity, random.random(judged) > specificity
        )
        by_people = []
        for part in (flagged, ~flagged):
            chosen = random.choice(np.flatnonzero(part), labels, replace=False)
            by_people.append(Labels(labelled=labels, wrong=int(wrong[chosen].sum())))
        stratum = SampledStratum(
            answers=judged,
            verified=judged,
            flagged=int(flagged.sum()),
            of_flagged=by_people[0],
            of_others=by_people[1],
        )
        found = compute_true_rate([stratum])
        covered += found.low <= true_rate <= found.high
        by_judge = compute_wilson(int(flagged.sum()), judged)
        naive += by_judge.low <= true_rate <= by_judge.high
    assert covered == runs
    # The interval of what the judge flags never holds the true rate: it is a rate of flags.
    assert naive == 0


@pytest.mark.long
def test_the_true_rate_of_all_answers_is_covered_when_strata_are_drawn_unequally() -> None:
    random = np.random.default_rng(20261123)
    runs, covered, naive, pooled = 60, 0, 0, 0
    # Two strata: answers, true rate, probability of being verified.
    parts = ((20_000, 0.01, 0.05), (2_000, 0.2, 0.5))
    truth = sum(n * rate for n, rate, _ in parts) / sum(n for n, _, _ in parts)
    for _ in range(runs):
        strata, flags, seen = [], 0, 0
        for answers, rate, probability in parts:
            wrong = random.random(answers) < rate
            verified = random.random(answers) < probability
            flagged = np.where(wrong, random.random(answers) < 0.85, random.random(answers) > 0.95)
            labels = []
            for part in (verified & flagged, verified & ~flagged):
                found = np.flatnonzero(part)
                chosen = random.choice(found, min(len(found), 60), replace=False)
                labels.append(Labels(labelled=len(chosen), wrong=int(wrong[chosen].sum())))
            strata.append(
                SampledStratum(
                    answers=answers,
                    verified=int(verified.sum()),
                    flagged=int((verified & flagged).sum()),
                    of_flagged=labels[0],
                    of_others=labels[1],
                )
            )
            flags, seen = flags + strata[-1].flagged, seen + strata[-1].verified
        true_rate, by_judge = compute_true_rate(strata), compute_flagged(strata)
        covered += true_rate.low <= truth <= true_rate.high
        naive += by_judge.low <= truth <= by_judge.high
        # Without the weights the stratum of which more is drawn would count for more.
        pooled += compute_wilson(flags, seen).low > by_judge.high
        assert true_rate.estimate is not None
        assert true_rate.low <= true_rate.estimate <= true_rate.high
    assert covered == runs
    assert naive == 0
    assert pooled == runs


def test_what_people_leave_open_may_be_right_or_wrong() -> None:
    def bound(labels: Labels) -> tuple[float, float]:
        stratum = SampledStratum(answers=40, verified=40, flagged=40, of_flagged=labels)
        found = compute_true_rate([stratum])
        return found.low, found.high

    low, high = bound(Labels(labelled=40, wrong=10, unclear=5))
    assert low == bound(Labels(labelled=40, wrong=10))[0]
    assert high == bound(Labels(labelled=40, wrong=15))[1]
    open_alone = SampledStratum(
        answers=9, verified=9, flagged=9, of_flagged=Labels(labelled=3, unclear=3)
    )
    assert compute_true_rate([open_alone]).estimate is None


def test_with_one_stratum_the_flagged_rate_is_wilsons_and_without_labels_nothing_is_known() -> None:
    stratum = SampledStratum(answers=100, verified=20, flagged=5)
    found, wilson = compute_flagged([stratum]), compute_wilson(5, 20)
    assert (found.estimate, found.method) == (wilson.estimate, "wilson")
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high))
    nothing = compute_true_rate([stratum])
    assert (nothing.low, nothing.high) == (0.0, 1.0)
    unverified = compute_flagged([SampledStratum(answers=5, verified=0, flagged=0)])
    assert (unverified.low, unverified.high) == (0.0, 1.0)


def test_what_was_not_measured_leaves_no_estimate() -> None:
    labels = Labels(labelled=4, wrong=1)
    known = SampledStratum(answers=90, verified=10, flagged=5, of_flagged=labels, of_others=labels)
    unknown = SampledStratum(answers=10, verified=0, flagged=0)
    for compute in (compute_flagged, compute_true_rate):
        assert compute([known]).estimate is not None
        found = compute([known, unknown])
        assert found.estimate is None
        # The interval leaves it open, and no more than it.
        assert found.high - found.low >= 0.1
        # A stratum that is empty takes nothing from the others.
        empty = replace(unknown, answers=0)
        assert compute([known, empty]).estimate == compute([known]).estimate
    assert compute_true_rate([replace(known, of_others=Labels())]).estimate is None


@pytest.mark.parametrize("wrong", [0, 50])
def test_what_nobody_is_shown_may_be_right_or_wrong(wrong: int) -> None:
    # People label all 50 that they are shown; four were refused.
    labels = Labels(labelled=50, wrong=wrong)
    stratum = SampledStratum(answers=54, verified=54, flagged=54, refused=4, of_flagged=labels)
    found = compute_true_rate([stratum])
    assert found.low <= wrong / 54
    assert found.high >= (wrong + 4) / 54
    assert found.estimate == wrong / 50
    alone = compute_true_rate([SampledStratum(answers=3, verified=3, flagged=3, refused=3)])
    assert (alone.estimate, alone.low, alone.high) == (None, 0.0, 1.0)
    # With ten times as many refused as shown, nearly nothing is known.
    many = SampledStratum(answers=550, verified=550, flagged=550, refused=500, of_flagged=labels)
    assert compute_true_rate([many]).high - compute_true_rate([many]).low > 500 / 550


@pytest.mark.parametrize(
    "stratum",
    [
        SampledStratum(answers=0, verified=0, flagged=0),
        SampledStratum(answers=1, verified=2, flagged=0),
        SampledStratum(answers=2, verified=1, flagged=2),
        SampledStratum(answers=2, verified=2, flagged=1, of_flagged=Labels(labelled=2)),
        SampledStratum(answers=2, verified=2, flagged=2, of_others=Labels(labelled=1)),
        SampledStratum(answers=2, verified=2, flagged=1, refused=2),
        SampledStratum(answers=2, verified=2, flagged=2, refused=1, of_flagged=Labels(labelled=2)),
        SampledStratum(
            answers=2, verified=2, flagged=2, of_flagged=Labels(labelled=1, wrong=1, unclear=1)
        ),
    ],
)
def test_counts_that_are_no_parts_of_each_other_are_refused(stratum: SampledStratum) -> None:
    for compute in (compute_flagged, compute_true_rate):
        with pytest.raises(InputError):
            compute([stratum])
