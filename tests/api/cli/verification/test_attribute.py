"""``spanproof attribute`` and ``verify --repair`` as a user types them, with the real model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.api.cli.conftest import SENTENCE, TEXT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program

#: A character outside the first plane stands before the sentence that is attributed.
PROSE = f"Elephants 🙂 sing opera on Mars. {SENTENCE}"


def write(path: Path, **fields: Any) -> Path:
    path.write_text(json.dumps({"answer": PROSE} | fields), encoding="utf-8")
    return path


@pytest.mark.long
@pytest.mark.model
def test_an_answer_is_attributed_to_what_a_tool_gave(program: Program, tmp_path: Path) -> None:
    results = [{"tool_request_id": "c1", "tool_name": "web_scrape", "output": TEXT}]
    path = write(tmp_path / "answer.json", tool_results=results)
    done = program.run("attribute", path, "--json")
    assert done.code == 0, done.stderr
    (reference,) = done.body["references"]
    assert PROSE[reference["start"] : reference["end"]].endswith(SENTENCE)
    place = ("--start", str(reference["char_start"]), "--end", str(reference["char_end"]))
    text = program.run("text", reference["source"], *place)
    assert text.stdout.decode() == reference["quote"]
    assert reference["quote"].endswith(SENTENCE)
    (left,) = done.body["unattributed"]
    assert PROSE[left["start"] : left["end"]] == "Elephants 🙂 sing opera on Mars."
    compact = program.run("attribute", path, "--compact", "--unit", "utf16")
    (row,) = compact.body["references"]
    assert row["endIndex"] == reference["end"] + 1
    assert row["sourceIds"] == ["s1"]


def test_what_is_skipped_needs_no_model_and_malformed_input_is_refused(
    program: Program, tmp_path: Path
) -> None:
    done = program.run("attribute", write(tmp_path / "a.json"), "--json")
    assert (done.code, done.body["skipped"]) == (0, "no_sources")
    bad = program.run("attribute", write(tmp_path / "b.json", tool_results=[{}]), "--json")
    assert bad.code == 2
    bad.require_one_line("MALFORMED_ANSWER")


@pytest.mark.long
@pytest.mark.model
def test_a_repaired_answer_goes_to_a_person_and_replays(program: Program, rules: Path) -> None:
    assert program.run("ingest", rules, "--doc-id", "rules").code == 0
    retrieved = [{"chunk_id": "k1", "doc_id": "rules", "text": TEXT}]
    path = write(rules.parent / "answer.json", citations=[], retrieved=retrieved)
    done = program.run("verify", path, "--repair", "--json")
    assert done.code == 1, done.stderr
    block = done.body["verification"]
    assert (block["result"], block["citation_level"], block["repair"]["attached"]) == (
        "review",
        "RED",
        1,
    )
    # The result tells it; a log is a server's.
    assert done.stderr == ""
    replayed = program.run("audit", "replay", done.body["verification_id"], "--json")
    assert (replayed.code, replayed.body["status"]) == (0, "REPLAYED")
