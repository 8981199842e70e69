from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from api.wire.grammars import CLEAN_EXAMPLE, CLEANED_EXAMPLE, PROMPT_EXAMPLE, PROMPTED_EXAMPLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    """The example's text as a file."""
    path = tmp_path / "answer.txt"
    path.write_text(CLEAN_EXAMPLE["text"], encoding="utf-8")
    return path


def test_clean_prints_the_text_as_it_is_seen(program: Program, answer: Path) -> None:
    done = program.run("clean", answer)
    assert (done.code, done.stdout) == (0, CLEANED_EXAMPLE["clean_text"].encode())
    done = program.run("clean", answer, "--grammar", "chunk", "--json")
    assert done.body == CLEANED_EXAMPLE


def test_an_unknown_grammar_and_other_bytes_are_malformed(
    program: Program, answer: Path, tmp_path: Path
) -> None:
    done = program.run("clean", answer, "--grammar", "latex")
    assert done.code == 2
    assert "UNKNOWN_GRAMMAR" in done.stderr
    other = tmp_path / "latin.txt"
    other.write_bytes(b"caf\xe9")
    assert program.run("clean", other).code == 2
    assert program.run("clean", tmp_path / "none.txt").code == 2


def test_prompt_prints_instructions_and_the_list(program: Program, tmp_path: Path) -> None:
    sources = tmp_path / "retrieved.json"
    sources.write_text(json.dumps({"retrieved": PROMPT_EXAMPLE["retrieved"]}), encoding="utf-8")
    done = program.run("prompt", "--grammar", "chunk", "--sources", sources, "--json")
    assert done.body == PROMPTED_EXAMPLE
    done = program.run("prompt", "--grammar", "chunk", "--sources", sources)
    expected = PROMPTED_EXAMPLE["instructions"] + "\n" + PROMPTED_EXAMPLE["reference_list"]
    assert done.stdout == expected.encode()
