"""The line that says how far a long run is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.api.cli.rate import LOGGED_SECONDS, WATCHED_SECONDS, ProgressRate, describe_rate

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("count", "share", "first", "seconds", "line"),
    [
        (0, 0.0, (0, 0.0), 0.0, "0 pairs, 0.0 %"),
        (100, 0.5, (0, 0.0), 10.0, "100 pairs, 50.0 %, 10.0 a second, 10 s left"),
        (150, 0.75, (100, 0.5), 10.0, "150 pairs, 75.0 %, 5.0 a second, 10 s left"),
        (12800, 0.25, (0, 0.0), 533.0, "12800 pairs, 25.0 %, 24.0 a second, 27 min left"),
        (1, 0.001, (0, 0.0), 60.0, "1 pairs, 0.1 %, 0.0 a second, 16.6 h left"),
        (9, 1.0, (0, 0.0), 3.0, "9 pairs, 100.0 %, 3.0 a second, 0 s left"),
    ],
)
def test_count_share_rate_and_time_left(
    count: int, share: float, first: tuple[int, float], seconds: float, line: str
) -> None:
    assert describe_rate("pairs", count=count, share=share, first=first, seconds=seconds) == line


def _clock(*moments: float) -> Callable[[], float]:
    left = iter(moments)
    return lambda: next(left)


def test_a_log_gets_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanproof.api.cli.rate.is_watched", lambda: False)
    pace = ProgressRate("pairs", clock=_clock(0, 0, 1, LOGGED_SECONDS + 1, LOGGED_SECONDS + 2))
    for count in range(4):
        pace.show(10 * count, count / 4)
    pace.clear()
    written = capsys.readouterr()
    assert written.out == ""
    assert len(written.err.splitlines()) == 1
    assert written.err.startswith("20 pairs, 50.0 %, ")


def test_a_terminal_gets_one_line_that_is_renewed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanproof.api.cli.rate.is_watched", lambda: True)
    pace = ProgressRate("pairs", clock=_clock(0, 0, WATCHED_SECONDS, 2 * WATCHED_SECONDS))
    for count in range(3):
        pace.show(10 * count, count / 4)
    pace.clear()
    written = capsys.readouterr().err
    assert "\n" not in written
    assert written.count("\r") == 3
    assert written.endswith("\r\x1b[K")
