from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.api.http.wire.fields import (
    LABELLED_EXAMPLE,
    TURN_EXAMPLE,
    FieldCalibrationOut,
    FieldsOut,
)
from spanproof.core.digest import Digest
from spanproof.verifier.fields.labelled import dump_rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program


@pytest.fixture
def turn(tmp_path: Path) -> Path:
    """A turn with two markers, one of an unknown field."""
    path = tmp_path / "response.json"
    path.write_text(json.dumps(TURN_EXAMPLE), encoding="utf-8")
    return path


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Two labelled turns."""
    path = tmp_path / "labelled.jsonl"
    path.write_bytes(dump_rows(LABELLED_EXAMPLE["rows"]))
    return path


def test_json_tells_sections_source_and_what_was_dropped(
    fresh_program: Program, turn: Path
) -> None:
    done = fresh_program.run("fields", turn, "--json")
    assert done.code == 0, done.stderr
    body = done.body
    FieldsOut.model_validate(body, strict=True)
    assert {"clean_text", "sections", "attribution_source", "dropped", "over_cited"} <= set(body)
    assert "[[" not in body["clean_text"]
    assert body["attribution_source"] == "mixed"
    assert [each["code"] for each in body["dropped"]] == ["UNKNOWN_FIELD"]
    assert body["over_cited"] is True
    (section,) = body["sections"]
    found = {each["path"]: each["match_method"] for each in section["fields"]}
    assert found == {
        "ticket.status": "marker",
        "ticket.risk_level": "enum",
        "ticket.spent": "percent",
    }
    assert body["snapshot"]["sha256"] == str(Digest.of(body["snapshot"]["text"].encode()))
    # Attribution needs no store, so none is made.
    assert not fresh_program.home.exists()


def test_the_long_form_and_options_before_the_file_are_the_same(
    program: Program, turn: Path
) -> None:
    short = program.run("fields", turn, "--json")
    assert program.run("fields", "--json", turn).stdout == short.stdout
    assert program.run("fields", "find", turn, "--json").stdout == short.stdout


def test_people_get_the_source_the_fields_and_the_dropped_markers(
    program: Program, turn: Path
) -> None:
    lines = program.run("fields", turn).stdout.decode().splitlines()
    assert lines[0] == "source: mixed  over-cited"
    assert lines[1:3] == ["ticket", "  1.00  marker             status: in_progress"]
    assert lines[-1] == "dropped: [[T:owner]] at 95: UNKNOWN_FIELD"


def test_calibrate_measures_and_proposes(program: Program, labelled: Path) -> None:
    done = program.run("fields", "calibrate", labelled, "--json")
    assert done.code == 0, done.stderr
    FieldCalibrationOut.model_validate(done.body, strict=True)
    assert done.body["policy"]["thresholds"] == {"enum": 0.85, "numeric": 0.85}
    shown = program.run("fields", "calibrate", labelled).stdout.decode()
    assert "enum" in shown
    assert "(few)" in shown


@pytest.mark.parametrize(
    ("content", "command", "code"),
    [
        ("{}", (), "MALFORMED_ANSWER"),
        ("not json", (), "MALFORMED_ANSWER"),
        ("{}", ("calibrate",), "MALFORMED_LABELS"),
        ("", ("calibrate",), "MALFORMED_LABELS"),
    ],
)
def test_malformed_input_is_one_line_and_exit_2(
    program: Program, tmp_path: Path, content: str, command: tuple[str, ...], code: str
) -> None:
    path = tmp_path / "input"
    path.write_text(content, encoding="utf-8")
    done = program.run("fields", *command, path, "--json")
    assert done.code == 2
    assert done.stdout == b""
    assert done.stderr.startswith(f"spanproof: {code}: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.long
def test_markers_are_verified_against_the_snapshot(program: Program, tmp_path: Path) -> None:
    sentence = "The ticket is in progress."
    payload = {
        "response": "The ticket is in progress [[T:note]].",
        "context": {"ticket": {"fields": {"note": sentence}}},
        "registry": {"prefixes": {"T": "ticket"}},
    }
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(payload), encoding="utf-8")
    done = program.run("verify", path, "--format", "field", "--json")
    assert done.code in {0, 1}, done.stderr
    block = done.body["verification"]
    (verdict,) = block["verdicts"]
    assert verdict["identity"]["status"] == "MATCH"
    assert verdict["existence"]["status"] == "EXACT"
    assert verdict["origin"] == "field"
    assert verdict["claim"]["hypothesis"] == sentence
    quoted = program.run("text", verdict["identity"]["doc_hash"])
    assert quoted.stdout.decode() == f"ticket.note: {sentence}\n"
