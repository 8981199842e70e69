"""``audit trust``, ``log rotate-key`` and ``log revoke-key`` as they are typed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from spanproof.receipt.keys.trust_file import parse_trust
from tests.api.cli.test_start_up import RUN

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program

ORIGIN = "log.example.com"


@pytest.fixture
def named(program: Program) -> Program:
    """The program on a fresh home, whose log has a name."""
    program.settings["SPANPROOF_LOG_ORIGIN"] = ORIGIN
    return program


def test_keys_are_made_rotated_and_revoked(named: Program, tmp_path: Path) -> None:
    path, folder = tmp_path / "T.json", tmp_path / "sigstore"
    made = named.run("audit", "trust", "--output", path, "--sigstore", folder)
    assert (made.code, made.stdout) == (0, b""), made.stderr
    trust = parse_trust(path.read_bytes())
    assert trust.origin == ORIGIN
    assert f"{path} version {trust.version} {trust.digest}" in made.stderr
    assert (folder / "trusted_root.json").is_file()

    rotated = named.run("log", "rotate-key", "--json")
    assert rotated.code == 0, rotated.stderr
    body = rotated.body
    assert body["old_key_id"] == trust.signing_keys[0].key.key_id
    assert body["log"] == {"origin": ORIGIN, "index": 0, "size": 1}
    assert "spanproof audit trust" in rotated.stderr

    log = named.run("log", "rotate-key", "--log")
    assert log.code == 0, log.stderr
    assert log.stdout.startswith(b"replaced ")

    done = named.run("log", "revoke-key", body["new_key_id"], "--below", "1", "--reason", "lost")
    assert done.code == 0, done.stderr
    assert done.stdout.startswith(f"revoked {body['new_key_id']}\nin use ".encode())

    printed = named.run("audit", "trust")
    after = parse_trust(printed.stdout.removesuffix(b"\n"))
    assert [each.key_id for each in after.revocations] == [body["new_key_id"]]
    assert len(after.signing_keys) == 3
    assert len(after.trusted_root.logs) == 2
    assert after.version > trust.version

    again = named.run("log", "revoke-key", body["new_key_id"], "--below", "1", "--reason", "lost")
    assert again.code == 3
    again.require_one_line("CONFLICT")


def test_what_is_wrong_with_a_trust_file_is_one_line(named: Program, tmp_path: Path) -> None:
    bad = named.run("audit", "trust", "--timestamp-authority", "https://tsa.example.com")
    assert bad.code == 3
    assert "URL=FILE" in bad.require_one_line("BAD_SETTING")
    missing = named.run("audit", "trust", "--output", tmp_path / "none" / "T.json")
    assert missing.code == 3
    missing.require_one_line("OUTPUT_FAILED")
    policy = named.run("audit", "trust", "--witnesses", tmp_path / "none")
    assert policy.code == 2
    policy.require_one_line("FILE_UNREADABLE")
    unknown = named.run("log", "revoke-key", "other", "--below", "0", "--reason", "lost")
    assert unknown.code == 3
    unknown.require_one_line("KEY_UNAVAILABLE")


def test_an_expiry_is_written(named: Program) -> None:
    printed = named.run("audit", "trust", "--days", "30")
    record = json.loads(printed.stdout)
    assert record["issued_at"] < record["expires_at"]


@pytest.mark.long
def test_the_keys_of_a_home_are_told_without_opening_its_store(named: Program) -> None:
    assert named.run("audit", "trust").code == 0
    heavy = "sqlalchemy,sqlmodel,alembic,torch,transformers,onnxruntime,fastapi,pymupdf"
    subprocess.run(
        [sys.executable, "-c", RUN, heavy, "audit", "trust"],
        check=True,
        stdout=subprocess.DEVNULL,
        env=named.environment,
    )


def test_keys_that_others_can_read_sign_nothing(named: Program) -> None:
    assert named.run("audit", "trust").code == 0
    for path in (named.home / "keys").glob("entry-*.pem"):
        path.chmod(0o644)
    refused = named.run("log", "rotate-key")
    assert refused.code == 3
    assert "the mode 600" in refused.require_one_line("KEY_UNAVAILABLE")
    # The public halves can still be told.
    assert named.run("audit", "trust").code == 0
