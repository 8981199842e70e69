from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from spanproof.core.moment import (
    assume_utc,
    parse_moment,
    write_moment,
    write_short_moment,
    write_signed_moment,
)

EAST = timezone(timedelta(hours=2))
MOMENT = datetime(2026, 11, 20, 16, 0, 0, 5_999, tzinfo=EAST)
EARLY = datetime(33, 1, 2, 0, 0, 0, 999, tzinfo=UTC)


def test_each_form_is_written_in_utc() -> None:
    assert write_moment(MOMENT) == "2026-11-20T14:00:00Z"
    assert write_signed_moment(MOMENT) == "2026-11-20T14:00:00.005Z"
    assert write_short_moment(MOMENT) == "2026-11-20T14:00:00.005Z"


def test_a_signed_moment_always_has_milliseconds_a_short_one_only_if_it_needs_them() -> None:
    assert write_signed_moment(EARLY) == "0033-01-02T00:00:00.000Z"
    assert write_short_moment(EARLY) == "0033-01-02T00:00:00Z"
    assert write_short_moment(EARLY.replace(microsecond=1000)) == "0033-01-02T00:00:00.001Z"


def test_the_zone_of_a_signed_moment_is_never_guessed() -> None:
    with pytest.raises(ValueError, match="time zone"):
        write_signed_moment(datetime(2026, 11, 20))  # noqa: DTZ001 - what is refused


def test_a_moment_without_a_zone_is_in_utc() -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert parse_moment("2026-11-20T12:00:00") == noon
    assert parse_moment("2026-11-20T14:00:00+02:00") == noon
    assert assume_utc(noon.replace(tzinfo=None)) == noon


@pytest.mark.parametrize(
    "text", ["", "yesterday", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"]
)
def test_a_moment_that_no_calendar_has_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_moment(text)
