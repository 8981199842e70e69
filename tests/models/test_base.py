from __future__ import annotations

import json
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.loading import embedded_folder, load_model
from spanproof.verifier.entailment.models.folder import check_folder, find_weights
from spanproof.verifier.entailment.models.registered import find_installed
from tests.environments import ROOT

BASE = ROOT / "models" / "base"
#: What a repository takes; hosts refuse files of 100 MB.
MOST_BYTES = 95_000_000


def test_its_files_are_those_of_its_wheel_and_none_is_too_large() -> None:
    project = tomllib.loads((BASE / "pyproject.toml").read_text(encoding="utf-8"))
    packed = set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"])
    held = {path.name for path in BASE.iterdir() if path.is_file()}
    assert held == packed | {"pyproject.toml"}
    assert all((BASE / name).stat().st_size < MOST_BYTES for name in packed)


def test_the_card_and_the_calibration_are_of_these_weights() -> None:
    folder = check_folder(BASE)
    assert folder.calibration.record is not None
    assert folder.calibration.record.weights_sha256 == folder.weights_digest.hex
    card = json.loads((BASE / "model_card.json").read_text(encoding="utf-8"))
    assert card["name"] == folder.name
    assert card["calibration"]["weights_sha256"] == folder.weights_digest.hex


def test_its_first_file_is_the_embedded_models_weights() -> None:
    (embedded,) = find_weights(embedded_folder())
    assert find_weights(BASE)[0].read_bytes() == embedded.read_bytes()
    assert (BASE / "tokenizer.json").read_bytes() == (
        embedded_folder() / "tokenizer.json"
    ).read_bytes()


@pytest.mark.long
@pytest.mark.model
def test_it_judges_and_keeps_its_decisions_in_any_company() -> None:
    model = load_model(BASE, runtime="onnx", device="cpu")
    pairs = [ENTAILED, NEUTRAL, CONTRADICTED]
    together = model.judge(pairs)
    assert [model.judge([pair])[0] for pair in pairs] == together
    assert together[0].p_entailment is not None
    assert together[0].p_entailment > model.calibration.threshold
    model.close()


@pytest.mark.long
def test_its_wheel_is_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (built,) = WheelBuilder(str(BASE)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(built) as wheel:
        wheel.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    found = find_installed(Path("base"))
    assert found == tmp_path / "site" / "spanproof_model_base"
    assert check_folder(found).weights_digest == check_folder(BASE).weights_digest
    assert find_installed(Path("other")) == Path("other")
