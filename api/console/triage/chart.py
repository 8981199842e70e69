"""The chart of results over time: stacked bars as SVG, each a link to its answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from spanproof.core.moment import write_moment
from spanproof.operations.triage.overview import RESULTS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from spanproof.api.console.links import Links
    from spanproof.api.console.triage.filters import FilterForm
    from spanproof.operations.triage.overview import Bar

#: The drawing in units of its own; the page scales it to its width.
WIDTH, HEIGHT = 800, 120
_GAP = 2
#: What counts is seen, however little it is beside the rest.
_LEAST_HEIGHT = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One result of a bar."""

    result: str
    y: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartBar:
    """A stretch of time; ``counts`` by result, worst first, with zeros."""

    url: str
    name: str
    counts: tuple[tuple[str, int], ...]
    x: float
    width: float
    parts: tuple[Part, ...]

    @property
    def total(self) -> int:
        """All answers of it."""
        return sum(count for _, count in self.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The bars, how long each is, and the answers of the highest."""

    bars: tuple[ChartBar, ...]
    step: str
    highest: int


def draw_chart(bars: Sequence[Bar], form: FilterForm, links: Links) -> Chart | None:
    """The chart of a view; None for one without answers."""
    if not bars:
        return None
    highest = max(sum(bar.results.values()) for bar in bars)
    step = bars[0].until - bars[0].since
    slot = WIDTH / len(bars)
    return Chart(
        bars=tuple(
            ChartBar(
                url=links.home(form.to_query(_to_days(bar), without=("period",))),
                name=_name(bar.since, step),
                counts=tuple((result, bar.results[result]) for result in RESULTS),
                x=round(number * slot, 2),
                width=round(max(slot - _GAP, 1), 2),
                parts=_stack(bar, highest),
            )
            for number, bar in enumerate(bars)
        ),
        step=_describe(step),
        highest=highest,
    )


def _stack(bar: Bar, highest: int) -> tuple[Part, ...]:
    parts, y = [], float(HEIGHT)
    for result in RESULTS:
        if count := bar.results[result]:
            height = max(count / highest * (HEIGHT - 4 * _LEAST_HEIGHT), _LEAST_HEIGHT)
            y -= height
            parts.append(Part(result=result, y=round(y, 2), height=round(height, 2)))
    return tuple(parts)


def _to_days(bar: Bar) -> dict[str, str]:
    """The stretch as the form writes it: days where it is of days."""
    if bar.until - bar.since >= timedelta(days=1):
        last = bar.until - timedelta(days=1)
        return {"since": f"{bar.since:%Y-%m-%d}", "until": f"{last:%Y-%m-%d}"}
    return {"since": write_moment(bar.since), "until": write_moment(bar.until)}


def _name(since: datetime, step: timedelta) -> str:
    if step < timedelta(days=1):
        return f"{since:%Y-%m-%d %H:%M} UTC"
    return f"{since:%Y-%m-%d}"


def _describe(step: timedelta) -> str:
    hours = int(step.total_seconds() // 3600)
    if hours < 24:
        return "1 hour" if hours == 1 else f"{hours} hours"
    return "1 day" if hours == 24 else f"{hours // 24} days"
