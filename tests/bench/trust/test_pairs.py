"""Risk and coverage: counted as defined, and no curve that a policy's own point contradicts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bench.trust.pairs import COVERAGES, JudgedPair, draw_curve, measure, measure_contradictions


def _row(*, entailed: bool, passes: bool, score: float = 0.0) -> JudgedPair:
    return JudgedPair(
        source="a",
        entailed=entailed,
        contradicted=not entailed,
        passes=passes,
        score=score + passes,
    )


def test_risk_is_of_passes_and_coverage_of_supported_pairs() -> None:
    rows = [
        _row(entailed=True, passes=True),
        _row(entailed=False, passes=True),
        _row(entailed=True, passes=False),
        _row(entailed=True, passes=False),
    ]
    point = measure(rows)
    assert (point.risk, point.coverage) == (1 / 2, 1 / 3)
    assert measure_contradictions(rows) == (1, 1)
    assert measure([]).risk is None
    assert measure([]).coverage is None


def test_what_a_rule_stops_is_on_no_curve() -> None:
    rows = [_row(entailed=True, passes=False) for _ in range(5)]
    assert {risk for _, risk in draw_curve(rows)} == {None}


@given(
    st.lists(
        st.builds(_row, entailed=st.booleans(), passes=st.booleans(), score=st.floats(0.01, 0.99)),
        min_size=1,
        max_size=40,
    )
)
def test_the_curve_begins_with_what_passes(rows: list[JudgedPair]) -> None:
    point = measure(rows)
    curve = dict(draw_curve(rows))
    assert list(curve) == list(COVERAGES)
    for coverage, risk in curve.items():
        if risk == 0 and point.coverage is not None and coverage > point.coverage:
            # Nothing unsupported stands before it, so nothing unsupported passes.
            assert point.unsupported == 0
