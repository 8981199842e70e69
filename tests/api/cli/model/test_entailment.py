from __future__ import annotations

import json
import os
import re
import shutil
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spanproof.api.cli.diagnosis import DISTRIBUTIONS
from spanproof.verifier.entailment.loading import embedded_folder

if TYPE_CHECKING:
    from tests.api.cli.program import Program

PAIRS = [
    {"premise": "All doors are locked at night.", "hypothesis": "Doors are locked at night."},
    {"premise": "All doors are locked at night.", "hypothesis": "word " * 5000},
    {"premise": "The fee is 30 pounds.", "hypothesis": "The fee is 40 pounds.", "id": "kept"},
]


@pytest.fixture
def model_folder() -> Path:
    """The folder of the model that the tests run with."""
    return Path(os.environ.get("SPANPROOF_MODEL") or embedded_folder())


def test_entail_writes_one_line_for_each_line(program: Program, tmp_path: Path) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    lines = [*map(json.dumps, PAIRS), "no json"]
    pairs.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = program.run("entail", pairs, "--output", out)
    assert done.code == 0, done.stderr
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len(lines)
    first, too_long, changed, malformed = rows
    assert first["premise"] == PAIRS[0]["premise"]
    total = first["p_entailment"] + first["p_neutral"] + first["p_contradiction"]
    assert total == pytest.approx(1.0, abs=1e-4)
    for row in (too_long, malformed):
        assert row["label"] == "NOT_RUN"
        assert [row["p_entailment"], row["p_neutral"], row["p_contradiction"]] == [None] * 3
        assert row["supported"] is False
    assert changed["supported"] is False
    assert changed["id"] == "kept"
    assert not list(tmp_path.glob("*.partial"))


def test_a_model_folder_that_is_missing_is_one_line(program: Program, tmp_path: Path) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs.write_text(json.dumps(PAIRS[0]) + "\n", encoding="utf-8")
    lacking = program.with_settings(model=str(tmp_path / "no-model"))
    for arguments in (["entail", pairs, "--output", out], ["model", "info", "--json"]):
        done = lacking.run(*arguments)
        assert done.code == 3
        done.require_one_line("MODEL_UNAVAILABLE")
    assert not out.exists()
    assert not list(tmp_path.glob("*.partial"))


def test_a_model_with_unnamed_labels_is_refused(
    program: Program, tmp_path: Path, model_folder: Path
) -> None:
    unnamed = tmp_path / "unnamed"
    shutil.copytree(model_folder, unnamed)
    config = json.loads((unnamed / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = {str(n): f"LABEL_{n}" for n in range(3)}
    config["label2id"] = {f"LABEL_{n}": n for n in range(3)}
    (unnamed / "config.json").write_text(json.dumps(config), encoding="utf-8")
    done = program.with_settings(model=str(unnamed)).run("model", "info")
    assert done.code == 3
    done.require_one_line("MODEL_LABELS_UNNAMED")


def test_model_info_names_the_weights_and_the_labels(program: Program) -> None:
    done = program.run("model", "info", "--json")
    assert done.code == 0, done.stderr
    assert len(done.body["weights_sha256"]) == 64
    assert done.body["labels"]
    assert done.body["threshold"] is not None


def test_pairs_that_are_missing_are_one_line(program: Program, tmp_path: Path) -> None:
    done = program.run("entail", tmp_path / "none.jsonl", "--output", tmp_path / "out.jsonl")
    assert done.code == 2
    done.require_one_line("MALFORMED_INPUT")


@pytest.mark.long
def test_doctor_is_content_here_and_fails_without_a_model(program: Program, tmp_path: Path) -> None:
    well = program.run("doctor", "--json")
    assert well.code == 0, well.stdout
    assert {check["name"] for check in well.body["checks"]} >= {"database", "blobs", "model"}
    assert well.body["versions"]["pymupdf"]
    ill = program.with_settings(model=str(tmp_path / "no-model")).run("doctor", "--json")
    assert ill.code == 1
    failed = [check["name"] for check in ill.body["checks"] if check["status"] == "failed"]
    assert failed == ["model"]


def test_every_version_that_doctor_names_is_one_of_our_dependencies() -> None:
    required = metadata.requires("spanproof") or []
    names = {re.split(r"[^A-Za-z0-9-]", line, maxsplit=1)[0] for line in required}
    assert set(DISTRIBUTIONS) - {"spanproof"} <= names
