from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.api.http.wire.grammars import (
    CLEAN_EXAMPLE,
    CLEANED_EXAMPLE,
    FIELD_PROMPT_EXAMPLE,
    PROMPT_EXAMPLE,
    PROMPTED_EXAMPLE,
)
from tests.api.cli.conftest import SENTENCE, TEXT

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


def test_prompt_lists_the_fields_of_a_context(program: Program, tmp_path: Path) -> None:
    turn = tmp_path / "turn.json"
    turn.write_text(json.dumps(FIELD_PROMPT_EXAMPLE), encoding="utf-8")
    done = program.run("prompt", "--sources", turn)
    assert done.code == 0, done.stderr
    assert done.stdout.endswith(b"\n\nFields:\n\n[[t:status]] ticket.status: in_progress\n")
    chunks = tmp_path / "retrieved.json"
    chunks.write_text(json.dumps({"retrieved": PROMPT_EXAMPLE["retrieved"]}), encoding="utf-8")
    done = program.run("prompt", "--grammar", "field", "--sources", chunks)
    assert done.code == 2
    done.require_one_line("MALFORMED_ANSWER")


SOURCE = {"id": "c1", "title": "Rules", "url": "https://example.com/rules?a=1&b=2"}
BLOCK = f"\nSOURCES_START\n{json.dumps([SOURCE])}\nSOURCES_END"


@pytest.mark.parametrize(
    ("name", "token", "block"),
    [
        ("chunk", "[citation:rules:c1]", ""),
        pytest.param("ref", "[[REF:c1]]", BLOCK, marks=pytest.mark.long),
    ],
)
def test_a_marked_answer_is_verified_against_the_kept_document(
    program: Program, doc_hash: str, tmp_path: Path, name: str, token: str, block: str
) -> None:
    start = TEXT.index(SENTENCE)
    row = {
        "chunk_id": "c1",
        "doc_id": "rules",
        "doc_hash": doc_hash,
        "text": SENTENCE,
        "char_start": start,
        "char_end": start + len(SENTENCE),
        "title": SOURCE["title"],
        "url": SOURCE["url"],
    }
    claim = f"{SENTENCE[:-1]} {token}."
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({"response": claim + block, "retrieved": [row]}), encoding="utf-8")
    done = program.run("verify", path, "--format", name, "--json")
    assert done.code == 0, done.stderr
    found = done.body["verification"]
    (verdict,) = found["verdicts"]
    assert verdict["identity"]["status"] == "MATCH"
    assert verdict["identity"]["doc_hash"] == doc_hash
    assert verdict["existence"]["status"] == "EXACT"
    assert (verdict["existence"]["char_start"], verdict["existence"]["char_end"]) == (
        start,
        start + len(SENTENCE),
    )
    assert verdict["claim"]["text"] == claim
    assert (verdict["origin"], verdict["outcome"], found["result"]) == (name, "pass", "pass")
    assert found["uncited_sentences"] == []
    assert found["import"]["format"] == name

    # The same answer with an id that was not retrieved fails, and says why.
    wrong = claim.replace("c1", "c9")
    path.write_text(json.dumps({"response": wrong, "retrieved": [row]}), encoding="utf-8")
    done = program.run("verify", path, "--format", name, "--json")
    assert done.code == 1
    found = done.body["verification"]
    code = {"chunk": "CHUNK_NOT_RETRIEVED", "ref": "SOURCE_FABRICATED"}[name]
    assert code in [remark["code"] for remark in found["import"]["remarks"]]
    assert (found["result"], len(found["orphan_anchors"])) == ("fail", 1)
