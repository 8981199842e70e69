"""Attacks on the sample as folders: README says why, case.json what is sent and what must come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.operations.sampling.conftest import GOOD, make_payload, submit

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parents[2] / "vectors" / "sampling"
CASES = sorted(path.parent for path in FOLDER.glob("*/case.json"))
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_each_case_has_a_reason_of_its_own() -> None:
    reasons = {(case / "README").read_text(encoding="utf-8") for case in CASES}
    assert len(reasons) == len(CASES) >= 2


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_the_sample_cannot_be_aimed(folder: Path, open_home: Callable[..., Any]) -> None:
    case = json.loads((folder / "case.json").read_bytes())
    trace = {"trace_id": case["trace_id"]} if "trace_id" in case else {}
    sent: dict[str, str] = {}
    if "trace_state" in case:
        sent = {"trace_parent": f"00-{TRACE}-{'1' * 16}-01", "trace_state": case["trace_state"]}
    with open_home(case["plan"]) as context:
        found = [
            submit(context, make_payload(f"a{at}", GOOD, **trace), **sent)
            for at in range(case["answers"])
        ]
    assert {each.source for each in found} == {case["source"]}
    low, high = case["chosen"]
    # Beyond these bounds a fair draw comes once in some ten thousand runs.
    assert low <= sum(each.is_sampled for each in found) <= high
