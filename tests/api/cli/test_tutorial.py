"""The tutorials are carried out, block by block: files, commands, and the output that they show."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tests.api.cli.program import Program
from tests.conftest import copy_home
from tests.pages import DOCS, matches_output
from tests.serving import serve_program

if TYPE_CHECKING:
    from pathlib import Path

#: The others start a service, and load the model several times.
QUICK = "first-verification"
PAGES = [
    pytest.param(page, marks=[] if page.stem == QUICK else [pytest.mark.long])
    for page in sorted((DOCS / "tutorial").glob("*.md"))
]
#: Where the pages say that a service listens; a test takes any port that is free.
ADDRESS = "http://127.0.0.1:8321"
_BLOCK = re.compile(
    r"^(?:<!-- file: (?P<name>\S+) -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_SETTING = re.compile(r"SPANPROOF_(\w+)=(\S+)")


@dataclass(slots=True, kw_only=True)
class Reader:
    """Somebody who follows a tutorial in a folder."""

    program: Program
    folder: Path
    services: ExitStack
    address: str = ADDRESS
    #: What the commands of the last block printed.
    printed: list[str] = field(default_factory=list)

    def follow(self, page: str) -> None:
        """Do what each block says; a block that is neither done nor compared is an error."""
        for block in _BLOCK.finditer(page):
            name, kind, body = block.group("name", "kind", "body")
            if name:
                text = body.replace(ADDRESS, self.address)
                (self.folder / name).write_text(text, encoding="utf-8")
            elif kind == "sh":
                self.printed = [line for each in body.splitlines() for line in self.do(each)]
            else:
                assert kind == "text", f"a block that nobody carries out: {body}"
                self.compare(body)

    def do(self, line: str) -> list[str]:
        """Run a line; the lines that it prints."""
        command, _, expected = line.partition(" # exit ")
        settings = {name.lower(): value for name, value in _SETTING.findall(command)}
        name, *arguments = shlex.split(_SETTING.sub("", command))
        if arguments == ["serve", "&"]:
            serving = serve_program(self.folder, **settings)
            self.address = self.services.enter_context(serving)
            return []
        if name == "python":
            done = subprocess.run(
                [sys.executable, *arguments],
                cwd=self.folder,
                env=self.program.environment,
                capture_output=True,
                check=True,
            )
            return done.stdout.decode().splitlines()
        assert name == "spanproof"
        ended = self.program.run(*arguments)
        assert ended.code == int(expected or 0), (line, ended.stderr)
        return ended.stdout.decode().splitlines()

    def compare(self, shown: str) -> None:
        """What is shown is the whole output, but for blanks."""
        assert matches_output(squeeze(shown.splitlines()), squeeze(self.printed)), self.printed


def squeeze(lines: list[str]) -> str:
    """The lines with one blank for several."""
    return "\n".join(" ".join(line.split()) for line in lines)


@pytest.mark.long
@pytest.mark.model
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_of_a_tutorial_does_what_it_says(
    page: Path, migrated_home: Path, tmp_path: Path
) -> None:
    program = Program(home=copy_home(migrated_home, tmp_path / "home"), folder=tmp_path)
    with ExitStack() as services:
        reader = Reader(program=program, folder=tmp_path, services=services)
        reader.follow(page.read_text(encoding="utf-8"))
    assert reader.printed
