"""Who is verified: the rule of OpenTelemetry, keyed where there is no trace, open to an auditor."""

from __future__ import annotations

import hashlib
import hmac
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import InputError
from spanproof.monitor.sampling import (
    KEY_BYTES,
    MAX_THRESHOLD,
    Randomness,
    RandomnessSource,
    SamplingPlan,
    check_commitment,
    commit,
    draw,
    format_threshold,
    read_trace,
    to_threshold,
)

KEY = bytes(range(KEY_BYTES))
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PROBABILITIES = st.floats(0, 1)
VALUES = st.integers(0, MAX_THRESHOLD - 1)


def randomness(value: int) -> Randomness:
    return Randomness(value=value, source=RandomnessSource.TRACE_ID)


@pytest.mark.parametrize(
    ("probability", "threshold", "written"),
    [
        # The table of the specification.
        (1.0, 0, "ot=th:0"),
        (0.5, 0x80000000000000, "ot=th:8"),
        (0.25, 0xC0000000000000, "ot=th:c"),
        (0.1, 0xE6666666666666, "ot=th:e6666666666666"),
        (0.01, 0xFD70A3D70A3D71, "ot=th:fd70a3d70a3d71"),
    ],
)
def test_thresholds_are_those_of_the_specification(
    probability: float, threshold: int, written: str
) -> None:
    assert to_threshold(probability) == threshold
    assert format_threshold(threshold) == written


def test_a_threshold_that_rejects_all_is_not_written() -> None:
    with pytest.raises(ValueError, match="threshold"):
        format_threshold(MAX_THRESHOLD)
    decision = SamplingPlan(default=0).decide("any", randomness(MAX_THRESHOLD - 1))
    assert not decision.is_sampled
    assert decision.trace_state is None
    assert decision.probability == 0


@given(PROBABILITIES, PROBABILITIES, VALUES)
def test_who_is_chosen_at_a_rate_is_chosen_at_every_higher_one(
    one: float, other: float, value: int
) -> None:
    low, high = sorted((one, other))
    if SamplingPlan(default=low).decide("s", randomness(value)).is_sampled:
        assert SamplingPlan(default=high).decide("s", randomness(value)).is_sampled


@given(PROBABILITIES)
def test_the_stored_probability_is_that_of_the_threshold(probability: float) -> None:
    decision = SamplingPlan(default=probability).decide("s", randomness(0))
    assert abs(decision.probability - Fraction(probability)) <= Fraction(1, 2 * MAX_THRESHOLD)
    if probability == 1:
        assert decision.is_sampled


def test_each_stratum_has_its_own_probability() -> None:
    plan = SamplingPlan(default=0.0, strata={"near the threshold": 1.0})
    assert plan.decide("near the threshold", randomness(0)).is_sampled
    assert not plan.decide("another", randomness(MAX_THRESHOLD - 1)).is_sampled
    assert plan.decide("another", randomness(5)).trace_state is None
    assert plan.decide("near the threshold", randomness(5)).trace_state == "ot=th:0"


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_a_plan_refuses_what_is_no_probability(probability: float) -> None:
    with pytest.raises(InputError, match="probability"):
        SamplingPlan(default=0.5, strata={"x": probability})


def test_a_trace_gives_its_last_56_bits_or_its_explicit_value() -> None:
    assert read_trace(TRACE).value == 0xCE929D0E0E4736
    assert read_trace(TRACE).source is RandomnessSource.TRACE_ID
    stated = read_trace(TRACE, "other=1, ot=th:8;rv:6e6d1a75832a2f,more=2")
    assert stated == Randomness(value=0x6E6D1A75832A2F, source=RandomnessSource.TRACE_STATE)
    assert read_trace(TRACE, "ot=rv:zz").source is RandomnessSource.TRACE_ID


@pytest.mark.parametrize("trace_id", ["", TRACE.upper(), TRACE[:-1], "0" * 32, TRACE + "0"])
def test_a_trace_id_that_is_none_is_refused(trace_id: str) -> None:
    with pytest.raises(InputError, match="trace id"):
        read_trace(trace_id)


def test_without_a_trace_the_key_draws() -> None:
    mac = hmac.new(KEY, b"answer-1", hashlib.sha256).digest()
    drawn = draw(KEY, "answer-1")
    assert drawn == Randomness(
        value=int.from_bytes(mac[:7], "big"), source=RandomnessSource.KEYED_HASH
    )
    assert draw(bytes(KEY_BYTES), "answer-1").value != drawn.value
    with pytest.raises(ValueError, match="32 bytes"):
        draw(b"short", "answer-1")


def test_a_tenth_of_many_answers_is_a_tenth() -> None:
    plan = SamplingPlan(default=0.1)
    chosen = sum(plan.decide("s", draw(KEY, f"answer-{n}")).is_sampled for n in range(20_000))
    # Five standard deviations of a fair draw.
    assert abs(chosen - 2000) < 5 * (20_000 * 0.1 * 0.9) ** 0.5


def test_the_disclosed_key_opens_its_own_commitment_only() -> None:
    commitment = commit(KEY, "2026-11")
    assert check_commitment(commitment, KEY, "2026-11")
    assert not check_commitment(commitment, KEY, "2026-12")
    assert not check_commitment(commitment, bytes(KEY_BYTES), "2026-11")
    assert not check_commitment(commitment, KEY[:-1], "2026-11")
    assert KEY not in commitment
    with pytest.raises(ValueError, match="32 bytes"):
        commit(b"", "2026-11")
