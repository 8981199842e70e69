"""``audit fsck``, ``export`` and ``replay`` of a receipt as they are called: lines, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.cli.program import run
from tests.api.cli.audit.test_verify import HEAVY, RUN
from tests.api.cli.conftest import SENTENCE
from tests.conftest import copy_home
from tests.receipt.samples import Issuer, MemoryLog, make_log_key, to_trust_bytes
from tests.receipt.tiles import write_log

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program


@pytest.fixture
def issuer() -> Issuer:
    """A log of four leaves."""
    issuer = Issuer()
    issuer.issue()
    issuer.issue()
    return issuer


@pytest.fixture
def desk(tmp_path: Path, issuer: Issuer) -> Path:
    """A folder with a log, an older head of it, and the trust file."""
    write_log(tmp_path / "log", issuer.log)
    (tmp_path / "old").write_text(issuer.log.note(2), encoding="utf-8")
    (tmp_path / "trust.json").write_bytes(to_trust_bytes(issuer))
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(each) for each in arguments])
    done = capsys.readouterr()
    return code, done.out, done.err


def test_a_folder_in_order_ends_with_0(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("audit", "fsck", desk / "log", "--trust", desk / "trust.json")
    code, out, err = call(capsys, *arguments, "--checkpoint", desk / "old", "--signatures")
    assert (code, err) == (0, "")
    assert [line.split()[:2] for line in out.splitlines()[:4]] == [
        ["CHECKPOINT", "OK"],
        ["TREE", "OK"],
        ["KEYS", "OK"],
        ["HISTORY", "OK"],
    ]
    assert out.splitlines()[-1] == "OK"
    code, out, err = call(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["outcome"] == "OK"


def test_each_fault_is_one_line_and_ends_with_1(
    desk: Path, issuer: Issuer, capsys: pytest.CaptureFixture[str]
) -> None:
    (desk / "log" / "tile" / "0" / "000.p" / "4").unlink()
    fork = MemoryLog(key=issuer.log.key, entries=[b"x", b"y"])
    (desk / "fork").write_text(fork.note(), encoding="utf-8")
    code, out, err = call(
        capsys,
        "audit",
        "fsck",
        desk / "log",
        "--trust",
        desk / "trust.json",
        "--checkpoint",
        desk / "fork",
    )
    assert code == 1
    assert [line.split(": ")[1] for line in err.splitlines()] == ["TILE_MISSING", "LOG_FORKED"]
    assert "Traceback" not in out + err
    assert out.splitlines()[-1] == "FAILED"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["log"], 2),
        (["nowhere", "--trust", "trust.json"], 2),
        (["log", "--trust", "old"], 2),
        (["log", "--trust", "nothing"], 2),
        (["log", "--trust", "trust.json", "--checkpoint", "nothing"], 2),
        (["log", "--trust", "trust.json", "--checkpoint", "trust.json"], 1),
        (["log", "--trust", "trust.json", "--origin", "other.example.com"], 1),
        (["http://127.0.0.1:9", "--trust", "trust.json"], 4),
    ],
)
def test_exit_codes_say_whose_fault_it_is(
    desk: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
) -> None:
    monkeypatch.chdir(desk)
    found, out, err = call(capsys, "audit", "fsck", *arguments)
    assert found == code, err
    assert "Traceback" not in out + err
    assert len(err.splitlines()) == 1, err


def test_a_head_by_a_key_that_nobody_trusts_is_one_line(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger = Issuer(log=MemoryLog(key=make_log_key(8)))
    (desk / "other.json").write_bytes(to_trust_bytes(stranger))
    code, _, err = call(capsys, "audit", "fsck", desk / "log", "--trust", desk / "other.json")
    assert code == 1
    assert err.startswith("spanproof: CHECKPOINT_SIGNATURE: checkpoint: ")


def test_a_folder_is_checked_without_loading_what_is_heavy(desk: Path) -> None:
    subprocess.run(
        [
            *(sys.executable, "-c", RUN, HEAVY, "audit", "fsck", str(desk / "log")),
            *("--trust", str(desk / "trust.json"), "--checkpoint", str(desk / "old")),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def answer(doc_hash: str) -> dict[str, Any]:
    citation = {"anchor": 1, "doc_hash": doc_hash, "span": {"text": SENTENCE}}
    return {"answer": "Invoices are paid within four business days [1].", "citations": [citation]}


@pytest.mark.long
def test_the_own_store_is_exported_checked_and_computed_anew(
    program: Program,
    doc_hash: str,
    tmp_path: Path,
    migrated_home: Path,
) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(answer(doc_hash)), encoding="utf-8")
    done = program.run("verify", path, "--json")
    verification_id = json.loads(done.stdout)["verification_id"]
    kept = program.run("audit", "fsck", "--signatures", "--json")
    assert kept.code == 0, kept.stderr
    report = json.loads(kept.stdout)
    assert {line["status"] for line in report["lines"]} == {"OK"}
    again = program.run("audit", "fsck", "--no-keep")
    assert again.code == 0, again.stderr
    assert b"LOGGED" not in again.stdout
    pack = tmp_path / "pack"
    done = program.run("audit", "export", verification_id, "--output", pack, "--json")
    assert done.code == 0, done.stderr
    assert json.loads(done.stdout)["verifications"] == [verification_id]
    refused = program.run("audit", "export", verification_id, "--output", pack)
    assert refused.code == 3
    assert "OUTPUT_FAILED" in refused.stderr
    unknown = program.run("audit", "export", "never", "--output", tmp_path / "never")
    assert unknown.code == 3
    assert not (tmp_path / "never").exists()
    checked = program.run("audit", "fsck", pack, "--trust", pack / "trust.json")
    assert checked.code == 0, checked.stderr
    receipt = pack / "receipts" / f"{verification_id}.sigstore.json"
    for arguments in ((), ("--pack", pack)):
        replayed = program.run("audit", "replay", receipt, *arguments)
        assert replayed.code == 0, replayed.stderr
        assert b"SUPPORT OK" in replayed.stdout
    alone = program.run("audit", "replay", verification_id, "--pack", pack)
    assert alone.code == 2
    elsewhere = copy_home(migrated_home, tmp_path / "elsewhere")
    other = replace(program, home=elsewhere).run("audit", "replay", receipt)
    assert other.code == 4, other.stderr
    payload = pack / "answers" / verification_id / "payload"
    payload.write_bytes(payload.read_bytes() + b" ")
    lied = program.run("audit", "replay", receipt, "--pack", pack)
    assert lied.code == 1
    assert "REPLAY_DIFFERS" in lied.stderr
