"""The shelves of one store's samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.samples.alarms import Alarms
from store.samples.answers import SubmittedAnswers
from store.samples.counts import SampleFilter, count_samples, count_traces
from store.samples.epochs import Epochs
from store.samples.outcomes import Outcomes
from store.samples.reviews import Reviews

if TYPE_CHECKING:
    from pathlib import Path

    from store.samples.records import SampleCount
    from store.session import Database


class Samples:
    """Epochs, answers, outcomes, alarms and reviews of one store."""

    def __init__(self, database: Database, home: Path) -> None:
        self._database = database
        self.epochs = Epochs(database, home)
        self.answers = SubmittedAnswers(database)
        self.outcomes = Outcomes(database)
        self.alarms = Alarms(database)
        self.reviews = Reviews(database)

    def count(self, wanted: SampleFilter) -> list[SampleCount]:
        """How many answers came in, were chosen and verified, by what tells them apart."""
        return count_samples(self._database, wanted)

    def count_traces(self, wanted: SampleFilter, by: str | None) -> dict[str | None, int]:
        """How many traces the verified answers are of, by one column; None: all, under None."""
        return count_traces(self._database, wanted, by)
