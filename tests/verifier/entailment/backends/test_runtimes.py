from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment import runtimes as choice
from spanproof.verifier.entailment.examination.canary import ENTAILED
from spanproof.verifier.entailment.loading import open_model
from spanproof.verifier.entailment.models.folder import check_folder
from tests.verifier.entailment.tiny_models import build_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_a_cpu_runs_the_canonical_runtime() -> None:
    assert choice.choose_runtime("cpu") == choice.CANONICAL == "onnx"


def test_a_gpu_that_is_asked_for_runs_torch() -> None:
    assert choice.choose_runtime("cuda") == "torch"


def test_beside_a_driver_torch_says_whether_it_can_use_the_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "version").write_text("")
    monkeypatch.setattr(choice, "_NVIDIA_DRIVER", tmp_path / "version")
    expected = "torch" if torch.cuda.is_available() else "onnx"
    assert choice.choose_runtime("auto") == expected


def test_an_unknown_runtime_is_refused(taught: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="Expected a runtime of auto, onnx") as caught:
        load_model(taught, runtime="abacus")
    assert "SPANPROOF_RUNTIME" in caught.value.hint


def test_the_canonical_runtime_has_no_gpu(taught: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="'cuda'"):
        load_model(taught, runtime="onnx", device="cuda")


def test_another_runtime_is_confirmed_by_the_canonical_one(taught: Path, tmp_path: Path) -> None:
    canonical = load_model(taught, runtime="onnx", device="cpu", cache=tmp_path)
    other = load_model(taught, runtime="torch", device="cpu", cache=tmp_path)
    assert "torch@" in other.identity.runtime
    assert other.confirm([ENTAILED]) == canonical.judge([ENTAILED])
    assert other.judge([ENTAILED])[0].logits == pytest.approx(
        canonical.judge([ENTAILED])[0].logits, abs=1e-4
    )
    other.close()
    canonical.close()


def test_a_model_that_fails_the_canary_is_closed_and_refused(tmp_path: Path) -> None:
    folder = build_folder(tmp_path / "random")
    with pytest.raises(ModelUnavailableError, match="told apart"):
        load_model(folder, runtime="onnx", device="cpu", cache=tmp_path / "cache")
    # The graph is sound and kept; only the model is not to be believed.
    model = open_model(check_folder(folder), device="cpu", cache=tmp_path / "cache")
    assert model.judge([ENTAILED])[0].reason is None
