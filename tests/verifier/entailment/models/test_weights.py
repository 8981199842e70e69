from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from spanproof.verifier.entailment.models.weights import list_tensors, read_tensors

if TYPE_CHECKING:
    from pathlib import Path

EIGHT = torch.tensor([[-127, 5, 0], [1, 127, -3]], dtype=torch.int8)
SCALES = torch.tensor([0.011, 3.7], dtype=torch.float32)
HALF = torch.tensor([[0.1, -2.5]], dtype=torch.float16)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two shards: eight bits with their scales, and half precision."""
    save_file({"a": EIGHT, "a.scale": SCALES}, tmp_path / "1.safetensors")
    save_file({"b": HALF, "c.scale": HALF.clone()}, tmp_path / "2.safetensors")
    return [tmp_path / "1.safetensors", tmp_path / "2.safetensors"]


def test_eight_bits_are_multiplied_by_the_scale_of_their_row(files: list[Path]) -> None:
    sources = {
        "straight": {"tensor": "a", "transposed": False},
        "turned": {"tensor": "a", "transposed": True},
    }
    found = read_tensors(files, sources)
    expected = (EIGHT.float() * SCALES[:, None]).numpy()
    assert found["straight"].dtype == np.float32
    assert np.array_equal(found["straight"], expected)
    assert np.array_equal(found["turned"], expected.T)


def test_a_tensor_is_found_in_whichever_file_holds_it(files: list[Path]) -> None:
    found = read_tensors(files, {"x": {"tensor": "b", "transposed": False}})
    assert np.array_equal(found["x"], HALF.float().numpy())


def test_scales_are_no_tensors_of_their_own(files: list[Path]) -> None:
    assert sorted(list_tensors(files)) == ["a", "b", "c.scale"]


def test_eight_bits_without_scales_are_refused(tmp_path: Path) -> None:
    save_file({"a": EIGHT}, tmp_path / "1.safetensors")
    with pytest.raises(LookupError):
        read_tensors([tmp_path / "1.safetensors"], {"x": {"tensor": "a", "transposed": False}})
