"""``audit replay`` as a user runs it: in another process, on another number of cores."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.api.cli.conftest import SENTENCE, TEXT
from tests.api.cli.program import SCRIPT, Program
from tests.conftest import copy_home

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def auditor(tmp_path_factory: pytest.TempPathFactory, migrated_home: Path) -> Program:
    """The program on a home with one document."""
    folder = tmp_path_factory.mktemp("audit")
    copy_home(migrated_home, folder / "home")
    (folder / "rules.txt").write_bytes(TEXT.encode())
    program = Program(home=folder / "home")
    done = program.run("ingest", folder / "rules.txt", "--doc-id", "rules")
    assert done.code == 0, done.stderr
    return program


@pytest.fixture(scope="module")
def verified(auditor: Program) -> dict[str, Any]:
    """A verified answer."""
    answer = {
        "answer": "Approved invoices are paid within four business days [1].",
        "citations": [{"anchor": 1, "doc_id": "rules", "span": {"text": SENTENCE}}],
    }
    done = auditor.run("verify", "-", "--json", stdin=json.dumps(answer).encode())
    assert done.code in {0, 1}, done.stderr
    body: dict[str, Any] = done.body
    return body


@pytest.mark.long
@pytest.mark.parametrize(("cores", "seed"), [(1, "1"), (os.cpu_count() or 1, "2")])
def test_another_process_comes_to_the_same_digest(
    auditor: Program, verified: dict[str, Any], cores: int, seed: str
) -> None:
    def confine() -> None:
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:cores]))

    done = subprocess.run(
        [SCRIPT, "audit", "replay", verified["verification_id"], "--json"],
        capture_output=True,
        check=False,
        env=auditor.environment | {"PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": "Asia/Tokyo"},
        preexec_fn=confine,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    assert body["status"] == "REPLAYED"
    digest = verified["verification"]["verdicts_digest"]
    assert body["verdicts_digest"] == {"stored": digest, "recomputed": digest}
    assert body["differences"] == []
    assert body["problem"] is None


@pytest.mark.long
def test_a_changed_file_fails_and_says_where(
    auditor: Program, verified: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "verified.json"
    path.write_text(json.dumps(verified), encoding="utf-8")
    done = auditor.run("audit", "replay", path)
    assert done.code == 0, done.stderr
    assert done.stdout.startswith(b"REPLAYED ")
    changed = path.read_text(encoding="utf-8").replace('"verdicts": [{', '"verdicts": [{"x": 1, ')
    path.write_text(changed, encoding="utf-8")
    done = auditor.run("audit", "replay", path)
    assert done.code == 1
    assert done.stdout.startswith(b"DIFFERS ")
    assert b"/verdicts/0/x: stored 1, recomputed None" in done.stdout


def test_what_is_unknown_or_malformed_is_one_line(auditor: Program, tmp_path: Path) -> None:
    done = auditor.run("audit", "replay", "nobody")
    assert done.code == 2
    done.require_one_line("VERIFICATION_NOT_FOUND")
    (tmp_path / "none.json").write_bytes(b"{}")
    done = auditor.run("audit", "replay", tmp_path / "none.json")
    assert done.code == 2
    done.require_one_line("MALFORMED_ANSWER")


def test_what_could_not_be_checked_says_so(
    auditor: Program, verified: dict[str, Any], tmp_path: Path
) -> None:
    lacking = auditor.with_settings(model=str(tmp_path / "no-model"))
    done = lacking.run("audit", "replay", verified["verification_id"])
    assert done.code == 4
    done.require_one_line("NOT_REPLAYABLE")
    done = lacking.run("audit", "replay", verified["verification_id"], "--json")
    assert done.code == 4
    assert done.body["status"] == "NOT_CHECKED"
    assert done.body["problem"]["code"] == "NOT_REPLAYABLE"
