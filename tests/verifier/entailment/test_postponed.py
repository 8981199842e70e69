from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.entailment.postponed import DeadlineEntailment, UnaskedEntailment
from tests.builders import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable

PAIRS = [(f"Premise {number}.", f"Claim {number}.") for number in range(23)]


def make_clock(step: float) -> Callable[[], float]:
    """A clock that is ``step`` later each time somebody looks."""
    moments = iter(range(10**6))
    return lambda: next(moments) * step


def test_a_model_that_is_not_asked_says_so_and_does_not_warn() -> None:
    model = UnaskedEntailment()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [*model.judge(PAIRS), *model.confirm(PAIRS[:1])]
    assert {each.reason for each in found} == {"mechanical"}
    assert all(each.p_entailment is None for each in found)
    assert (model.identity.name, model.identity.runtime) == (
        "NullEntailment",
        "none: mode=mechanical",
    )
    assert model.identity.weights_digest is None


@given(looks=st.integers(0, 8), count=st.integers(0, len(PAIRS)))
def test_what_was_read_in_time_is_the_models_own_and_the_rest_did_not_run(
    looks: int, count: int
) -> None:
    inner = ScriptedModel()
    model = DeadlineEntailment(inner, until=looks, clock=make_clock(1.0))
    pairs = PAIRS[:count]
    found = model.judge(pairs)
    assert len(found) == count
    read = min(count, 4 * looks)
    assert found[:read] == inner.judge(pairs[:read])
    assert {each.reason for each in found[read:]} <= {"deadline"}
    assert model.has_passed is (read < count)
    assert model.identity == inner.identity


@pytest.mark.parametrize("until", [0.0, -1.0])
def test_a_deadline_that_has_passed_asks_nothing(until: float) -> None:
    model = DeadlineEntailment(ScriptedModel(), until=until, clock=lambda: 0.0)
    assert [each.reason for each in model.confirm(PAIRS[:2])] == ["deadline"] * 2
