"""``citations``: what the command line sets holds for prompts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.api.cli.program import Program


@pytest.mark.long
def test_a_mode_that_is_set_empties_the_prompt(program: Program) -> None:
    done = program.run("citations", "set", "chunk", "off", "--json")
    assert done.code == 0, done.stderr
    assert (done.body["grammar"], done.body["mode"]) == ("chunk", "off")
    assert done.body["since"]
    listed = program.run("citations", "list", "--json").body["citations"]
    assert {row["grammar"]: row["mode"] for row in listed}["chunk"] == "off"
    assert program.run("citations", "list").stdout.count(b"enforce\n") == len(listed) - 1
    prompt = program.run("prompt", "--grammar", "chunk", "--json").body
    assert (prompt["mode"], prompt["instructions"]) == ("off", "")
    assert program.run("prompt", "--grammar", "chunk").stdout == b""
    assert program.run("prompt", "--grammar", "ref").stdout


def test_another_word_is_malformed(program: Program) -> None:
    program.run("citations", "set", "chunk", "on").require_one_line("MALFORMED_ANSWER")
    done = program.run("citations", "set", "latex", "off")
    assert done.code == 2
    done.require_one_line("UNKNOWN_GRAMMAR")


def test_a_prompt_makes_no_home(fresh_program: Program) -> None:
    assert fresh_program.run("prompt").code == 0
    assert not fresh_program.home.exists()


def test_words_are_kept_until_a_tenant_sets_hash_only(program: Program) -> None:
    assert program.run("words", "show").stdout == b"kept\n"
    done = program.run("words", "set", "hash-only", "--json")
    assert (done.code, done.body["mode"]) == (0, "hash-only")
    assert program.run("words", "show").stdout.startswith(b"hash-only since 20")
    program.run("words", "set", "none").require_one_line("MALFORMED_ANSWER")
