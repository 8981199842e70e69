"""The shelves of one store's samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.store.samples.alarms import Alarms
from spanproof.store.samples.answers import SubmittedAnswers
from spanproof.store.samples.counts import SampleFilter, count_samples, count_traces
from spanproof.store.samples.epochs import Epochs
from spanproof.store.samples.outcomes import Outcomes
from spanproof.store.samples.reviews import Reviews

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store.database.session import Database
    from spanproof.store.samples.records import SampleCount


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
