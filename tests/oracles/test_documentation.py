"""The commands of docs/how-to/other-tools.md do what it says, and its table is the tests' own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spanproof.operations.receipts.trust import write_for_sigstore
from spanproof.receipt.keys.trust_file import parse_trust
from tests.oracles.conftest import require_verifier
from tests.oracles.log_folder import LogFolder
from tests.oracles.table import read_page, to_table
from tests.oracles.tamperings import ALL
from tests.oracles.verifiers import BUILT
from tests.receipt.samples import to_bytes, to_trust_bytes
from tests.test_docs_examples import read_example

if TYPE_CHECKING:
    from tests.oracles.tamperings.scene import Scene

ROOT = Path(__file__).parents[2]
PAGE = "other-tools.md"
#: Examples, which verifiers they take, and a tampering that each must refuse.
EXAMPLES = (
    ("sigstore", "sigstore", "leaf_bit_flipped"),
    ("sumdb", "sumdb", "proof_bit_flipped"),
    ("openssl", "openssl", "payload_bit_flipped"),
    ("openssl", "openssl", "checkpoint_size_changed"),
    ("leaf", "openssl", "leaf_of_another_receipt"),
    ("python", "securesystemslib", "payload_verdict_turned"),
)


@pytest.fixture
def desk(scene: Scene, tmp_path: Path) -> Path:
    """What an auditor has at hand: the trust folder, the receipt, the tools."""
    write_for_sigstore(parse_trust(to_trust_bytes(scene.issuer)), tmp_path / "trust")
    (tmp_path / "receipt.sigstore.json").write_bytes(to_bytes(scene.receipt))
    (tmp_path / "node_modules").symlink_to(BUILT / "node_modules")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "verifier", "tampering"), EXAMPLES, ids=[f"{a}-{c}" for a, _, c in EXAMPLES]
)
def test_the_commands_accept_the_receipt_and_refuse_a_tampering(
    scene: Scene, desk: Path, name: str, verifier: str, tampering: str
) -> None:
    require_verifier(verifier)
    if name == "leaf":
        assert run_example("openssl", desk).returncode == 0
    accepted = run_example(name, desk)
    assert accepted.returncode == 0, accepted.stderr

    (done,) = (each for each in ALL if each.name == tampering)
    (desk / "receipt.sigstore.json").write_bytes(done.apply(scene).raw)
    if name == "leaf":
        run_example("openssl", desk)
    assert run_example(name, desk).returncode != 0


def test_the_commands_read_a_log_as_files(scene: Scene, desk: Path) -> None:
    require_verifier("sumdb")
    assert run_example("sumdb", desk).returncode == 0
    log = scene.issuer.log
    LogFolder(desk / "log", log.entries, log.key).write()
    (desk / "old.checkpoint").write_text(log.note(5), encoding="utf-8")
    read = run_example("log", desk)
    assert read.returncode == 0, read.stdout
    (desk / "old.checkpoint").write_text(scene.stranger.log.note(0), encoding="utf-8")
    assert run_example("log", desk).returncode != 0


def test_npm_is_called_as_we_call_it() -> None:
    flags = re.search(r"npm ci (.*)", read_example(PAGE, "other-tools-npm"))
    assert flags
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"npm ci --loglevel=error {flags.group(1)}\n" in makefile
    assert "tests/oracles/package.json tests/oracles/package-lock.json\n" in makefile


def test_the_table_is_what_the_tests_demand() -> None:
    assert read_page() == to_table(), "python -m tests.oracles.table writes it anew"


def run_example(name: str, desk: Path) -> subprocess.CompletedProcess[str]:
    """Run one of the page's blocks as an auditor would."""
    code = read_example(PAGE, f"other-tools-{name}")
    language = ["python", "-c"] if name == "python" else ["bash", "-euo", "pipefail", "-c"]
    # The Python that runs the tests is the one that has securesystemslib.
    binaries = Path(sys.executable).parent
    environment = {
        **os.environ,
        "SOURCE": str(ROOT),
        "GOCACHE": str(BUILT / "go-cache"),
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        [*language, code],
        cwd=desk,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
