"""``erase`` and ``backfill`` as they are typed, and what an auditor makes of a tombstone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.api.cli.program import run
from tests.api.cli.program import Completed
from tests.conftest import copy_home
from tests.sources import SENTENCE, make_pdf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def spanproof(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    migrated_home: Path,
) -> Callable[..., Completed]:
    """The program in this process, in a folder and a home of its own."""
    monkeypatch.chdir(tmp_path)
    copy_home(migrated_home, tmp_path / "home")
    monkeypatch.setenv("SPANPROOF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SPANPROOF_DATABASE_URL", raising=False)
    (tmp_path / "agreement.pdf").write_bytes(make_pdf())

    def call(*arguments: str) -> Completed:
        code = run(arguments)
        out, err = capsysbinary.readouterr()
        return Completed(code=code, stdout=out, stderr=err.decode())

    return call


def test_a_document_is_placed_erased_and_its_receipt_still_verifies(
    spanproof: Callable[..., Completed], tmp_path: Path
) -> None:
    done = spanproof("ingest", "agreement.pdf", "--doc-id", "agreement", "--json")
    doc_hash = done.body["documents"][0]["doc_hash"]
    (tmp_path / "chunks.jsonl").write_text(
        json.dumps({"chunk_id": "c1", "doc_id": "agreement", "text": SENTENCE}) + "\n"
    )
    found = spanproof("backfill", "chunks.jsonl", "--output", "patch.jsonl", "--json")
    assert (found.code, found.body) == (0, {"chunks": 1, "located": 1, "unlocatable": {}})
    assert json.loads((tmp_path / "patch.jsonl").read_text())["patch"]["doc_hash"] == doc_hash
    for wrong in (
        ("--output", "chunks.jsonl"),
        ("--output", "patch.jsonl", "--logs", "chunks.jsonl"),
        ("--output", "same.jsonl", "--logs", "chunks.jsonl", "--graded", "same.jsonl"),
    ):
        refused = spanproof("backfill", "chunks.jsonl", *wrong)
        assert refused.code == 2
        refused.require_one_line("MALFORMED_INPUT")

    answer = {
        "answer": "Defective goods are replaced within four business days [1].",
        "citations": [{"anchor": 1, "doc_hash": doc_hash, "span": {"text": SENTENCE}}],
    }
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    spanproof("verify", "answer.json", "--receipt", "receipt.json", "--json")
    spanproof("audit", "trust", "--output", "trust.json")
    assert spanproof("erase", "agreement", "--reason", " ").code == 2
    assert spanproof("erase", "never", "--reason", "asked for").code == 3
    erased = spanproof("erase", "agreement", "--reason", "asked for", "--tombstone", "gone.json")
    assert erased.code == 0
    assert f"erased document {doc_hash}".encode() in erased.stdout
    assert b"1 verifications cite it" in erased.stdout
    gone = spanproof("text", "agreement")
    assert gone.code == 3
    assert "tombstone" in gone.require_one_line("DOCUMENT_ERASED")
    again = spanproof("erase", doc_hash, "--reason", "again", "--with-verifications", "--json")
    first, second = again.body["erased"]
    assert (first["removed"], first["reason"], first["still_quoted_by"]) == (0, "asked for", [])
    assert (second["kind"], second["removed"]) == ("verification", 2)

    verify = ("audit", "verify", "receipt.json", "--trust", "trust.json", "--tombstone")
    audited = spanproof(*verify, "gone.json", "--json")
    assert audited.code == 0, audited.stderr
    lines = {line["question"]: line for line in audited.body["receipts"][0]["lines"]}
    assert lines["DOCUMENT"]["status"] == "NOT ASKED"
    assert f"{doc_hash} erased" in lines["DOCUMENT"]["words"]
    assert spanproof(*verify, "receipt.json").code == 2
    forged = json.loads((tmp_path / "gone.json").read_bytes())
    signature = json.loads((tmp_path / "receipt.json").read_bytes())["dsseEnvelope"]["signatures"]
    forged["dsseEnvelope"]["signatures"] = signature
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    assert spanproof(*verify, "forged.json").code == 1
    assert spanproof("audit", "fsck").code == 0
