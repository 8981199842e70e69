"""The action and the pre-commit hook: their own scripts, run with the real command."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.api.cli.program import SCRIPT
from tests.environments import ROOT, build_wheel

pytestmark = [pytest.mark.long, pytest.mark.model]
ROWS = [
    {"response": "The lease ends in May [1].", "contexts": ["The lease ends in May."]},
    {"response": "The rent is 900 euros [1].", "contexts": ["The rent is 850 euros."]},
]  # fmt: skip


def read_action() -> dict[str, Any]:
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return action


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A script of bash in a folder, with ``spanproof`` on its path."""
    paths = f"{os.path.dirname(SCRIPT)}:{os.environ['PATH']}"  # noqa: PTH120 - a string of the path
    home = {"SPANPROOF_HOME": str(folder / "home"), "PATH": paths}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=folder, env=os.environ | home | variables, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize(("gate", "code"), [("pass=0.5 claims_entailed=0.5", 0), ("pass=0.9", 1)])
def test_the_action_reports_and_gates(tmp_path: Path, gate: str, code: int) -> None:
    action = read_action()
    assert action["runs"]["using"] == "composite"
    install, evaluate = action["runs"]["steps"]
    used = re.findall(r"inputs\.([\w-]+)", json.dumps(action["runs"]))
    assert sorted(used) == sorted(action["inputs"])
    # No words of an input stand in a script: they would be run.
    assert "${{" not in install["run"] + evaluate["run"]
    given = {name: str(each.get("default", "")) for name, each in action["inputs"].items()}
    given |= {"cases": "cases.jsonl", "fail-under": gate}
    variables = {
        name: given[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)[1]]  # type: ignore[index]
        for name, value in evaluate["env"].items()
    }
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    summary = tmp_path / "summary.md"
    done = run(
        evaluate["run"], tmp_path, RUNNER_TEMP=str(tmp_path), GITHUB_STEP_SUMMARY=str(summary),
        **variables,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert "row-2 | fail" in summary.read_text()
    assert (tmp_path / "spanproof-report.html").read_text().startswith("<!doctype html>")
    assert ("Not kept: passed is 0.5000" in done.stderr) == bool(code)


def test_the_action_installs_the_command(tmp_path: Path) -> None:
    (install, _) = read_action()["runs"]["steps"]
    added = tmp_path / "path"
    # Without a network: the wheel is ours, what it needs is in the environment of the tests.
    done = run(
        install["run"], tmp_path, PACKAGE=str(build_wheel(tmp_path)), RUNNER_TEMP=str(tmp_path),
        GITHUB_PATH=str(added), PIP_NO_INDEX="1", PIP_NO_DEPS="1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = Path(added.read_text(encoding="utf-8").strip())
    assert folder == tmp_path / "spanproof" / "bin"
    needed = str(metadata.distribution("typer").locate_file(""))
    command = folder / "spanproof"
    done = run(f"{command} --version", tmp_path, PYTHONPATH=needed)
    assert done.returncode == 0, done.stderr
    assert metadata.version("spanproof") in done.stdout


def test_the_hook_runs_its_command(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {"id", "name", "entry", "language"} <= set(hook)
    (tmp_path / "cases.jsonl").write_text(json.dumps(ROWS[1]) + "\n")
    arguments = shlex.join(["cases.jsonl", "--fail-under", "pass=0.9"])
    done = run(f"{hook['entry']} {arguments}", tmp_path)
    assert done.returncode == 1, done.stderr


def test_pre_commit_installs_and_runs_the_hook(tmp_path: Path) -> None:
    if find_spec("pre_commit") is None:
        reason = "not here: pre-commit"
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (packed,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    hooks = tmp_path / packed.name.removesuffix(".tar.gz")
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    own = tmp_path / "own"
    own.mkdir()
    (own / "cases.jsonl").write_text(json.dumps(ROWS[1]) + "\n")
    revision = keep_in_git(hooks)
    hook = {"id": "spanproof-eval", "args": ["cases.jsonl", "--fail-under", "pass=0.9"]}
    config = {"repos": [{"repo": str(hooks), "rev": revision, "hooks": [hook]}]}
    (own / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    keep_in_git(own)
    command = f"{shlex.quote(sys.executable)} -m pre_commit run --all-files --color never"
    done = run(command, own, PRE_COMMIT_HOME=str(tmp_path / "kept"), PYTHONPATH="")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "answers keep to their texts" in done.stdout
    assert "Not kept: passed is 0.0000" in done.stdout
    assert "- exit code: 1" in done.stdout


def keep_in_git(folder: Path) -> str:
    """Make a repository of all files of a folder; the commit's name."""
    author = "-c user.name=tests -c user.email=tests@example.invalid -c commit.gpgsign=false"
    script = f"git init -q; git add -A -f; git {author} commit -q -m files; git rev-parse HEAD"
    done = run(script, folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
