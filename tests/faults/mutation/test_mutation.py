"""The mutation tester itself: what it changes, and that it tells a test that notices from none."""

from __future__ import annotations

import functools
import importlib
import json
import os
import subprocess
import sys
from importlib import util
from pathlib import Path
from typing import Any

import pytest

from tests.faults.mutation.equivalents import EQUIVALENT
from tests.faults.mutation.fresh import can_be_forgotten, find_dependents
from tests.faults.mutation.operators import list_mutants
from tests.faults.mutation.targets import ROOT, TARGETS

#: The tool is run by hand, for hours: what it is made of changes seldom.
pytestmark = pytest.mark.long

SOURCE = '''\
"""Words."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    LEFT_ALONE = 1
LIMIT = 2

def check(value: int = 3) -> bool:
    """More words."""
    if not 0 <= value < LIMIT:
        msg = f"Expected less than {LIMIT + 0}."
        raise ValueError(msg)
    try:
        return value == 1 or value.bit_length() > 7
    except (TypeError, KeyError):
        return False
'''


def run(*arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    """The exit status, the outcomes and the table."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.mutation", *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_each_operator_changes_one_thing() -> None:
    found = {mutant.name.partition(": ")[2] for mutant in list_mutants("m", SOURCE, "m.py")}
    head = "if not 0 <= value < LIMIT:"
    back = "return value == 1 or value.bit_length() > 7"
    assert found == {
        "LIMIT = 2 => LIMIT = 3",
        "LIMIT = 2 => LIMIT = 1",
        "def check(value: int=3) -> bool: => def check(value: int=4) -> bool:",
        "def check(value: int=3) -> bool: => def check(value: int=2) -> bool:",
        f"{head} => if 0 <= value < LIMIT:",
        f"{head} => if not 0 < value < LIMIT:",
        f"{head} => if not 0 > value < LIMIT:",
        f"{head} => if not 0 <= value <= LIMIT:",
        f"{head} => if not 0 <= value >= LIMIT:",
        f"{head} => if not 1 <= value < LIMIT:",
        "raise ValueError(msg) => (deleted)",
        f"{back} => return None",
        f"{back} => return value == 1 and value.bit_length() > 7",
        f"{back} => return value != 1 or value.bit_length() > 7",
        f"{back} => return value == 2 or value.bit_length() > 7",
        f"{back} => return value == 0 or value.bit_length() > 7",
        f"{back} => return value == 1 or value.bit_length() >= 7",
        f"{back} => return value == 1 or value.bit_length() <= 7",
        f"{back} => return value == 1 or value.bit_length() > 8",
        f"{back} => return value == 1 or value.bit_length() > 6",
        "except (TypeError, KeyError): => except (KeyError,):",
        "except (TypeError, KeyError): => except (TypeError,):",
        "return False => return True",
    }


def test_a_mutant_knows_the_function_whose_code_it_is() -> None:
    functions = {mutant.was: mutant.function for mutant in list_mutants("m", SOURCE, "m.py")}
    assert functions["LIMIT = 2"] is None
    assert functions["def check(value: int=3) -> bool:"] is None
    assert functions["raise ValueError(msg)"] == "check"


def test_tests_that_look_kill_every_mutant_and_others_none() -> None:
    status, outcomes, table = run(
        "spanproof.core.log.checkpoint", "--tests", "tests/core/log/test_checkpoint.py"
    )
    assert (status, {each["status"] for each in outcomes}) == (0, {"killed"}), table
    assert len(outcomes) == 9
    assert "| spanproof.core.log.checkpoint | 9 | 9 | 0 | 0 | 0 | 100.0% |" in table
    status, outcomes, table = run(
        "spanproof.core.log.checkpoint", "--tests", "tests/core/test_digest.py"
    )
    assert (status, {each["status"] for each in outcomes}) == (1, {"unreached"}), table


@functools.cache
def name_mutants(module: str) -> frozenset[str]:
    """The names of all mutants of a module as it is."""
    spec = util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text("utf-8")
    return frozenset(mutant.name for mutant in list_mutants(module, source, spec.origin))


@pytest.mark.parametrize("name", EQUIVALENT)
def test_what_is_called_equivalent_is_a_mutant_of_the_code_as_it_is(name: str) -> None:
    module = name.partition(":")[0]
    assert any(module in target.list_modules() for target in TARGETS.values())
    assert name in name_mutants(module)


def test_what_takes_effect_at_import_is_changed_from_there_on() -> None:
    status, outcomes, table = run(
        "spanproof.receipt.check.finding", "--tests", "tests/receipt/check/test_finding.py"
    )
    assert (status, {each["status"] for each in outcomes}) == (0, {"killed"}), table
    names = [each["mutant"] for each in outcomes]
    assert (
        "spanproof.receipt.check.finding:<module>: MOST_FINDINGS = 1000 => MOST_FINDINGS = 1001"
        in names
    )


def test_what_is_built_on_a_module_is_found() -> None:
    for name in (
        "spanproof.receipt.check.finding",
        "spanproof.receipt.check.leaves",
        "spanproof.receipt.check.report",
    ):
        importlib.import_module(name)
    found = find_dependents("spanproof.receipt.check.finding")
    assert {"spanproof.receipt.check.finding", "spanproof.receipt.check.leaves"} <= found
    assert not {"spanproof.core.errors", "spanproof.receipt.check.report"} & found
    assert can_be_forgotten(
        frozenset({"spanproof.receipt.check.finding", "spanproof.receipt.check.leaves"})
    )
    assert not can_be_forgotten(frozenset({"tests.store.log.conftest"}))
