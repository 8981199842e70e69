"""A long document takes its result's memory, not several times that, and time in proportion."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.documents.growth import draw_pdf

pytestmark = pytest.mark.long

FEW, MANY = 250, 2_500


@pytest.fixture(scope="module")
def readings(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What two documents take, each read in a fresh process."""
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("/proc tells a process's peak memory on Linux only")
    found = []
    for pages in (FEW, MANY):
        path = tmp_path_factory.mktemp("growth") / f"{pages}.pdf"
        path.write_bytes(draw_pdf(pages))
        command = [sys.executable, "-m", "bench.documents.growth", "--one", str(path)]
        done = subprocess.run(
            command, check=True, capture_output=True, cwd=Path(__file__).parents[2]
        )
        found.append(json.loads(done.stdout))
    return found


def test_a_long_document_does_not_stand_in_memory_twice(readings: list[dict[str, Any]]) -> None:
    _, many = readings
    # Columns that were joined from parts, or copied to be stored, would pass these bounds by far.
    assert many["peak_reading_bytes"] < 2 * many["result_bytes"]
    assert many["peak_bytes"] < 2.2 * many["result_bytes"]


def test_a_further_page_costs_no_more_time_than_one_before(readings: list[dict[str, Any]]) -> None:
    few, many = (row["seconds"] / row["characters"] for row in readings)
    assert many < 2 * few


def test_the_drawn_pages_are_read_whole(readings: list[dict[str, Any]]) -> None:
    assert [row["pages"] for row in readings] == [FEW, MANY]
    assert all(row["characters"] > 3_000 * row["pages"] for row in readings)
