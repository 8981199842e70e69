"""What a moment comes to between the bounds of others, and in which words."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.check.time_bounds import SKEW, Bound, TimeBounds
from spanproof.receipt.check.timing import check_time
from tests.receipt.statements import MOMENT

HOUR = timedelta(hours=1)


def test_the_words_of_one_bound_alone() -> None:
    bound = Bound(moment=MOMENT, source="them")
    assert str(TimeBounds(after=bound)) == "after 2026-11-20T14:00:00Z (them)"
    assert str(TimeBounds(before=bound)) == "by 2026-11-20T14:00:00Z (them)"
    assert str(TimeBounds()) == ""


def test_honest_clocks_are_five_minutes_apart_at_most() -> None:
    assert timedelta(minutes=5) == SKEW


@pytest.mark.parametrize(
    ("after", "before", "holds"),
    [
        (None, None, True),
        (MOMENT, MOMENT, True),
        (MOMENT + SKEW, None, True),
        (MOMENT + SKEW + timedelta(seconds=1), None, False),
        (None, MOMENT - SKEW, True),
        (None, MOMENT - SKEW - timedelta(seconds=1), False),
        (MOMENT - HOUR, MOMENT - HOUR, False),
    ],
)
def test_the_skew_is_given_at_both_ends(
    after: datetime | None, before: datetime | None, *, holds: bool
) -> None:
    bounds = TimeBounds(
        after=None if after is None else Bound(moment=after, source="a"),
        before=None if before is None else Bound(moment=before, source="b"),
    )
    assert bounds.holds(MOMENT) is holds
    line = check_time(MOMENT, bounds, is_asked=True)
    if after is None and before is None:
        assert line.status is LineStatus.NOT_CHECKED
        assert check_time(MOMENT, bounds, is_asked=False).status is LineStatus.NOT_ASKED
    else:
        assert line.status is (LineStatus.OK if holds else LineStatus.FAILED)
        assert line.code == (None if holds else "TIME_OUT_OF_BOUNDS")


def test_a_head_that_bounds_nothing_is_no_pass_even_beside_one_that_does() -> None:
    bounds = TimeBounds(before=Bound(moment=MOMENT, source="a"), unlinked=("another",))
    line = check_time(MOMENT, bounds, is_asked=True)
    assert line.status is LineStatus.NOT_CHECKED
    assert "another" in line.words


def test_a_head_that_bounds_nothing_hides_no_time_that_is_out_of_bounds() -> None:
    before = Bound(moment=MOMENT - HOUR, source="a")
    line = check_time(MOMENT, TimeBounds(before=before, unlinked=("another",)), is_asked=True)
    assert line.status is LineStatus.FAILED
    assert line.code == "TIME_OUT_OF_BOUNDS"


def test_a_receipt_is_bounded_by_what_it_carries_without_being_asked() -> None:
    bounds = TimeBounds(before=Bound(moment=MOMENT, source="https://tsa.example.org"))
    line = check_time(MOMENT, bounds, is_asked=False)
    assert line.status is LineStatus.OK
    assert "https://tsa.example.org" in line.words
