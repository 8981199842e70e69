"""The commands of backup.md, changes.md and alerts.md, in an installation with a few answers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.api.cli.program import SCRIPT
from tests.test_docs_examples import read_example

if TYPE_CHECKING:
    from tests.operations.backup.conftest import Site


@pytest.fixture
def folder(site: Site) -> Path:
    """A folder with a home as the commands expect it, whose mark is its own."""
    home = site.folder / ".spanproof"
    site.settings.home.rename(home)
    assert site.settings.log_mark is not None
    (home / "log").mkdir(exist_ok=True)
    site.settings.log_mark.rename(home / "log" / "mark")
    return site.folder


def run(folder: Path, *names: str, page: str = "backup.md", before: str = "") -> str:
    """Run examples of a page one after the other; the first that fails ends it."""
    script = "\n".join([before, *(read_example(page, name) for name in names)])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SPANPROOF_")}
    environment["PATH"] = f"{Path(SCRIPT).parent}:{environment['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_a_backup_is_restored_and_its_log_closed(folder: Path) -> None:
    told = run(folder, "take", "restore", "recover")
    assert "2 REPLAYED" in told
    assert "signs nothing" in told
    assert "is closed at 5 leaves" in told
    assert "-2.spanproof.internal takes leaves" in told


@pytest.mark.long
def test_a_host_moves(folder: Path) -> None:
    told = run(folder, "move")
    assert "2 REPLAYED" in told
    assert "spanproof.internal takes leaves" in told


@pytest.mark.long
def test_a_policy_and_a_model_are_rehearsed_approved_and_taken_back(folder: Path) -> None:
    keys = (f"spanproof keys create --scope admin > {name}.key" for name in ("alice", "bob"))
    names = ("rehearse", "approve", "model", "roll-back")
    told = run(folder, *names, page="changes.md", before="\n".join(keys))
    assert told.count("2 of 2 kept answers") == 2
    assert "numbered: strict holds from now on" in told
    assert told.count("numbered: the setting holds from now on") == 2


@pytest.mark.long
def test_what_an_alert_asks_to_look_at_is_there(folder: Path) -> None:
    told = run(folder, "look", page="alerts.md")
    assert "numbered" in told
    assert "verified 0, refused 0" in told
