"""The figures of an aimed sample that a page gives are those that were measured, and still are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bench.report import RESULTS
from bench.sample_power import EVADING, simulate
from spanproof.monitor.fit import LEVEL

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "monitoring.md"
FIGURES: dict[str, Any] = json.loads((RESULTS / "sample_power.json").read_text())["figures"]
ROWS = {(row["probability"], row["answers"]): row for row in FIGURES["rows"]}


def test_the_page_says_what_was_measured() -> None:
    found = re.search(
        r"one answer in a hundred has such an id \(p = 0\.05, `bench\.sample_power`\), the test "
        r"finds no epoch of 10,000 answers; all of 100,000, if these are of one model; 99 % of ten "
        r"million, if scattered\.",
        PAGE.read_text("utf-8"),
    )
    assert found is not None
    assert (FIGURES["evading"], FIGURES["level"]) == (EVADING, LEVEL)
    few, more, most = (ROWS[0.05, answers] for answers in (10_000, 100_000, 10_000_000))
    assert (few["scattered"], few["of one model"]) == (0, 0)
    assert more["of one model"] == 1
    assert round(most["scattered"], 2) == 0.99
    # A fair draw is called unfair in none of so many runs.
    assert all(row["none evade"] == 0 for row in ROWS.values())


@pytest.mark.parametrize(
    ("answers", "is_one_model", "least", "most"),
    [(10_000, True, 0, 0), (100_000, True, 1, 1), (10_000_000, False, 0.9, 1)],
)
def test_the_audit_still_has_this_power(
    answers: int, is_one_model: bool, least: float, most: float
) -> None:
    power = simulate(
        answers, 0.05, evading=EVADING, is_one_model=is_one_model, runs=100, seed=20261123
    )
    assert least <= power <= most
