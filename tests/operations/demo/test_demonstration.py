from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.demo.cases import CASES
from tests.api.cli.program import Program
from tests.conftest import copy_home
from tests.pages import read_page

if TYPE_CHECKING:
    from pathlib import Path

EXPECTED = [
    ("pass", "EXACT"),
    ("fail", "EXACT"),
    ("fail", "ALTERED"),
    ("review", "MOVED"),
    ("fail", "MISATTRIBUTED"),
    ("fail", "ABSENT"),
]


def test_the_cases_are_the_six_of_the_demonstration() -> None:
    assert [(case.outcome, case.existence) for case in CASES] == EXPECTED


def read_shown_block() -> dict[str, Any]:
    """The shortened block that docs/reference/block.md shows."""
    page = read_page("block.md")
    found = re.search(r"<!-- block -->\n```json\n(.*?)```\n<!-- /block -->", page, re.DOTALL)
    assert found
    block: dict[str, Any] = json.loads(found[1])["verification"]
    return block


def is_part(shown: object, whole: object) -> bool:
    """Whether all that is shown is in the whole; of a list, each part has one that holds it."""
    if isinstance(shown, dict) and isinstance(whole, dict):
        return all(name in whole and is_part(value, whole[name]) for name, value in shown.items())
    if isinstance(shown, list) and isinstance(whole, list):
        return all(any(is_part(part, other) for other in whole) for part in shown)
    if isinstance(shown, float):
        # Another family of processors differs in the last digits.
        return bool(shown == pytest.approx(whole, abs=0.002))
    return shown == whole


@pytest.mark.long
@pytest.mark.model
def test_all_six_outcomes_are_as_expected_and_it_can_run_again(
    tmp_path: Path, migrated_home: Path
) -> None:
    home, output = copy_home(migrated_home, tmp_path / "home"), tmp_path / "out"
    program = Program(home=home)
    first = program.run("demo", "--output", output)
    assert first.code == 0, first.stdout.decode() + first.stderr
    block = json.loads((output / "verification.json").read_bytes())["verification"]
    got = [(v["outcome"], v["existence"]["status"]) for v in block["verdicts"]]
    assert got == EXPECTED
    assert block["result"] == "fail"
    assert block["verdicts"][0]["support"]["status"] == "ENTAILED"
    assert block["verdicts"][0]["locator"]["status"] == "MATCH"
    assert block["verdicts"][1]["support"]["status"] == "CONTRADICTED"
    assert is_part(read_shown_block(), block)
    images = sorted(path.name for path in output.glob("*.png"))
    assert "facilities-and-payments-policy-page-1.png" in images
    shown = first.stdout.decode()
    assert "spanproof serve" in shown
    assert "http://127.0.0.1:8321/" in shown
    wanted = [[f"[{at}]", end.upper(), found] for at, (end, found) in enumerate(EXPECTED, start=1)]
    lines = [line.split() for line in shown.splitlines() if line.startswith("[")]
    assert [line[:3] for line in lines] == wanted
    files = program.stored_files()
    again = program.run("demo", "--output", output)
    assert again.code == 0
    # The documents are stored once; the second answer is a second record.
    assert program.stored_files() >= files
