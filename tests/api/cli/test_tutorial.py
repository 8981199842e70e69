"""The tutorial is carried out: its files, its commands, and the results that it promises."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.pages import read_page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program

_FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
_COMMANDS = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_every_step_of_the_tutorial_does_what_it_says(program: Program, tmp_path: Path) -> None:
    page = read_page("first-verification.md")
    folder = tmp_path / "tutorial"
    folder.mkdir()
    for name, content in _FILE.findall(page):
        (folder / name).write_text(content, encoding="utf-8")
    here = replace(program, folder=folder)
    shown: list[str] = []
    for line in "".join(_COMMANDS.findall(page)).splitlines():
        command, _, expected = line.partition(" # exit ")
        name, *arguments = shlex.split(command)
        assert name == "spanproof"
        done = here.run(*arguments)
        assert done.code == int(expected or 0), (line, done.stderr)
        shown.append(done.stdout.decode())
    assert len(shown) == 5
    _, passed, failed, _, _ = shown
    assert "PASS" in passed
    assert {"EXACT", "ENTAILED"} <= set(passed.split())
    assert "FAIL" in failed
    assert "ALTERED" in failed.split()
    assert (folder / "receipt.sigstore.json").exists()
