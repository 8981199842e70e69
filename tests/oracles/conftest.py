"""Which of the other people's verifiers run here."""

from __future__ import annotations

import os

import pytest

from tests.oracles.tamperings.scene import Scene
from tests.oracles.verifiers import VERIFIERS, find_missing


@pytest.fixture(scope="session")
def scene() -> Scene:
    """A log, an honest receipt, and those who tamper with it."""
    return Scene.build()


@pytest.fixture(scope="module", params=VERIFIERS)
def verifier(request: pytest.FixtureRequest) -> str:
    """Each verifier's name in turn; skipped where it is not installed, failed where it must be."""
    name: str = request.param
    require_verifier(name)
    return name


@pytest.fixture
def sumdb() -> None:
    """For tests that ask Go's sumdb alone."""
    require_verifier("sumdb")


def require_verifier(name: str) -> None:
    """Skip the test where a verifier is not installed, fail it where it must be."""
    missing = find_missing(name)
    if missing is None:
        return
    if os.environ.get("CI") or os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
        pytest.fail(missing)
    pytest.skip(missing)
