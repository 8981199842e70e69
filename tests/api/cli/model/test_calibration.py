from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from tests.api.cli.model.graphs import keep_graph
from tests.verifier.entailment.tiny_models import build_folder, teach_canary

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program

LABELLED = ((ENTAILED, "ENTAILED"), (CONTRADICTED, "contradiction"), (NEUTRAL, "not_entailment"))


def make_rows(count: int = 240) -> list[dict[str, Any]]:
    """Pairs that a model taught the canary gets right, one in twelve labelled wrongly."""
    rows = []
    for number in range(count):
        (premise, hypothesis), label = LABELLED[number % 3]
        if number % 12 == 0:
            label = "neutral"
        row = {"premise": premise, "hypothesis": hypothesis, "label": label}
        rows.append(row | {"doc": str(number)})
    return rows


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that knows the canary and has no calibration."""
    return teach_canary(build_folder(tmp_path_factory.mktemp("models") / "taught"))


@pytest.mark.long
def test_labels_become_a_named_calibration_that_a_setting_chooses(
    program: Program, taught: Path, tmp_path: Path
) -> None:
    labelled = write_rows(tmp_path / "contracts.jsonl", make_rows())
    keep_graph(taught, program.home)
    own = program.with_settings(model=str(taught))
    before = own.run("model", "info", "--json").body
    assert before["calibration"] == "none"
    # The name may be set before it is made.
    named = own.with_settings(calibration="contracts")
    named.run("model", "info").require_one_line("CALIBRATION_NOT_FOUND")
    done = named.run("model", "calibrate", labelled, "--prompt-id", "faq-3", "--json")
    assert done.code == 0, done.stderr
    content = done.body["calibration"]
    path = program.home / "calibrations" / before["weights_sha256"] / "contracts.json"
    assert done.body["path"] == str(path)
    assert json.loads(path.read_text()) == content
    assert content["rows"]["all"] == 240
    assert content["prompt_ids"] == ["faq-3"]
    assert content["bounds"]["strict"]["alpha"] == 0.02
    assert content["bounds"]["strict"]["n"] == content["rows"]["held"]
    assert set(content["certificates"]) == set(content["thresholds"])
    after = named.run("model", "info", "--json").body
    assert after["calibration"].startswith("contracts@sha256:")
    assert after["threshold"] == content["threshold"]

    taken = own.run("model", "calibrate", labelled)
    taken.require_one_line("CONFLICT")
    assert taken.code == 3
    assert json.loads(path.read_text()) == content


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (make_rows(49), "at least 50"),
        ([*make_rows(), {"premise": "x", "hypothesis": "y", "label": "yes"}], "line 241"),
        ([row | {"label": "neutral"} for row in make_rows(60)], "no entailment"),
    ],
)
def test_bad_labels_are_one_line_and_leave_nothing(
    program: Program, tmp_path: Path, rows: list[dict[str, Any]], said: str
) -> None:
    done = program.run("model", "calibrate", write_rows(tmp_path / "labelled.jsonl", rows))
    assert said in done.require_one_line("MALFORMED_LABELS")
    assert done.code == 2
    assert not (program.home / "calibrations").exists()


def test_a_file_that_is_not_there_or_a_name_that_is_a_path_is_refused(
    program: Program, tmp_path: Path
) -> None:
    missing = program.run("model", "calibrate", tmp_path / "none.jsonl")
    missing.require_one_line("MALFORMED_INPUT")
    assert missing.code == 2
    labelled = write_rows(tmp_path / "labelled.jsonl", make_rows())
    for name in ("../out", "none"):
        done = program.run("model", "calibrate", labelled, "--name", name)
        done.require_one_line("MALFORMED_INPUT")
        assert done.code == 2
