"""Moments as text: RFC 3339 in UTC, in the three forms that are written, and how they are read."""

from __future__ import annotations

from datetime import UTC, datetime


def write_moment(moment: datetime) -> str:
    """Whole seconds: ``2026-11-20T14:00:00Z``. The form of every answer over HTTP."""
    return _in_utc(moment).isoformat(timespec="seconds") + "Z"


def write_signed_moment(moment: datetime) -> str:
    """Always with milliseconds, as statements sign it; ValueError for one without a time zone."""
    if moment.tzinfo is None:
        msg = f"Expected a moment with its time zone, got {moment!r}."
        raise ValueError(msg)
    return _in_utc(moment).isoformat(timespec="milliseconds") + "Z"


def write_short_moment(moment: datetime) -> str:
    """With milliseconds if it has any: the form of trust files, key lists and packs."""
    return write_signed_moment(moment) if moment.microsecond >= 1000 else write_moment(moment)


def parse_moment(text: str) -> datetime:
    """A moment of ISO 8601, in UTC; ValueError for other texts and for moments no calendar has."""
    return assume_utc(datetime.fromisoformat(text))


def assume_utc(moment: datetime) -> datetime:
    """The moment in UTC, also of one without a zone; ValueError for a year out of range."""
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError as error:
        msg = f"Expected a moment of the years 1 to 9999 in UTC, got {moment.isoformat()}."
        raise ValueError(msg) from error


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)
