"""``audit consistency``: exit 0, 1, 2 or 4, one line each, and no fork passes at any size."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from spanproof.api.cli.program import run
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import compute_root, hash_leaf, prove_consistency
from spanproof.core.log.tiles import TileReader, list_new_tiles
from tests.api.cli.program import SCRIPT
from tests.receipt.check.proofs import write_proof
from tests.receipt.samples import make_entry_key, make_log_key, make_trust

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.log.tiles import Tile
    from spanproof.receipt.keys.signing_keys import LocalLogKey

LOG = make_log_key()
LEAVES = [hash_leaf(b"entry %d" % number) for number in range(300)]


def sign(leaves: list[bytes], key: LocalLogKey = LOG) -> str:
    return key.sign(Checkpoint(origin=key.origin, size=len(leaves), root=compute_root(leaves)))


def write_tiles(folder: Path, leaves: list[bytes]) -> None:
    """The tiles of a tree below 65,536 leaves, as a static server has them."""
    rows = [
        leaves,
        [compute_root(leaves[at : at + 256]) for at in range(0, len(leaves) - 255, 256)],
    ]
    for tile in list_new_tiles(0, len(leaves)):
        path = folder / tile.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(rows[tile.level or 0][tile.index * 256 :][: tile.width]))


class Desk:
    """A folder with a trust file, two heads and tiles, and the command run on it."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.folder = folder
        self._capture = capture
        trust = json.dumps(make_trust([make_entry_key()], [LOG]))
        (folder / "trust.json").write_text(trust)
        self.write(LEAVES[:100], LEAVES)
        write_tiles(folder / "log", LEAVES)

    def write(self, old: list[bytes], new: list[bytes]) -> None:
        (self.folder / "old.txt").write_text(sign(old))
        (self.folder / "new.txt").write_text(sign(new))

    def run(self, *arguments: str) -> tuple[int, str, str]:
        paths = [str(self.folder / name) for name in ("old.txt", "new.txt", "trust.json")]
        command = ["audit", "consistency", paths[0], paths[1], "--trust", paths[2]]
        code = run([*command, *(each.replace("DIR", str(self.folder)) for each in arguments)])
        found = self._capture.readouterr()
        return code, found.out.decode(), found.err.decode()

    def fails(self, code: str, *arguments: str) -> int:
        """The exit code of a run that says one line of this code."""
        exit_code, out, err = self.run(*arguments)
        assert err.startswith(f"spanproof: {code}: Expected "), err
        assert err.count("\n") == 1
        assert "OK" not in out
        return exit_code


@pytest.fixture
def desk(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Desk:
    return Desk(tmp_path, capfdbinary)


def test_a_log_that_grew_is_ok_by_its_tiles_and_by_a_proof(desk: Desk) -> None:
    words = "log.example.com: 300 leaves begin with the 100 signed before"
    assert desk.run("--log", "DIR/log") == (0, f"OK {words}\n", "")
    code, out, _ = desk.run("--log", "DIR/log", "--json")
    assert code == 0
    body = json.loads(out)
    assert (body["outcome"], body["old"]["size"], body["new"]["size"]) == ("OK", 100, 300)
    (desk.folder / "proof").write_text("".join(f"{each}\n" for each in body["proof"]))
    assert desk.run("--proof", "DIR/proof") == (0, f"OK {words}\n", "")


@pytest.mark.parametrize("size", range(1, 65))
def test_a_fork_at_every_size_exits_1(desk: Desk, size: int) -> None:
    """THREATS 3: whatever tiles or proof come with it."""
    fork = [*LEAVES[: size - 1], *(hash_leaf(b"another %d" % at) for at in range(9))]
    write_tiles(desk.folder / "fork", fork)
    desk.write(LEAVES[:size], fork[:size])
    assert desk.fails("LOG_FORKED") == 1
    desk.write(LEAVES[:size], fork)
    assert desk.fails("LOG_FORKED", "--log", "DIR/fork") == 1
    if size > 1:
        assert desk.fails("ROOT_MISMATCH", "--log", "DIR/log") == 1

    def read(tile: Tile) -> bytes:
        return (desk.folder / "fork" / tile.path).read_bytes()

    proof = prove_consistency(TileReader(read, len(fork)), size, len(fork))
    (desk.folder / "proof").write_text(write_proof(proof))
    assert desk.fails("PROOF_FALSE", "--proof", "DIR/proof") == 1


def test_a_truncated_log_exits_1(desk: Desk) -> None:
    desk.write(LEAVES, LEAVES[:100])
    assert desk.fails("LOG_SHRUNK", "--log", "DIR/log") == 1


def test_a_foreign_signature_or_origin_exits_1(desk: Desk) -> None:
    (desk.folder / "new.txt").write_text(sign(LEAVES, make_log_key(2)))
    assert desk.fails("CHECKPOINT_SIGNATURE", "--log", "DIR/log") == 1
    (desk.folder / "new.txt").write_text(sign(LEAVES, make_log_key(1, "else.example.com")))
    assert desk.fails("CHECKPOINT_ORIGIN", "--log", "DIR/log") == 1


def test_what_could_not_be_checked_exits_4(desk: Desk) -> None:
    assert desk.fails("PROOF_MISSING") == 4
    (desk.folder / "log" / "tile" / "0" / "000").unlink()
    assert desk.fails("TILE_MISSING", "--log", "DIR/log") == 4
    assert desk.fails("LOG_UNREACHABLE", "--log", "http://127.0.0.1:1/") == 4
    code, out, err = desk.run("--proof", "DIR/none")
    assert (code, out) == (4, "")
    assert err.startswith("spanproof: IO_ERROR: Expected ")


def test_a_damaged_tile_exits_1(desk: Desk) -> None:
    path = desk.folder / "log" / "tile" / "0" / "000"
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    assert desk.fails("TILE_MALFORMED", "--log", "DIR/log") == 1
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    assert desk.fails("ROOT_MISMATCH", "--log", "DIR/log") == 1


def test_what_is_malformed_exits_2(desk: Desk) -> None:
    (desk.folder / "proof").write_text("nonsense\n")
    assert desk.fails("MALFORMED_NOTE", "--proof", "DIR/proof") == 2
    (desk.folder / "new.txt").write_text("nonsense\n")
    assert desk.fails("MALFORMED_NOTE", "--log", "DIR/log") == 2
    (desk.folder / "new.txt").unlink()
    assert desk.fails("FILE_UNREADABLE", "--log", "DIR/log") == 2
    desk.write(LEAVES[:5], LEAVES[:6])
    assert desk.fails("FILE_UNREADABLE", "--log", "DIR/nowhere") == 2
    (desk.folder / "trust.json").write_text("{}")
    assert desk.fails("MALFORMED_TRUST") == 2


def test_it_runs_without_a_network_and_without_a_store(desk: Desk) -> None:
    alone = ["unshare", "--net", "--user", "--map-root-user"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False).returncode:
        alone = ["unshare", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False).returncode:
        reason = "unshare: this machine permits no network namespace"
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    names = ("old.txt", "new.txt", "--trust", "trust.json", "--log", "log")
    done = subprocess.run(
        [*alone, SCRIPT, "audit", "consistency", *names],
        cwd=desk.folder,
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "SPANPROOF_HOME": str(desk.folder / "home")},
    )
    assert done.returncode == 0, done.stderr
    assert not (desk.folder / "home").exists()


def test_it_loads_no_model_no_service_and_no_store(desk: Desk) -> None:
    names = ["audit", "consistency", "old.txt", "new.txt", "--trust", "trust.json", "--log", "log"]
    script = (
        f"import sys; from spanproof.api.cli.program import run; code = run({names!r});"
        "print(*(name for name, module in sys.modules.items() if module))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=desk.folder, capture_output=True, check=True, text=True
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "spanproof.receipt.check.consistency" in loaded
    assert not loaded & {"torch", "transformers", "fastapi", "pymupdf", "sqlalchemy", "httpx"}


def test_a_proof_and_a_log_are_not_given_together(desk: Desk) -> None:
    (desk.folder / "proof").write_text("")
    assert desk.fails("MALFORMED_INPUT", "--proof", "DIR/proof", "--log", "DIR/log") == 2
