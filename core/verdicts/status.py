"""The statuses of the axes and the outcome, as they are written in JSON."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

#: How much of the claim is supported; what was read beside the span and the claim.
SupportGrade = Literal["full", "partial", "none"]
SupportContext = Literal["bare", "headers", "question"]


class Outcome(StrEnum):
    """The outcome of a verdict."""

    PASS = "pass"  # noqa: S105 - an outcome, no secret
    FAIL = "fail"
    REVIEW = "review"
    ERROR = "error"


class IdentityStatus(StrEnum):
    """Is the document the one cited?"""

    MATCH = "MATCH"
    HASH_MISMATCH = "HASH_MISMATCH"
    UNKNOWN_DOCUMENT = "UNKNOWN_DOCUMENT"
    UNKNOWN_EXTRACTION = "UNKNOWN_EXTRACTION"
    SUPERSEDED = "SUPERSEDED"
    #: No document: the text came with the request.
    SNIPPET = "SNIPPET"


class ChunkStatus(StrEnum):
    """Does the span lie in the cited chunk?"""

    MATCH = "MATCH"
    MISMATCH = "MISMATCH"
    NOT_GIVEN = "NOT_GIVEN"
    UNKNOWN_INDEX = "UNKNOWN_INDEX"


class ExistenceStatus(StrEnum):
    """Does the quote appear in the document, and where? The ladder, best first."""

    EXACT = "EXACT"
    FOLD_EQUAL = "FOLD_EQUAL"
    EDITORIAL = "EDITORIAL"
    MOVED = "MOVED"
    AMBIGUOUS = "AMBIGUOUS"
    MISATTRIBUTED = "MISATTRIBUTED"
    STITCHED = "STITCHED"
    ALTERED = "ALTERED"
    ABSENT = "ABSENT"
    UNVERIFIABLE = "UNVERIFIABLE"
    NOT_RUN = "NOT_RUN"


class LocatorStatus(StrEnum):
    """Does the given page and box hold the span?"""

    MATCH = "MATCH"
    MISMATCH = "MISMATCH"
    NOT_GIVEN = "NOT_GIVEN"
    NO_LAYOUT = "NO_LAYOUT"
    NOT_RUN = "NOT_RUN"


class SupportStatus(StrEnum):
    """Does the span entail the claim?"""

    ENTAILED = "ENTAILED"
    NEUTRAL = "NEUTRAL"
    CONTRADICTED = "CONTRADICTED"
    BORDERLINE = "BORDERLINE"
    NOT_RUN = "NOT_RUN"


class AttributionStatus(StrEnum):
    """Where is the claim supported?"""

    HERE = "HERE"
    ELSEWHERE = "ELSEWHERE"
    NOWHERE = "NOWHERE"
    NOT_RUN = "NOT_RUN"


class CrossCheckStatus(StrEnum):
    """Does a second engine read the same words at the same place?"""

    AGREES = "AGREES"
    DISAGREES = "DISAGREES"
    NOT_RUN = "NOT_RUN"
    NOT_ASKED = "NOT_ASKED"
