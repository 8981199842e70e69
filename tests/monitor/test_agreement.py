"""Krippendorff's alpha: the worked examples of his paper, and an interval that holds it."""

from __future__ import annotations

import pytest

from spanproof.monitor.agreement import compute_agreement

#: Section B of the paper: two observers, ten units, alpha 0.095.
_BINARY = ("0100000000", "1110010100")
#: Section C: four observers, twelve units, a dot where one said nothing, alpha 0.743.
_NOMINAL = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def _read(*rows: str) -> list[list[str]]:
    return [[said for said in unit if said != "."] for unit in zip(*rows, strict=True)]


@pytest.mark.parametrize(
    ("rows", "alpha", "units", "labels"), [(_BINARY, 0.095, 10, 20), (_NOMINAL, 0.743, 11, 40)]
)
def test_alpha_is_the_published_one(
    rows: tuple[str, ...], alpha: float, units: int, labels: int
) -> None:
    found = compute_agreement(_read(*rows))
    assert (found.units, found.labels) == (units, labels)
    assert found.alpha is not None
    assert found.low is not None
    assert found.high is not None
    assert found.alpha == pytest.approx(alpha, abs=0.0005)
    assert found.low < found.alpha < found.high <= 1


def test_alpha_needs_labels_that_vary_and_units_of_two() -> None:
    assert compute_agreement([]).alpha is None
    assert compute_agreement([["correct"], ["wrong"]]).units == 0
    assert compute_agreement([["correct", "correct"]] * 3).alpha is None
    few = compute_agreement([["correct", "wrong"], ["wrong", "wrong"]])
    assert (few.alpha, few.low) == (0, None)
    perfect = compute_agreement([["correct", "correct"], ["wrong", "wrong"]] * 20)
    assert (perfect.alpha, perfect.low, perfect.high) == (1, 1, 1)


def test_the_interval_narrows_with_more_units() -> None:
    few, many = (compute_agreement(_read(*_NOMINAL) * times) for times in (1, 16))
    assert few.low is not None
    assert few.high is not None
    assert many.low is not None
    assert many.high is not None
    assert many.high - many.low < (few.high - few.low) / 2
