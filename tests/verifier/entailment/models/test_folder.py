from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from spanproof.core.errors import ModelLabelsError, ModelUnavailableError
from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment.loading import embedded_folder
from spanproof.verifier.entailment.models.folder import check_folder
from tests.verifier.entailment.tiny_models import build_folder, edit_json

if TYPE_CHECKING:
    from pathlib import Path


def test_a_missing_folder_is_refused_with_a_next_step(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="Expected a model folder") as caught:
        load_model(tmp_path / "absent")
    assert "SPANPROOF_MODEL" in caught.value.hint


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="no weights"):
        load_model(tmp_path)


def test_pickled_weights_alone_are_refused_unread(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(ModelUnavailableError, match="pickled weights only"):
        load_model(folder)


def test_a_card_with_another_digest_is_refused(folder: Path) -> None:
    edit_json(folder / "model_card.json", weights_sha256="0" * 64)
    with pytest.raises(ModelUnavailableError, match="SHA-256"):
        load_model(folder)


def test_weights_changed_by_one_byte_are_refused(folder: Path) -> None:
    weights = folder / "model.safetensors"
    edit_json(
        folder / "model_card.json",
        weights_sha256=hashlib.sha256(weights.read_bytes()).hexdigest(),
    )
    load_model(folder, device="cpu")
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    with pytest.raises(ModelUnavailableError, match="SHA-256"):
        load_model(folder, device="cpu")


def test_the_digest_is_of_the_weights_file_whole(folder: Path) -> None:
    content = (folder / "model.safetensors").read_bytes()
    assert check_folder(folder).weights_digest.hex == hashlib.sha256(content).hexdigest()


def test_unnamed_labels_are_refused_unless_a_map_names_them(folder: Path) -> None:
    edit_json(folder / "config.json", id2label={"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"})
    with pytest.raises(ModelLabelsError):
        load_model(folder)
    names = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    edit_json(folder / "label_map.json", **names)
    assert load_model(folder, device="cpu").identity.labels == (
        "entailed",
        "neutral",
        "contradicted",
    )


def test_a_missing_classification_head_is_refused(folder: Path) -> None:
    weights = {
        name: tensor
        for name, tensor in load_file(folder / "model.safetensors").items()
        if not name.startswith("classifier")
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelUnavailableError, match=r"classifier\.bias"):
        load_model(folder, device="cpu")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_a_broken_file_is_refused_in_our_own_words(folder: Path, name: str) -> None:
    (folder / name).write_text("{")
    with pytest.raises(ModelUnavailableError, match="Expected"):
        load_model(folder, device="cpu")


def test_broken_weights_are_refused_in_our_own_words(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"not safetensors")
    with pytest.raises(ModelUnavailableError, match="Expected a sequence-classification model"):
        load_model(folder, device="cpu")


def test_remote_code_is_never_run(folder: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    (folder / "modeling.py").write_text(f"open({str(trace)!r}, 'w')\n")
    edit_json(
        folder / "config.json",
        model_type="their-own",
        auto_map={
            "AutoConfig": "modeling.C",
            "AutoModelForSequenceClassification": "modeling.M",
        },
    )
    with pytest.raises(ModelUnavailableError):
        load_model(folder, device="cpu")
    assert not trace.exists()


def test_the_calibration_of_the_folder_is_used_and_named(folder: Path) -> None:
    assert check_folder(folder).calibration.threshold == 0.5
    weights = check_folder(folder).weights_digest
    calibration = SOUND | {"name": "ours", "scale": 0.5, "threshold": 0.4}
    calibration["weights_sha256"] = weights.hex
    plain = load_model(folder, device="cpu")
    edit_json(folder / "calibration.json", **calibration)
    model = load_model(folder, device="cpu")
    assert model.identity.threshold == 0.4
    assert "ours" in model.identity.calibration
    pair = ("A man is playing a guitar on a stage.", "A man is playing a guitar.")
    (sharp,), (soft,) = plain.judge([pair]), model.judge([pair])
    assert sharp.p_entailment is not None
    assert soft.p_entailment is not None
    assert soft.p_entailment < sharp.p_entailment


def test_a_calibration_for_other_weights_is_not_applied(folder: Path) -> None:
    for weights in ({}, {"weights_sha256": "0" * 64}):
        (folder / "calibration.json").write_text(json.dumps(SOUND | {"threshold": 0.4} | weights))
        calibration = check_folder(folder).calibration
        assert (str(calibration), calibration.threshold) == ("none", 0.5)
        assert calibration.record is not None


SOUND: dict[str, Any] = {
    "name": "x",
    "scale": 1.0,
    "bias": 0.0,
    "threshold": 0.5,
    "weights": {},
    "rows": {"all": 200},
    "date": "2026-11-20",
}


@pytest.mark.parametrize(
    "calibration",
    [
        SOUND | {"scale": 0},
        SOUND | {"threshold": 1.5},
        SOUND | {"scale": "nan"},
        SOUND | {"bias": "inf"},
        SOUND | {"weights": {"uncovered_words": -0.1}},
        SOUND | {"weights": {"no_such_term": 0.1}},
        SOUND | {"thresholds": {"strict": 1.0}},
        SOUND | {"date": "soon"},
        SOUND | {"rows": {}},
        {"scale": 1.0},
    ],
)
def test_a_calibration_out_of_range_is_refused(
    folder: Path, calibration: dict[str, object]
) -> None:
    (folder / "calibration.json").write_text(json.dumps(calibration))
    with pytest.raises(ModelUnavailableError, match="alibrat"):
        load_model(folder)


def test_shards_are_digested_together(tmp_path: Path) -> None:
    folder = build_folder(tmp_path / "sharded")
    whole = check_folder(folder).weights_digest
    (folder / "model.safetensors").rename(folder / "model-00001-of-00001.safetensors")
    index = {"metadata": {}, "weight_map": {"x": "model-00001-of-00001.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert check_folder(folder).weights_digest != whole
    (folder / "model-00001-of-00001.safetensors").unlink()
    with pytest.raises(ModelUnavailableError, match="every shard"):
        check_folder(folder)


def test_importing_the_package_imports_no_torch() -> None:
    code = "import sys, spanproof.verifier.entailment; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_embedded_folder_stands_inside_the_package() -> None:
    assert embedded_folder().parts[-3:] == ("verifier", "entailment", "embedded")
