from __future__ import annotations

import pytest

from spanproof.core.verdicts.status import (
    AttributionStatus,
    ChunkStatus,
    ExistenceStatus,
    IdentityStatus,
    LocatorStatus,
    Outcome,
    SupportStatus,
)
from spanproof.operations.presentation.words import (
    MEANINGS,
    OUTCOMES,
    SIGNS,
    describe_axis,
    find_worst,
)


@pytest.mark.parametrize(
    ("axis", "statuses"),
    [
        ("identity", IdentityStatus),
        ("existence", ExistenceStatus),
        ("locator", LocatorStatus),
        ("support", SupportStatus),
        ("attribution", AttributionStatus),
    ],
)
def test_every_status_has_its_sentence(
    axis: str, statuses: type[IdentityStatus | ExistenceStatus | LocatorStatus | SupportStatus]
) -> None:
    assert set(MEANINGS[axis]) == {status.value for status in statuses}


def test_every_chunk_status_that_is_shown_has_its_sentence() -> None:
    assert set(MEANINGS["chunk"]) | {"NOT_GIVEN"} == {status.value for status in ChunkStatus}


def test_every_outcome_has_a_sign_of_its_own() -> None:
    assert set(OUTCOMES) == {outcome.value for outcome in Outcome}
    assert len({SIGNS[outcome] for outcome in OUTCOMES}) == len(OUTCOMES)


@pytest.mark.parametrize("status", ["NOT_RUN", "UNVERIFIABLE", "UNKNOWN_DOCUMENT", "NEW_WORD"])
def test_what_did_not_run_never_looks_like_a_pass(status: str) -> None:
    assert describe_axis("existence", status).tone == "error"


def test_the_worst_outcome_wins_and_nothing_is_an_error() -> None:
    assert find_worst(["pass", "review", "error", "fail"]) == "fail"
    assert find_worst(["pass", "review", "error"]) == "error"
    assert find_worst([]) == "error"
    assert find_worst(["splendid"]) == "error"
