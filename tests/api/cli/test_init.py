"""``init`` and the shell's completion, as a user meets them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.api.cli.program import Program


def test_a_file_of_settings_is_written_once(program: Program) -> None:
    done = program.run("init", "--output", "mine.toml")
    assert done.code == 0, done.stderr
    again = program.run("init", "--output", "mine.toml")
    assert again.code == 3
    assert "OUTPUT_FAILED" in again.stderr
    shown = program.run("init", "--output", "-")
    assert b"# port = 8321\n" in shown.stdout


def test_the_shell_completes_commands(program: Program) -> None:
    asked = {
        "_SPANPROOF_COMPLETE": "complete_bash",
        "COMP_WORDS": "spanproof ver",
        "COMP_CWORD": "1",
    }
    done = replace(program, settings=asked).run()
    assert done.stdout.split() == [b"verify"]
