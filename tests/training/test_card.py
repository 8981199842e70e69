from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.verifier.entailment.tiny_models import build_folder, edit_json, teach_canary
from training.calibrate import fit, negative_log_likelihood
from training.card import count_origins, to_card, to_markdown
from training.dev_readings import read_dev
from training.evaluate import measure_containment, to_figures
from training.pairs import LABEL_IDS, NOT_ENTAILMENT, Pair
from verifier.entailment import load_model
from verifier.entailment.calibration import Calibration
from verifier.entailment.canary import CONTRADICTED, ENTAILED, NEUTRAL
from verifier.entailment.model_folder import check_folder

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
    readings = read_dev(model, pairs, cache)
    calibration = fit(readings, "dev")
    figures = to_figures(readings, Calibration.from_json(calibration))
    return to_card(
        check_folder(model),
        run={"minutes": 1.0, "seed": 1},
        calibration=calibration,
        figures=figures,
        counts=count_origins([pairs]),
    )


def test_figures_are_those_of_a_model_that_knows_its_pairs(
    model: Path, pairs: Path, tmp_path: Path
) -> None:
    figures = to_figures(read_dev(model, pairs, tmp_path / "dev.npz"), Calibration())
    assert figures["rows"] == 180
    assert set(figures["sources"]) == {"bump", "fm2"}
    assert figures["balanced_accuracy"]["mean"] > 0.95
    low, high = figures["balanced_accuracy"]["interval"]
    assert low <= figures["balanced_accuracy"]["mean"] <= high
    assert figures["contradictions_called_entailed"] < 0.05


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


def test_the_card_states_what_it_was_given(model: Path, pairs: Path, tmp_path: Path) -> None:
    card = make_card(model, pairs, tmp_path / "dev.npz")
    text = to_markdown(card)
    assert card["weights_sha256"] == check_folder(model).weights_digest.hex
    assert card["weights_sha256"] in text
    assert "dataminr-ai/BUMP" in text
    assert f"{card['dev']['balanced_accuracy']['mean']:.3f}" in text
    edit_json(model / "model_card.json", **card)
    assert load_model(model, device="cpu").identity.name == card["name"]
    (model / "model_card.json").unlink()


def test_figures_of_other_weights_are_refused(model: Path, pairs: Path, tmp_path: Path) -> None:
    card = make_card(model, pairs, tmp_path / "dev.npz")
    with pytest.raises(SystemExit, match="other weights"):
        to_card(
            check_folder(model),
            run={"minutes": 1.0, "seed": 1},
            calibration=card["calibration"],
            figures=card["dev"] | {"weights_sha256": "0" * 64},
            counts={},
        )


def test_a_source_without_an_origin_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl.gz"
    row = {"premise": "p", "hypothesis": "h", "label": "neutral", "source": "unheard_of"}
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.write(json.dumps(row | {"doc": "1", "commercial": "ok"}) + "\n")
    with pytest.raises(SystemExit, match="unheard_of"):
        count_origins([path])


def test_an_unknown_not_entailed_label_costs_only_what_is_entailed() -> None:
    probabilities = np.array([[0.2, 0.3, 0.5]])
    cost = negative_log_likelihood(probabilities, np.array([NOT_ENTAILMENT]))
    assert cost == pytest.approx(-np.log(0.8))
    cost = negative_log_likelihood(probabilities, np.array([LABEL_IDS["contradiction"]]))
    assert cost == pytest.approx(-np.log(0.5))


def test_containment_is_the_share_of_the_claims_words() -> None:
    pair = Pair(premise="A cat sat.", hypothesis="The cat sat", label=0, source="s", doc="d")
    assert measure_containment(pair) == pytest.approx(2 / 3)
