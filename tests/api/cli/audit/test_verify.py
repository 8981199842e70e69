"""``audit verify`` as an auditor runs it: a bare folder, no store, no network, one line each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.cli.program import run
from spanproof.receipt.check.report import Question
from spanproof.verifier.policies import load_policy
from tests.api.cli.program import SCRIPT, Completed, Program
from tests.receipt.attacks.scene import Scene
from tests.receipt.samples import cosign, make_cosigner, to_bytes
from tests.receipt.statements import ANSWER, CANONICAL, MOMENT, SOURCE

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = (
    "torch,transformers,onnxruntime,tokenizers,fastapi,starlette,uvicorn,sqlalchemy,sqlmodel,"
    "pymupdf,pypdfium2,numpy,httpx"
)
RUN = """
import sys
from spanproof.api.cli import main
forbidden = set(sys.argv.pop(1).split(","))
try:
    main()
except SystemExit as error:
    assert not error.code, error.code
heavy = {name for name in forbidden if sys.modules.get(name)}
assert not heavy, heavy
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A folder with what an auditor was sent, and the program in it."""

    folder: Path
    program: Program
    capture: pytest.CaptureFixture[bytes]

    def run(self, *arguments: str) -> Completed:
        """Run one command in this process, in the folder."""
        code = run(arguments)
        out, err = self.capture.readouterr()
        return Completed(code=code, stdout=out, stderr=err.decode())

    @property
    def files(self) -> set[str]:
        """Everything in the folder, hidden or not."""
        return {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*")}


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Desk:
    """A good receipt, its trust file, the source, its text, and a head that a witness saw."""
    scene = Scene.build()
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "good.sigstore.json").write_bytes(to_bytes(scene.receipt))
    policy = load_policy("balanced")
    named = {
        "name": policy.name,
        "version": policy.version,
        "digest": str(policy.digest),
        "thresholds": {
            "entail": None,
            "neutral": "0.500000",
            "contradict": "0.500000",
            "margin": "0.001000",
        },
    }
    under = Scene.build().issue(policy=named)
    (folder / "balanced.sigstore.json").write_bytes(to_bytes(under))
    (folder / "demanding.json").write_bytes(scene.trust)
    # Its witness is known, and not demanded.
    (folder / "trust.json").write_bytes(scene.trust.replace(b"quorum all", b"quorum none"))
    fork = scene.fork(len(scene.issuer.log.entries) - 2)
    (folder / "forked.sigstore.json").write_bytes(to_bytes(fork.issue(nonce="f" * 32)))
    (folder / "answer.txt").write_text(f"{ANSWER}\n", "utf-8")
    (folder / "other.txt").write_text(ANSWER.replace("four", "five"), "utf-8")
    (folder / "source.txt").write_bytes(SOURCE)
    (folder / "canonical.txt").write_bytes(CANONICAL.encode())
    note = cosign(scene.receipt.included.note, make_cosigner(), MOMENT)
    (folder / "head.txt").write_bytes(note.encode())
    (folder / "cut.sigstore.json").write_bytes(to_bytes(scene.receipt)[:500])
    raw = to_bytes(scene.receipt).replace(b'"logIndex": "5"', b'"logIndex": "4"')
    (folder / "moved.sigstore.json").write_bytes(raw)
    monkeypatch.chdir(folder)
    program = Program(home=folder / ".spanproof", folder=folder)
    return Desk(folder=folder, program=program, capture=capfdbinary)


def lines_of(stdout: bytes) -> dict[str, str]:
    """Each question's line of a report on one receipt."""
    rows = [line.split(maxsplit=1) for line in stdout.decode().splitlines()]
    names = {*(question.value for question in Question), "LIMITATIONS"}
    return {row[0]: row[1] for row in rows if row[0] in names}


def test_a_good_receipt_has_a_line_for_each_question(desk: Desk) -> None:
    before = desk.files
    done = desk.program.run("audit", "verify", "good.sigstore.json", "--trust", "trust.json")
    assert done.code == 0, done.stderr
    assert done.stderr == ""
    lines = lines_of(done.stdout)
    assert list(lines) == [*(question.value for question in Question), "LIMITATIONS"]
    assert lines["SIGNATURE"].startswith("OK ")
    assert lines["LOG"].startswith("OK ")
    for question in ("TIME", "ANSWER", "DOCUMENT", "SPAN", "SUPPORT", "POLICY"):
        assert lines[question].startswith("NOT ASKED ")
    assert "does not prove" in lines["LIMITATIONS"]
    assert b"trust file version 1, sha256:" in done.stdout
    assert desk.files == before, "nothing is made, no home either"


def test_all_that_can_be_asked_is_answered(desk: Desk) -> None:
    done = desk.run(
        *("audit", "verify", "balanced.sigstore.json", "--trust", "trust.json"),
        *("--source", "source.txt", "--canonical", "canonical.txt", "--policy", "balanced"),
        *("--answer", "answer.txt"),
    )
    assert done.code == 0, done.stderr
    lines = lines_of(done.stdout)
    for question in ("ANSWER", "DOCUMENT", "SPAN", "POLICY"):
        assert lines[question].startswith("OK "), lines[question]


def test_two_receipts_of_a_forked_log_fail_together(desk: Desk) -> None:
    names = ("good.sigstore.json", "balanced.sigstore.json", "forked.sigstore.json")
    for name in names:
        assert desk.run("audit", "verify", name, "--trust", "trust.json").code == 0
    assert desk.run("audit", "verify", *names[:2], "--trust", "trust.json").code == 0
    done = desk.run("audit", "verify", *names, "--trust", "trust.json", "--json")
    assert done.code == 1
    rows = json.loads(done.stdout)["receipts"]
    # Each names the other; of the one between them nothing is shown.
    assert [row["outcome"] for row in rows] == ["FAILED", "OK", "FAILED"]
    assert [row["lines"][1]["code"] for row in rows] == ["LOG_FORKED", None, "LOG_FORKED"]
    assert done.stderr.count("LOG_FORKED") == 2


def test_a_witness_bounds_the_time(desk: Desk) -> None:
    done = desk.run(
        *("audit", "verify", "good.sigstore.json", "--trust", "trust.json"),
        *("--witness", "head.txt"),
    )
    assert done.code == 0, done.stderr
    assert "witness1.example.net" in lines_of(done.stdout)["TIME"]


@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        (["moved.sigstore.json", "--trust", "trust.json"], 1, "EVIDENCE_FAILED"),
        (["good.sigstore.json", "--trust", "trust.json", "--source", "head.txt"], 1, "SOURCE_NOT"),
        (["good.sigstore.json", "--trust", "trust.json", "--canonical", "head.txt"], 1, "SPAN_NOT"),
        (["good.sigstore.json", "--trust", "trust.json", "--answer", "other.txt"], 1, "ANSWER_NOT"),
        (["good.sigstore.json", "--trust", "demanding.json"], 4, "NOT_CHECKED"),
        (["cut.sigstore.json", "--trust", "trust.json"], 2, "MALFORMED_RECEIPT"),
        (["trust.json", "--trust", "trust.json"], 2, "MALFORMED_RECEIPT"),
        (["good.sigstore.json", "--trust", "trust.json", "--policy", "strict"], 3, "POLICY_UNMET"),
        (["nothing.json", "--trust", "trust.json"], 4, "IO_ERROR"),
    ],
)
def test_what_is_wrong_is_one_named_line(
    desk: Desk, arguments: list[str], code: int, name: str
) -> None:
    done = desk.run("audit", "verify", *arguments)
    assert done.code == code, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"spanproof: {name}")
    assert "Traceback" not in line
    assert f"\nOK {arguments[0]}" not in done.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        (["--trust", "good.sigstore.json"], 2, "MALFORMED_TRUST"),
        (["--trust", "source.txt"], 2, "MALFORMED_TRUST"),
        (["--trust", "trust.json", "--policy", "nonsense"], 2, "UNKNOWN_POLICY"),
        (["--trust", "trust.json", "--policy", "trust.json"], 2, "UNKNOWN_POLICY"),
        (["--trust", "trust.json", "--witness", "source.txt"], 2, "MALFORMED_NOTE"),
        (["--trust", "trust.json", "--pack", "."], 2, "MALFORMED_INPUT"),
        ([], 2, "USAGE"),
        (["--trust", "nothing.json"], 4, "IO_ERROR"),
        (["--trust", "trust.json", "--source", "nothing.pdf"], 4, "IO_ERROR"),
    ],
)
def test_what_was_given_wrong_ends_it_before_any_receipt(
    desk: Desk, arguments: list[str], code: int, name: str
) -> None:
    done = desk.run("audit", "verify", "good.sigstore.json", *arguments)
    assert done.code == code
    done.require_one_line(name)


def test_the_worst_of_many_receipts_decides_and_each_has_its_lines(desk: Desk) -> None:
    names = ["good.sigstore.json", "cut.sigstore.json", "moved.sigstore.json", "nothing.json"]
    done = desk.run("audit", "verify", *names, "--trust", "trust.json", "--json")
    assert done.code == 1
    assert [row["exit_code"] for row in done.body["receipts"]] == [0, 2, 1, 4]
    assert [row["path"] for row in done.body["receipts"]] == names
    assert (done.body["outcome"], done.body["exit_code"]) == ("FAILED", 1)
    assert done.body["trust"]["digest"].startswith("sha256:")
    assert len(done.stderr.splitlines()) == 3
    good, cut, moved, nothing = done.body["receipts"]
    assert [line["question"] for line in good["lines"]] == [each.value for each in Question]
    assert good["problem"] is None
    assert cut["lines"] is None
    assert cut["problem"]["code"] == "MALFORMED_RECEIPT"
    assert moved["lines"][1]["status"] == "FAILED"
    assert nothing["problem"]["code"] == "IO_ERROR"


def test_a_policy_can_be_a_file(desk: Desk) -> None:
    from importlib import resources

    raw = resources.files("spanproof.verifier.policies").joinpath("balanced.json").read_bytes()
    (desk.folder / "ours.json").write_bytes(raw)
    done = desk.run(
        *("audit", "verify", "balanced.sigstore.json", "--trust", "trust.json"),
        *("--policy", "ours.json"),
    )
    assert done.code == 0, done.stderr


@pytest.mark.parametrize("raw", [b"[" * 100_000, b"[1]", b"\xff"])
def test_a_file_that_is_no_policy_is_malformed(desk: Desk, raw: bytes) -> None:
    (desk.folder / "deep.json").write_bytes(raw)
    done = desk.run(
        *("audit", "verify", "balanced.sigstore.json", "--trust", "trust.json"),
        *("--policy", "deep.json"),
    )
    assert done.code == 2
    done.require_one_line("UNKNOWN_POLICY")


def test_a_replay_without_the_documents_is_no_pass(desk: Desk) -> None:
    done = desk.program.run(
        *("audit", "verify", "good.sigstore.json", "--trust", "trust.json", "--replay")
    )
    assert done.code == 4
    assert "SUPPORT NOT CHECKED: VERIFICATION_NOT_FOUND" in done.stderr
    assert lines_of(done.stdout)["SUPPORT"].startswith("NOT CHECKED ")


def test_a_replay_needs_what_it_computes_from(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANPROOF_HOME", str(desk.program.home))
    base = ("audit", "verify", "good.sigstore.json", "--trust", "trust.json", "--replay")
    done = desk.run(*base, "--pack", ".")
    assert done.code == 4
    assert "SUPPORT NOT CHECKED: NOT_REPLAYABLE" in done.stderr
    monkeypatch.setenv("SPANPROOF_ENGINE", "nonsense")
    done = desk.run(*base)
    assert done.code == 4
    done.require_one_line("BAD_SETTING")


def test_a_file_name_moves_no_cursor(desk: Desk) -> None:
    name = "\x1b[2K\x1b[32mOK.json"
    (desk.folder / name).write_bytes((desk.folder / "cut.sigstore.json").read_bytes())
    done = desk.run("audit", "verify", name, "--trust", "trust.json")
    assert done.code == 2
    assert b"\x1b" not in done.stdout
    assert "\x1b" not in done.stderr


def test_it_loads_neither_model_nor_web_nor_database(desk: Desk) -> None:
    subprocess.run(
        [
            *(sys.executable, "-c", RUN, HEAVY, "audit", "verify", "good.sigstore.json"),
            *("--trust", "trust.json", "--source", "source.txt", "--canonical", "canonical.txt"),
            *("--witness", "head.txt"),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        env=desk.program.environment,
        cwd=desk.folder,
    )


def test_it_needs_no_network_at_all(desk: Desk) -> None:
    alone = ["unshare", "--net", "--user", "--map-root-user"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False).returncode:
        alone = ["unshare", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False).returncode:
        reason = "unshare: this machine permits no network namespace"
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    # A namespace of its own has no interface that is up, not even for itself.
    probe = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    barred = subprocess.run([*alone, sys.executable, "-c", probe], check=False, capture_output=True)
    assert b"unreachable" in barred.stderr
    before = desk.files
    done = subprocess.run(
        [
            *(*alone, SCRIPT, "audit", "verify", "good.sigstore.json", "--trust", "trust.json"),
            *("--source", "source.txt", "--canonical", "canonical.txt", "--json"),
        ],
        check=False,
        capture_output=True,
        env=desk.program.environment,
        cwd=desk.folder,
    )
    assert done.returncode == 0, done.stderr
    body: dict[str, Any] = json.loads(done.stdout)
    assert body["outcome"] == "OK"
    assert desk.files == before
