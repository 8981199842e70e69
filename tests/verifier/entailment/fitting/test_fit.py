from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.errors import MalformedLabelsError
from spanproof.core.verdicts.groups import GROUPS
from spanproof.verifier.entailment.calibration.calibration import Calibration
from spanproof.verifier.entailment.fitting.fit import fit_calibration, minimise
from spanproof.verifier.entailment.fitting.measure import calibration_error
from spanproof.verifier.entailment.fitting.procedure import CalibrationOptions, calibrate
from spanproof.verifier.entailment.fitting.report import describe_calibration
from spanproof.verifier.entailment.fitting.thresholds import Scored, choose_threshold
from spanproof.verifier.policies import NAMES, load_policy
from tests.verifier.entailment.fitting.drawn_pairs import draw_evidence

OPTIONS = CalibrationOptions(name="drawn", made_on=date(2026, 11, 20))
DIGESTS = {"weights_sha256": "0" * 64, "labelled_sha256": "1" * 64}


@pytest.mark.long
def test_the_truth_that_drew_the_labels_is_found() -> None:
    evidence = draw_evidence(6000)
    fitted = fit_calibration(evidence, np.ones(6000, dtype=bool), Calibration())
    assert fitted.scale == pytest.approx(0.4, abs=0.04)
    assert fitted.bias == pytest.approx(-0.5, abs=0.15)
    assert dict(fitted.weights)["uncovered_words"] == pytest.approx(2.0, abs=0.6)


def test_a_term_that_speaks_for_the_claim_gets_no_weight() -> None:
    evidence = draw_evidence(3000, weight=-2.0)
    fitted = fit_calibration(evidence, np.ones(3000, dtype=bool), Calibration())
    assert fitted.weights == ()


@pytest.mark.long
def test_few_rows_stay_near_what_there_was_before() -> None:
    before = Calibration(scale=0.8, bias=0.2, weights=(("uncovered_words", 1.0),))
    moved = {}
    for rows in (10, 4000):
        evidence = draw_evidence(rows)
        fitted = fit_calibration(evidence, np.ones(rows, dtype=bool), before)
        weight = dict(fitted.weights).get("uncovered_words", 0.0)
        moved[rows] = (abs(fitted.bias - 0.2), abs(weight - 1.0))
    assert moved[10][0] < moved[4000][0]
    assert moved[10][1] < 0.5
    none = fit_calibration(draw_evidence(10), np.zeros(10, dtype=bool), before)
    assert (none.scale, none.bias) == (before.scale, before.bias)


def test_without_terms_the_weights_stay() -> None:
    before = Calibration(weights=(("uncovered_words", 1.5),))
    rows = np.ones(800, dtype=bool)
    fitted = fit_calibration(draw_evidence(800), rows, before, with_terms=False)
    assert fitted.weights == before.weights
    assert fitted.scale != before.scale


@pytest.mark.long
def test_a_source_of_many_rows_does_not_outweigh_another_in_the_ranking() -> None:
    # In the large source the term says nothing, in the small one everything.
    large, small = draw_evidence(4000, weight=0.0, sources=1), draw_evidence(400, weight=8.0)
    small = replace(small, sources=np.full(400, "small"))
    both = replace(
        large,
        logits=large.logits + small.logits,
        terms=large.terms + small.terms,
        labels=np.concatenate([large.labels, small.labels]),
        sources=np.concatenate([large.sources, small.sources]),
        docs=np.concatenate([large.docs, small.docs]),
        ran=np.concatenate([large.ran, small.ran]),
        vetoed=np.concatenate([large.vetoed, small.vetoed]),
        likely=np.concatenate([large.likely, small.likely]),
        possible=np.concatenate([large.possible, small.possible]),
        groups=np.concatenate([large.groups, small.groups]),
        agreed=np.concatenate([large.agreed, small.agreed]),
    )
    everything = np.ones(4400, dtype=bool)
    apart = fit_calibration(both, everything, Calibration())
    pooled = fit_calibration(replace(both, sources=np.full(4400, "one")), everything, Calibration())
    weight = dict(apart.weights)["uncovered_words"]
    assert weight > 2 * dict(pooled.weights).get("uncovered_words", 0.0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_the_minimum_within_bounds_has_no_way_down(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(60, 3))
    outcome = (rng.random(60) < 0.5).astype(float)
    low, high = np.array([0.0, -1.0, 0.0]), np.array([2.0, 1.0, np.inf])
    prior = np.array([1.0, 0.0, 0.0])
    found = minimise(columns, outcome, np.ones(60), prior=prior, bounds=(low, high))
    assert ((low <= found) & (found <= high)).all()

    def cost(point: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        logits = columns @ point
        loss = (np.logaddexp(0, logits) - outcome * logits).sum()
        return float(loss + 2 * ((point - prior) ** 2).sum())

    for _ in range(20):
        other = np.clip(found + rng.normal(0, 0.05, 3), low, high)
        assert cost(other) >= cost(found) - 1e-6


@pytest.mark.long
def test_a_fitted_probability_is_a_rate_on_documents_that_fitted_nothing() -> None:
    content = calibrate(draw_evidence(3000), Calibration(), OPTIONS, **DIGESTS)
    held = content["held"]
    assert held["calibration_error"] <= 0.05
    assert held["calibration_error_before"] > 2 * held["calibration_error"]
    assert content["swapped"]["calibration_error"] <= 0.05
    assert sum(each["rows"] for each in held["reliability"]) == content["rows"]["held"]


@pytest.mark.long
def test_what_is_written_is_read_back_and_each_certificate_holds_on_new_pairs() -> None:
    content = calibrate(draw_evidence(6000, scale=1.5), Calibration(), OPTIONS, **DIGESTS)
    read = Calibration.from_json(content)
    assert read.record is not None
    fresh = draw_evidence(9000, scale=1.5, seed=99)
    certified = 0
    for name, threshold in read.thresholds:
        policy = load_policy(name.partition("/")[0])
        certificate = content["certificates"][name]
        assert certificate["alpha"] == policy.alpha
        assert certificate["threshold"] == threshold
        assert certificate["n"] <= content["rows"]["held"]
        if threshold is None:
            continue
        certified += 1
        assert threshold >= content["threshold"] + policy.review_above
        own = fresh.groups == name.partition("/")[2]
        passing = own & (fresh.reported(fresh.decide(read), policy) >= threshold)
        assert passing.sum() > 50
        assert (~fresh.entailed[passing]).mean() <= policy.alpha
    assert certified >= 4
    for policy_name in NAMES:
        bound = read.record.bound_for(policy_name)
        assert bound is not None
        assert bound.errors <= bound.selected
    assert any("at most 0.05" in line for line in describe_calibration(content))


@pytest.mark.long
def test_a_stricter_policy_never_has_a_lower_threshold() -> None:
    content = calibrate(draw_evidence(6000, scale=1.5), Calibration(), OPTIONS, **DIGESTS)
    for group in GROUPS:
        balanced, review, strict = (
            content["thresholds"][f"{name}/{group}"] for name in ("balanced", "review", "strict")
        )
        assert review is None or (balanced is not None and review >= balanced)
        assert strict is None or (review is not None and strict >= review)


@pytest.mark.long
def test_certificates_may_come_from_other_pairs_than_the_numbers() -> None:
    sharp = draw_evidence(6000, scale=1.5)
    blunt = replace(OPTIONS, certified_on=draw_evidence(900, scale=0.01))
    content = calibrate(sharp, Calibration(), blunt, **DIGESTS)
    assert set(content["thresholds"].values()) == {None}
    assert content["scale"] == calibrate(sharp, Calibration(), OPTIONS, **DIGESTS)["scale"]


@pytest.mark.long
def test_the_default_threshold_keeps_contradictions_out() -> None:
    for most in (0.02, 0.2):
        options = replace(OPTIONS, max_contradictions=most)
        content = calibrate(draw_evidence(2000), Calibration(), options, **DIGESTS)
        assert content["held"]["contradictions_called_entailed"] <= most + 0.04
    scored = Scored.of(
        np.linspace(0, 1, 100), np.arange(100) >= 30, ["a"] * 100, [str(n) for n in range(100)]
    )
    free = choose_threshold(scored, ["a"])
    wrong = np.arange(100) % 50 == 0
    assert choose_threshold(scored, ["a"], contradicted=wrong, max_contradicted=0.0) > free
    always = np.full(100, 1.0)
    stuck = replace(scored, scores=always)
    assert choose_threshold(stuck, ["a"], contradicted=wrong, max_contradicted=0.0) == 0.98


def test_of_thresholds_that_do_alike_the_one_nearest_to_one_half_is_taken() -> None:
    entailed = np.arange(60) % 2 == 0
    for low, high, expected in ((0.05, 0.95, 0.5), (0.7, 0.9, 0.73), (0.1, 0.2, 0.18)):
        scored = Scored.of(np.where(entailed, high, low), entailed, ["a"] * 60, ["d"] * 60)
        assert choose_threshold(scored, ["a"]) == pytest.approx(expected, abs=0.011)


def test_a_veto_is_never_reported_entailed() -> None:
    evidence = draw_evidence(300)
    vetoed = replace(evidence, vetoed=np.ones(300, dtype=bool))
    assert vetoed.reported(vetoed.decide(Calibration())).max() == 0.0
    unread = replace(evidence, ran=np.zeros(300, dtype=bool))
    assert unread.reported(unread.decide(Calibration())).max() == 0.0


def test_where_no_threshold_keeps_the_promise_there_is_no_certificate() -> None:
    content = calibrate(draw_evidence(300, scale=0.01), Calibration(), OPTIONS, **DIGESTS)
    assert set(content["thresholds"].values()) == {None}
    assert any("no certificate for 0.02" in line for line in describe_calibration(content))
    assert {value for _, value in Calibration.from_json(content).thresholds} == {None}


def test_a_half_without_a_class_is_refused() -> None:
    evidence = draw_evidence(80)
    one = replace(evidence, docs=np.full(80, "s0/the-only-document"))
    with pytest.raises(MalformedLabelsError, match="both halves"):
        calibrate(one, Calibration(), OPTIONS, **DIGESTS)


def test_the_same_rows_give_the_same_numbers() -> None:
    evidence = draw_evidence(400)
    assert calibrate(evidence, Calibration(), OPTIONS, **DIGESTS) == calibrate(
        evidence, Calibration(), OPTIONS, **DIGESTS
    )


def test_calibration_error_of_a_bin_is_the_gap_between_said_and_seen() -> None:
    scores = np.array([0.05, 0.05, 0.95, 0.95])
    entailed = np.array([False, True, True, True])
    assert calibration_error(scores, entailed) == pytest.approx((0.45 + 0.05) / 2)
