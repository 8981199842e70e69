"""Exact tests of how many answers were drawn."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from spanproof.monitor.fit import LEVEL, MAX_GROUPS, DrawCount, compute_p_value, fit_rates


def count(
    answers: int,
    chosen: int,
    *,
    stratum: str = "all",
    model: str | None = None,
    index_version: str | None = None,
) -> DrawCount:
    return DrawCount(
        stratum=stratum,
        model=model,
        index_version=index_version,
        probability=0.25,
        answers=answers,
        chosen=chosen,
    )


@pytest.mark.parametrize("chosen", range(13))
def test_a_p_value_is_the_exact_binomial_one(chosen: int) -> None:
    chances = [Fraction(comb(12, at) * 3 ** (12 - at), 4**12) for at in range(13)]
    low, high = sum(chances[: chosen + 1]), sum(chances[chosen:])
    assert compute_p_value(12, chosen, 0.25) == pytest.approx(float(min(1, 2 * min(low, high))))


def test_a_fair_draw_is_called_unfair_no_more_often_than_the_level_says() -> None:
    total = 0.0
    for chosen in range(401):
        (fit,) = fit_rates([count(400, chosen)], level=0.01)
        chance = comb(400, chosen) * 0.25**chosen * 0.75 ** (400 - chosen)
        total += 0 if fit.is_fair else chance
    # Half of the level is kept for models and index versions.
    assert 0.001 < total <= 0.005


def test_the_level_is_shared_by_strata_and_by_their_parts() -> None:
    strata = [count(10, 2), count(10, 2, stratum="other")]
    parts = [count(100 + at, 25, model=f"m{at}") for at in range(MAX_GROUPS)]
    few = [count(1, 0, index_version=f"i{at}") for at in range(20)]
    fits = fit_rates([*strata, *few, *parts])
    assert [fit.count for fit in fits[:2]] == strata
    # Those with most answers; what callers make up one by one has no power and no room.
    assert {fit.count.model for fit in fits[2:]} == {each.model for each in parts}
    assert sum(fit.level for fit in fits) == pytest.approx(LEVEL)


def test_a_group_of_which_none_was_drawn_is_unfair_once_chance_cannot_be_why() -> None:
    assert [fit_rates([count(size, 0)])[0].is_fair for size in (50, 55)] == [True, False]
    assert not fit_rates([count(100, 100)])[0].is_fair


def test_nothing_is_tested_where_nothing_is_left_to_chance() -> None:
    sure = DrawCount(stratum="all", probability=1.0, answers=5, chosen=5)
    never = DrawCount(stratum="x", probability=0.0, answers=5, chosen=0)
    assert fit_rates([sure, never, count(0, 0)]) == ()
