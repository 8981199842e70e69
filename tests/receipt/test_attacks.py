"""Attack cases as folders: README says why, case.json what; ``_fail`` must never be OK."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import MalformedTrustError
from spanproof.operations.receipts.check import FileCheck, check_files, open_audit
from spanproof.receipt.check.report import CheckOutcome, LineStatus, Question
from tests.receipt.attacks import list_attacks
from tests.receipt.write_attacks import FOLDER, RECEIPT, TRUST, build_files

if TYPE_CHECKING:
    from pathlib import Path

CASES = sorted(path.parent for path in FOLDER.glob("*/case.json"))


def check(folder: Path) -> FileCheck:
    """Check a case as the command does, with every file of its folder."""
    case = json.loads((folder / "case.json").read_bytes())
    own = folder / TRUST
    audit = open_audit(
        own if own.exists() else FOLDER / TRUST,
        answer=next(folder.glob("answer*"), None),
        sources=sorted(folder.glob("source*")),
        texts=sorted(folder.glob("canonical*")),
        witnessed=sorted(folder.glob("witness*")),
        policy=case.get("policy"),
    )
    others = sorted(each for each in folder.glob("*.sigstore.json") if each.name != RECEIPT)
    return check_files([folder / RECEIPT, *others], audit)[0]


def test_there_are_cases_and_each_has_a_reason_of_its_own() -> None:
    assert len(CASES) >= 80
    assert {case.name for case in CASES} == {"good", *(each.name for each in list_attacks())}
    reasons = [(case / "README").read_text(encoding="utf-8") for case in CASES]
    assert len(set(reasons)) == len(reasons)


def test_the_folders_are_what_the_script_writes() -> None:
    kept = {
        path.relative_to(FOLDER).as_posix(): path.read_bytes()
        for path in FOLDER.rglob("*")
        if path.is_file()
    }
    assert kept == build_files()


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_the_case_comes_out_as_it_must(folder: Path) -> None:
    case = json.loads((folder / "case.json").read_bytes())
    expected = CheckOutcome[case["outcome"]]
    assert (expected is CheckOutcome.OK) == (not folder.name.endswith("_fail"))
    if folder.name.startswith("trust_file_") and expected is CheckOutcome.MALFORMED:
        with pytest.raises(MalformedTrustError):
            check(folder)
        return
    found = check(folder)
    assert found.outcome is expected, found
    if expected is CheckOutcome.MALFORMED:
        assert found.report is None
        assert found.problem is not None
        return
    assert found.report is not None
    if expected is CheckOutcome.OK:
        assert found.report.decisive is None
        return
    assert found.report.decisive is not None
    assert found.report.decisive.question == case["question"]
    assert found.report.decisive.words


def test_nothing_behind_a_broken_signature_is_believed() -> None:
    found = check(FOLDER / "payload_byte_flipped_fail")
    assert found.report is not None
    assert found.report.receipt_id is None
    behind = [line for line in found.report.lines if line.question is not Question.SIGNATURE]
    assert {line.status for line in behind} == {LineStatus.NOT_CHECKED}
