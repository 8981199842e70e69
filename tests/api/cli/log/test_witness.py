"""``log witness`` and ``log cosign`` as their operators run them: two processes and a real port."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import httpx
import pytest

from spanproof.operations.assembly import open_context
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.keys.verifier_key import format_log_key
from spanproof.receipt.witness.cosignature import find_cosignatures, parse_cosigner_key
from spanproof.receipt.witness.cosigning import CosignRequest, write_request
from spanproof.store import open_store
from tests.api.cli.program import SCRIPT, Program
from tests.operations.sampling.conftest import ALL, fill, make_settings, open_sampling
from tests.receipt.samples import Issuer, MemoryLog, make_log_key, to_trust_bytes
from tests.store.log.samples import open_log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = make_log_key().verifier
VKEY = format_log_key(KEY)


@contextmanager
def run_witness(program: Program, *arguments: str | Path) -> Iterator[tuple[str, str]]:
    """A witness on a free port: its verifier key and its address."""
    with start_witness(program, *arguments) as (process, vkey, address):
        try:
            yield vkey, address
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)
    assert process.returncode in {0, -signal.SIGINT, 130}


@contextmanager
def start_witness(
    program: Program, *arguments: str | Path
) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The same, for who ends it: the process, its verifier key, its address."""
    command = [SCRIPT, "log", "witness", "--port", "0", *map(str, arguments)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=program.environment,
        cwd=program.home.parent,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            vkey = process.stdout.readline().strip()
            announced = process.stderr.readline()
            assert "listens on http://127.0.0.1:" in announced, announced + process.stderr.read()
            address = announced.split(" on ")[1].split("/ ")[0]
            # It listens before it serves. What ends it here is told to a server that serves: where
            # the run itself stands in the background, a shell has interrupts ignored until then.
            httpx.get(address, timeout=30)
            yield process, vkey, address
        finally:
            if process.poll() is None:
                process.kill()


@pytest.fixture
def stocked(program: Program) -> Program:
    """The program on a home whose log has five leaves."""
    with open_store(program.home) as store:
        open_log(store).include_all([b"entry %d" % number for number in range(5)])
    return program


@pytest.mark.long
def test_a_witness_cosigns_the_log_of_a_store(stocked: Program, tmp_path: Path) -> None:
    policy, output = tmp_path / "policy", tmp_path / "head.txt"
    with run_witness(stocked, "--name", "w.example", "--log", VKEY) as (vkey, address):
        policy.write_text(f"witness w {vkey} {address}\nquorum w\n")
        done = stocked.run("log", "cosign", "--policy", policy, "--output", output)
        assert done.code == 0, done.stderr
        assert done.stderr == ""
        assert done.stdout.decode().splitlines() == [
            "log.example.com: 5 leaves",
            "w COSIGNED: 5 leaves",
            "WITNESSED",
        ]
        note = parse_note(output.read_bytes())
        assert check_note(note, [KEY]) == (KEY,)
        assert len(find_cosignatures(note, [parse_cosigner_key(vkey)])) == 1
        name = hashlib.sha256(b"log.example.com").hexdigest()
        shown = httpx.get(f"{address}/{name}/checkpoint")
        assert shown.status_code == 200
        assert parse_note(shown.content).text == note.text
        # A fork of the same log is not cosigned, whoever sends it.
        fork = MemoryLog(entries=[b"another %d" % number for number in range(9)])
        for old, status in ((0, 409), (5, 422)):
            request = write_request(CosignRequest(old_size=old, hashes=(), note=fork.note(5)))
            assert httpx.post(f"{address}/add-checkpoint", content=request).status_code == status
    # The settings name the policy too; the witness is gone by now, and what it signed is kept.
    settled = stocked.with_settings(log_witnesses=str(policy))
    done = settled.run("log", "cosign", "--json")
    assert done.code == 0
    assert done.body["witnessed"] is True
    assert [each["status"] for each in done.body["witnesses"]] == ["UNAVAILABLE"]
    assert done.stderr.startswith("spanproof: WITNESS_UNAVAILABLE: Expected 'w' to cosign")
    # A new start has the same key and remembers.
    with run_witness(stocked, "--log", VKEY) as (again, address):
        assert again == vkey
        assert httpx.get(f"{address}/{name}/checkpoint").content == shown.content


@pytest.mark.long
def test_what_log_cosign_brings_draws_the_answers(program: Program, tmp_path: Path) -> None:
    with open_context(make_settings(program.home)) as context:
        origin = context.log.origin
        (key,) = [format_log_key(each.key) for each in context.issuer.keys.keys.log_keys(origin)]
    policy, listed = tmp_path / "policy", tmp_path / "cosigned"
    with run_witness(program, "--name", "w.example", "--log", key) as (vkey, address):
        policy.write_text(f"witness w {vkey} {address}\nquorum w\n")
        settings = make_settings(
            program.home, ALL | {"draw": {"source": "witness", "witness": vkey}}
        )
        drawn = program.with_settings(sampling_plan=str(settings.sampling_plan))
        with open_sampling(settings) as context:
            fill(context, 3)
        done = drawn.run("sample", "verify", "--json")
        assert done.body["verified"] == 0
        done = drawn.run("log", "cosign", "--policy", policy)
        assert done.code == 0, done.stderr
        name = hashlib.sha256(origin.encode()).hexdigest()
        listed.write_bytes(httpx.get(f"{address}/{name}/cosigned").content)
    with open_sampling(settings) as context:
        chosen = [each.number for each in context.store.samples.answers.page_waiting()]
        assert len(chosen) == 3
        verify_waiting(context)
    assert drawn.run("sample", "close", "--json").body == {"closed": "epoch-1"}
    done = drawn.run("audit", "sample", "epoch-1", "--cosigned", listed, "--json")
    assert done.code == 0, done.stderr
    assert (done.body["chosen"], done.body["verified"], done.body["differences"]) == (3, 3, 0)
    assert "no earlier signature was held back" in done.body["claim"]


@pytest.mark.long
def test_a_witness_that_was_killed_forgets_nothing_that_it_answered(
    program: Program,
) -> None:
    log = MemoryLog(entries=[b"entry %d" % number for number in range(400)])
    known, fork = 0, MemoryLog(entries=[b"another %d" % number for number in range(400)])
    for wait in (0.0, 0.003, 0.01):
        target = known + 7
        with start_witness(program, "--name", "w.example", "--log", VKEY) as running:
            process, _, address = running
            killer = threading.Timer(wait, process.kill)
            with httpx.Client() as client, suppress(httpx.HTTPError):
                while process.poll() is None:
                    body = grow(log, known, known + 1)
                    answer = client.post(f"{address}/add-checkpoint", content=body)
                    # 409: the answer to what it kept last was lost when it was killed.
                    assert answer.status_code == 200 or int(answer.text) == known + 1
                    known += 1
                    if known == target:
                        killer.start()
            killer.join()
        assert known >= target
    with run_witness(program, "--log", VKEY) as (_, address):
        answer = httpx.post(f"{address}/add-checkpoint", content=grow(fork, 0, 400))
        assert answer.status_code == 409
        assert known <= int(answer.text) <= known + 1


def grow(log: MemoryLog, old: int, new: int) -> bytes:
    """A request for the head of ``new`` leaves after that of ``old``."""
    if old:
        return log.prove_growth(old, new).encode()
    return write_request(CosignRequest(old_size=0, hashes=(), note=log.note(new)))


@pytest.mark.long
def test_too_few_witnesses_exit_1(stocked: Program, tmp_path: Path) -> None:
    with run_witness(stocked, "--name", "w.example", "--log", VKEY) as (vkey, _):
        pass
    policy = tmp_path / "policy"
    policy.write_text(f"witness w {vkey}\nquorum w\n")
    done = stocked.run("log", "cosign", "--policy", policy)
    assert done.code == 1
    assert done.stdout.decode().splitlines()[-1] == "NOT WITNESSED: the policy wants more"


@pytest.mark.long
def test_a_trust_file_names_the_logs_to_watch(fresh_program: Program, tmp_path: Path) -> None:
    issuer, trust = Issuer(), tmp_path / "trust.json"
    issuer.issue()
    trust.write_bytes(to_trust_bytes(issuer))
    with run_witness(
        fresh_program, "--name", "w.example", "--trust", trust, "--folder", tmp_path / "here"
    ) as (_, address):
        note = issuer.log.note()
        request = write_request(CosignRequest(old_size=0, hashes=(), note=note))
        assert httpx.post(f"{address}/add-checkpoint", content=request).status_code == 200
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == [
        "cosigned",
        "heads",
        "lock",
        "witness.pem",
        "witness.vkey",
    ]
    assert not fresh_program.home.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["--name", "w"], "BAD_SETTING", 3),
        (["--log", VKEY], "BAD_SETTING", 3),
        (["--name", "a b", "--log", VKEY], "BAD_SETTING", 3),
        (["--name", "w", "--log", "nonsense"], "MALFORMED_TRUST", 2),
        (["--name", "w", "--policy", "none"], "FILE_UNREADABLE", 2),
        (["--name", "w", "--log", VKEY, "--port", "70000"], "USAGE", 2),
        (["--name", "w", "--log", VKEY, "--host", "192.0.2.1"], "BAD_SETTING", 3),
    ],
)
def test_a_witness_that_cannot_start_says_why(
    program: Program, arguments: list[str], code: str, exit_code: int
) -> None:
    done = program.run("log", "witness", *arguments)
    done.require_one_line(code)
    assert done.code == exit_code


def test_cosign_without_a_policy_or_a_log_says_what_is_missing(
    program: Program, tmp_path: Path
) -> None:
    done = program.run("log", "cosign")
    assert "got none" in done.require_one_line("BAD_SETTING")
    assert done.code == 3
    policy = tmp_path / "policy"
    policy.write_text("quorum none\n")
    done = program.run("log", "cosign", "--policy", policy)
    assert "Expected a log in this store" in done.require_one_line("BAD_SETTING")
    policy.write_text("quorum many\n")
    done = program.run("log", "cosign", "--policy", policy)
    done.require_one_line("MALFORMED_TRUST")
    assert done.code == 2


def test_a_log_may_need_no_witness(stocked: Program, tmp_path: Path) -> None:
    policy = tmp_path / "policy"
    policy.write_text("quorum none\n")
    done = stocked.run("log", "cosign", "--policy", policy, "--json")
    assert done.code == 0
    assert done.body["size"] == 5
    assert json.dumps(done.body["witnesses"]) == "[]"
    done = stocked.run("log", "cosign", "--policy", policy, "--origin", "else.example.com")
    done.require_one_line("NOT_FOUND")
