"""A home that 0.1.0 made opens, is read, checked and worked on by the present code.

``tests/homes/README.md`` says what it holds; ``kept`` in the archive is what 0.1.0 said of it.
"""

from __future__ import annotations

import json
import sqlite3
import tarfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.settings import Settings
from spanproof.operations.tenants import Tenants
from tests.api.cli.program import Program
from tests.engines import needs_mupdf
from tests.operations.jobs.conftest import running, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

ARCHIVE = Path(__file__).parent / "homes" / "0.1.0.tar.xz"
ORIGIN = "log.homes.example"
RECEIPTS = ("agreement", "rules", "draft")


@dataclass(frozen=True, slots=True, kw_only=True)
class OldHome:
    """The home, unpacked, and what its own release said of it."""

    program: Program
    kept: Path

    def said(self, name: str) -> Any:
        """One of the JSON documents that 0.1.0 printed."""
        return json.loads((self.kept / f"{name}.json").read_bytes())

    def run(self, *arguments: str | Path) -> Any:
        """What the present code prints for a command that succeeds."""
        done = self.program.run(*arguments, "--json")
        assert done.code in {0, 1}, done.stderr
        return done.body


def _unpack(folder: Path) -> OldHome:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="tar")
    program = Program(home=folder / "home").with_settings(log_origin=ORIGIN)
    return OldHome(program=program, kept=folder / "kept")


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> OldHome:
    """One to read only. Its first command closes the home to others and says so."""
    opened = _unpack(tmp_path_factory.mktemp("old"))
    opened.program.run("keys", "list")
    return opened


@pytest.fixture
def tenants(tmp_path: Path) -> Iterator[Tenants]:
    """One to work on, as the service opens it."""
    home = _unpack(tmp_path).program.home
    opened = Tenants(
        Settings(home=home, log_origin=ORIGIN, cross_check_rate=0.0, job_beat_seconds=0.3)
    )
    yield opened
    opened.close()


def test_tables_and_triggers_are_those_of_a_new_home(old: OldHome, tmp_path: Path) -> None:
    Program(home=tmp_path).run("keys", "list")
    assert describe(old.program.home) == describe(tmp_path)


def describe(home: Path) -> dict[str, str]:
    """The triggers and indexes as they were made, and the columns of each table."""
    with closing(sqlite3.connect(home / "spanproof.db")) as database:
        made = dict(database.execute("SELECT name, sql FROM sqlite_master"))
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            made[table] = str(database.execute(f"PRAGMA table_info('{table}')").fetchall())
    return made


@pytest.mark.parametrize("name", ["agreement", "rules"])
def test_documents_have_their_text_and_their_names(old: OldHome, name: str) -> None:
    done = old.program.run("text", name)
    assert done.stdout == (old.kept / f"{name}.text").read_bytes()
    found = old.run("find", name, "reading room" if name == "rules" else "insurance")
    assert found["doc_hash"] == old.said(f"ingest_{name}")["documents"][0]["doc_hash"]
    assert found["matches"]


def test_what_was_erased_stays_erased(old: OldHome) -> None:
    done = old.program.run("text", "draft")
    assert "Its tombstone is leaf 9" in done.require_one_line("DOCUMENT_ERASED")


def test_receipts_verify_as_they_did(old: OldHome) -> None:
    paths = [old.kept / f"{name}.sigstore.json" for name in RECEIPTS]
    tombstone = ("--tombstone", old.kept / "draft.tombstone")
    report = old.run("audit", "verify", *paths, "--trust", old.kept / "trust.json", *tombstone)
    before = {each["receipt_id"]: each for each in old.said("audit_verify")["receipts"]}
    assert report["outcome"] == "OK"
    for each in report["receipts"]:
        lines = before[each["receipt_id"]]["lines"]
        # Since then it can also be asked whether a receipt is of an answer.
        found = {line["question"]: line["status"] for line in each["lines"]}
        assert found.pop("ANSWER") == "NOT ASKED"
        assert list(found.items()) == [(line["question"], line["status"]) for line in lines]


def test_the_log_is_whole_and_the_trust_file_the_same(old: OldHome) -> None:
    done = old.program.run("audit", "fsck", "--no-keep", "--signatures", "--json")
    assert done.code == 0, done.stdout
    assert done.body["checkpoint"] == old.said("audit_fsck")["checkpoint"]
    trust = old.program.run("audit", "trust")
    assert json.loads(trust.stdout) == old.said("trust")


@pytest.mark.parametrize("name", ["agreement", "rules"])
def test_a_verification_replays_with_its_own_release_alone(old: OldHome, name: str) -> None:
    before = old.said(f"verify_{name}")
    done = old.program.run("audit", "replay", before["verification_id"], "--json")
    assert (done.code, done.body["status"]) == (4, "NOT_CHECKED")
    stored = before["verification"]
    digests = {"stored": stored["verdicts_digest"], "recomputed": None}
    assert done.body["verdicts_digest"] == digests
    problem = done.body["problem"]
    expected = f"Expected policy 'balanced' to be '{stored['policy']['digest']}', got "
    assert problem["code"] == "NOT_REPLAYABLE"
    assert problem["detail"].startswith(expected)
    assert problem["hint"] == "Replay with the version of Spanproof that has this policy."


def test_versions_of_an_index_are_compared_as_they_were(old: OldHome) -> None:
    diff = old.run("index", "diff", "room", "v1", "v2")
    assert diff == old.said("index_diff")


def test_accounts_webhooks_modes_and_epochs_are_there(old: OldHome) -> None:
    keys = {each["key_id"] for each in old.run("keys", "list")["keys"]}
    made = {old.said(f"key_{tenant}")["key_id"] for tenant in ("default", "acme")}
    assert keys == made
    (webhook,) = old.run("webhooks", "list")["webhooks"]
    assert webhook["url"] == "https://hooks.homes.example/spanproof"
    modes = old.run("citations", "list")["citations"]
    assert [each["grammar"] for each in modes if each["since"] is not None] == ["numbered"]
    epochs = old.run("sample", "epochs")["epochs"]
    assert sum(each["closed"] is not None for each in epochs) == 1
    assert len(epochs) == 2


@needs_mupdf
def test_citations_are_found_again_in_what_is_read_today(tmp_path: Path) -> None:
    opened = _unpack(tmp_path)
    before = opened.said("ingest_agreement")["documents"][0]
    digest = before["doc_hash"].removeprefix("sha256:")
    pdf = tmp_path / "agreement.pdf"
    pdf.write_bytes((opened.program.home / "blobs" / digest[:2] / digest).read_bytes())
    (after,) = opened.run("ingest", pdf)["documents"]
    assert before["extraction_pipeline"] == "pymupdf@2.0+canon-1+flags-3"
    assert after["extraction_id"] != before["extraction_id"]
    drift = opened.run("drift", "--from", before["extraction_id"], "--to", after["extraction_id"])
    assert drift["accepted"] == drift["classes"]["SAME"] == drift["citations"] == 4
    # The end stop and the first letter are an editor's, in what 0.1.0 read and in what is read now.
    quote = "the supplier holds public liability insurance of at least two million pounds;"
    found = opened.run("find", "agreement", quote)
    assert (found["extraction_id"], found["status"]) == (after["extraction_id"], "EDITORIAL")


@pytest.mark.long
def test_it_is_backed_up_and_restored(old: OldHome, tmp_path: Path) -> None:
    assert old.program.run("backup", tmp_path / "backup").code == 0
    new = Program(home=tmp_path / "new").with_settings(log_origin=ORIGIN)
    done = new.run("restore", tmp_path / "backup", "--sample", "0", "--json")
    assert done.code == 0, done.stderr
    questions = {line["question"] for line in done.body["lines"]}
    assert {"MANIFEST", "FILES", "ROWS", "TREE", "STORE", "LOG"} <= questions
    assert new.run("text", "rules").stdout == (old.kept / "rules.text").read_bytes()


@pytest.mark.long
@pytest.mark.model
def test_jobs_that_were_queued_run(tenants: Tenants, old: OldHome) -> None:
    queued = old.said("jobs")
    jobs = tenants.default.jobs
    with running(tenants):
        done = {kind: wait_for(jobs, job_id) for kind, job_id in queued.items()}
    assert {kind: job.state.value for kind, job in done.items()} == dict.fromkeys(queued, "done")
    assert {kind: job.kind for kind, job in done.items()} == {kind: kind for kind in queued}
    result = done["verification"].result
    assert result is not None
    # The answer leaves out that readers may borrow four books "at a time".
    assert result["verifications"][0]["result"] == "review"
