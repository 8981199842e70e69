"""A comparison told from its other side says the same; told wrongly it does not."""

from __future__ import annotations

import pytest

from tests.verifier.readings.forms import check, says

_PUMPS = "Pump B uses less energy than pump A."
_SURVIVAL = "Survival was longer in the first group than in the second group."


@pytest.mark.parametrize(
    ("premise", "claim", "falsehood"),
    [
        (_PUMPS, "Pump A uses more energy than pump B.", "Pump B uses more energy than pump A."),
        (_PUMPS, "Pump A uses more energy than pump B.", "Pump A uses less energy than pump B."),
        (
            "The north lake is larger than the south lake.",
            "The south lake is smaller than the north lake.",
            "The north lake is smaller than the south lake.",
        ),
        (
            _SURVIVAL,
            "Survival was shorter in the second group than in the first group.",
            "Survival was shorter in the first group than in the second group.",
        ),
    ],
)
def test_the_other_side_says_the_same(premise: str, claim: str, falsehood: str) -> None:
    check(premise, claim, falsehood)


def test_a_denied_comparison_is_not_turned() -> None:
    assert not says(
        "The north lake is not larger than the south lake.",
        "The south lake is smaller than the north lake.",
    )
