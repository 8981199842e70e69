"""What any released version issued verifies today, with its documents and texts."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.operations.receipts.check import check_file, open_audit
from spanproof.receipt.check.report import CheckOutcome, CheckReport, LineStatus, Question
from tests.receipt.write_corpus import FOLDER, SUMS

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = sorted(path.parent for path in FOLDER.glob(f"*/{SUMS}"))
RECEIPTS = sorted(path for version in VERSIONS for path in version.glob("*.sigstore.json"))


def read_predicate(path: Path) -> dict[str, Any]:
    """What the statement says, read by nothing of ours."""
    bundle = json.loads(path.read_bytes())
    payload = json.loads(base64.b64decode(bundle["dsseEnvelope"]["payload"]))
    predicate: dict[str, Any] = payload["predicate"]
    return predicate


def check(path: Path, **given: list[Path]) -> CheckReport:
    found = check_file(path, open_audit(path.parent / "trust.json", **given))  # type: ignore[arg-type]
    assert found.report is not None, found.problem
    return found.report


def test_there_is_a_corpus_of_this_version() -> None:
    assert "0.1.0" in {version.name for version in VERSIONS}
    for version in VERSIONS:
        assert len(list(version.glob("*.sigstore.json"))) >= 20


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_the_corpus_is_as_it_was_written(version: Path) -> None:
    lines = (version / SUMS).read_text(encoding="ascii").splitlines()
    kept = {name: Digest(digest) for digest, name in (line.split() for line in lines)}
    found = {
        path.name: Digest.of(path.read_bytes()) for path in version.iterdir() if path.name != SUMS
    }
    assert kept == found


@pytest.mark.parametrize("path", RECEIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_receipt_of_old_holds_with_all_that_it_names(path: Path) -> None:
    predicate = read_predicate(path)
    named = {document["doc_hash"] for document in predicate["documents"]}
    texts = {
        text["sha256"]
        for document in predicate["documents"]
        for text in document["canonical_texts"]
    }
    files = sorted(path.parent.glob("*.txt"))
    sources = [each for each in files if str(Digest.of(each.read_bytes())) in named]
    # Plain text is its own canonical text, where nothing had to be replaced.
    canonical = [each for each in files if Digest.of(each.read_bytes()).hex in texts]
    report = check(path, sources=sources, texts=canonical)
    assert report.outcome is CheckOutcome.OK, report
    assert report.receipt_id == predicate["receipt_id"]
    assert len(sources) == len(named)
    if sources:
        assert report[Question.DOCUMENT].status is LineStatus.OK
    if canonical:
        assert report[Question.SPAN].status is LineStatus.OK
    assert f"{predicate['summary']['result']!r}" in report[Question.POLICY].words


@pytest.mark.parametrize("path", RECEIPTS[:3], ids=lambda path: path.stem)
def test_a_receipt_of_old_can_still_fail(path: Path, tmp_path: Path) -> None:
    other = next(each for each in RECEIPTS if each != path and each.parent == path.parent)
    bundle, foreign = json.loads(path.read_bytes()), json.loads(other.read_bytes())
    bundle["dsseEnvelope"]["payload"] = foreign["dsseEnvelope"]["payload"]
    mixed = tmp_path / path.name
    mixed.write_text(json.dumps(bundle), encoding="utf-8")
    (tmp_path / "trust.json").write_bytes((path.parent / "trust.json").read_bytes())
    assert check(mixed).outcome is CheckOutcome.FAILED
