"""A command in a fork is the command that a user starts: streams, code, environment, folder."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.api.cli.forking import run_forked
from tests.api.cli.program import SCRIPT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program

CASES = {
    "an answer": (["verify", "-", "--json"], b'{"answer": 1}'),
    "usage": (["verify", "--no-such-option"], b""),
    "nothing that is kept": (["text", "unknown"], b""),
    "its version": (["--version"], b""),
}
#: What loads half of the program, in a process of its own.
HEAVY = {"an answer", "nothing that is kept"}


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=pytest.mark.long if case in HEAVY else ()) for case in CASES],
)
def test_it_says_what_the_installed_program_says(program: Program, case: str) -> None:
    arguments, stdin = CASES[case]
    folder = program.home.parent
    started = subprocess.run(
        [SCRIPT, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env=program.environment,
        cwd=folder,
    )
    forked = run_forked(
        [SCRIPT, *arguments], environment=program.environment, folder=folder, stdin=stdin
    )
    assert forked.returncode == started.returncode
    assert forked.stdout == started.stdout
    assert forked.stderr == started.stderr


def test_it_has_its_own_environment_folder_and_input(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    folder.joinpath("here.txt").write_text("A text of its own.")
    given = program.environment | {"SPANPROOF_HOME": "own-home"}
    done = run_forked(
        [SCRIPT, "ingest", "here.txt", "--json"], environment=given, folder=folder, stdin=b""
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["documents"][0]["status"] == "ok"
    assert folder.joinpath("own-home", "blobs").is_dir()
