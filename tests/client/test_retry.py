from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.client.retry import RetryPolicy, read_retry_after

NOW = datetime(2026, 11, 20, 14, tzinfo=UTC)


@given(st.text(max_size=40))
def test_any_header_is_read_or_ignored(value: str) -> None:
    seconds = read_retry_after(value, NOW)
    assert seconds is None or seconds >= 0


@given(st.integers(min_value=0, max_value=10**6))
def test_seconds_and_a_date_say_the_same(seconds: int) -> None:
    date = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert read_retry_after(str(seconds), NOW) == seconds == read_retry_after(date, NOW)


def test_a_date_that_is_past_is_no_wait() -> None:
    assert read_retry_after(format_datetime(NOW - timedelta(hours=1), usegmt=True), NOW) == 0


@given(tried=st.integers(1, 20), tries=st.integers(1, 20))
def test_no_try_comes_after_the_last(tried: int, tries: int) -> None:
    policy = RetryPolicy(tries=tries)
    wait = policy.after_answer(503, {}, tried=tried, now=NOW)
    assert (wait is None) == (tried >= tries)
    assert wait is None or 0 <= wait <= policy.longest_wait


@pytest.mark.parametrize("status", [200, 400, 404, 409, 422, 500, 502, 504])
def test_other_statuses_are_final(status: int) -> None:
    assert RetryPolicy().after_answer(status, {"retry-after": "1"}, tried=1, now=NOW) is None


@pytest.mark.parametrize(
    ("error", "repeatable", "again"),
    [
        (httpx.ConnectError("x"), False, True),
        (httpx.ConnectTimeout("x"), False, True),
        (httpx.RemoteProtocolError("x"), True, True),
        (httpx.RemoteProtocolError("x"), False, False),
        (httpx.ReadTimeout("x"), True, False),
        (httpx.UnsupportedProtocol("x"), True, False),
    ],
)
def test_what_may_have_been_served_is_sent_again_only_where_that_does_no_harm(
    error: httpx.TransportError, repeatable: bool, again: bool
) -> None:
    wait = RetryPolicy().after_error(error, tried=1, repeatable=repeatable)
    assert (wait is not None) == again


@pytest.mark.parametrize("wrong", [{"tries": 0}, {"first_wait": -1.0}, {"longest_wait": 0.1}])
def test_a_policy_that_makes_no_sense_cannot_be_built(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="Expected"):
        RetryPolicy(**wrong)  # type: ignore[arg-type]
