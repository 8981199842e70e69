"""A calibration's own record, and whether an answer lies within its sample.

A calibration is fitted on labelled pairs. Its figures hold for the weights, prompts and fields that
it names and for no others, so every block says whether it applied.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date, datetime

    from spanproof.core.citation import Answer
    from spanproof.core.digest import Digest

#: The label of an answer that names the schema of the fields it was extracted into.
FIELD_SCHEMA_LABEL = "field_schema_sha256"


class CalibrationStatus(StrEnum):
    """Does the model's calibration speak for this answer?"""

    APPLIED = "applied"
    NONE = "none"
    STALE = "stale"
    OUT_OF_SCOPE = "out_of_scope"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBound:
    """At most ``upper`` of the claims reported ENTAILED are unsupported, with ``1 - delta``.

    It holds on data like the ``n`` pairs, one a document, on which it was tested; ``selected`` of
    them were reported ENTAILED and ``errors`` of those are not. ``alpha`` is what the policy
    allows. A certificate is the bound of one group: its ``threshold`` is None where none keeps
    ``alpha``. The bound of all that a policy lets pass has no one threshold.
    """

    alpha: float
    delta: float
    n: int
    threshold: float | None
    selected: int
    errors: int
    upper: float | None
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRecord:
    """What was fitted on: weights, labelled rows, when, and the scope that it claims.

    ``digest`` is of the whole calibration file. ``valid_days`` None: no end; ``prompt_ids`` and
    ``field_schema_sha256`` None: any.
    """

    name: str
    digest: Digest
    weights_sha256: str | None
    labelled_sha256: str | None
    n: int
    made_on: date
    valid_days: int | None = None
    prompt_ids: tuple[str, ...] | None = None
    field_schema_sha256: str | None = None
    languages: tuple[str, ...] = ()
    bounds: tuple[tuple[str, ErrorBound], ...] = ()

    def bound_for(self, policy: str) -> ErrorBound | None:
        """What it states of all that a policy lets pass; None for a policy unknown to it."""
        return dict(self.bounds).get(policy)

    def status_for(
        self, weights: Digest | None, answer: Answer, moment: datetime
    ) -> CalibrationStatus:
        """Whether it speaks for an answer judged by these weights at this moment."""
        if weights is None or self.weights_sha256 != weights.hex:
            return CalibrationStatus.STALE
        age = moment.date() - self.made_on
        if self.valid_days is not None and age > timedelta(days=self.valid_days):
            return CalibrationStatus.STALE
        prompt_id = None if answer.generator is None else answer.generator.prompt_id
        if self.prompt_ids is not None and prompt_id not in self.prompt_ids:
            return CalibrationStatus.OUT_OF_SCOPE
        schema = dict(answer.labels).get(FIELD_SCHEMA_LABEL)
        if self.field_schema_sha256 is not None and schema != self.field_schema_sha256:
            return CalibrationStatus.OUT_OF_SCOPE
        return CalibrationStatus.APPLIED


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCheck:
    """The calibration that was asked for and whether it speaks for the answer."""

    status: CalibrationStatus
    record: CalibrationRecord | None = None


def check_calibration(
    record: CalibrationRecord | None, weights: Digest | None, answer: Answer, moment: datetime
) -> CalibrationCheck:
    """Whether the model's calibration speaks for an answer; without one, ``none``."""
    if record is None:
        return CalibrationCheck(status=CalibrationStatus.NONE)
    return CalibrationCheck(status=record.status_for(weights, answer, moment), record=record)
