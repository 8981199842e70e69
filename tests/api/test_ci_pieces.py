"""The action and the pre-commit hook: their own scripts, run with the real command."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from importlib import metadata
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
