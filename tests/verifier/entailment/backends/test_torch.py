"""The GPU's code path, run in its precision on the CPU: the device is a parameter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import torch

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.backend import CANONICAL_TOLERANCE, FAST_TOLERANCE, Call
from spanproof.verifier.entailment.backends.torch import TorchBackend, load_weights, plan_batches
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.loading import embedded_folder
from spanproof.verifier.entailment.models.folder import check_folder
from tests.verifier.entailment.backends.real_pairs import measure_distance, plan, read_pairs
from tests.verifier.entailment.tiny_models import load_onnx

if TYPE_CHECKING:
    from pathlib import Path

LONG = " ".join(f"The man number {n} is playing a guitar on a stage." for n in range(60))
PAIRS = [ENTAILED, (LONG, "A man is playing a guitar."), CONTRADICTED, NEUTRAL]


def make_call(length: int) -> Call:
    return Call(ids=(1,) * length, types=(0,) * length, premise="", claim="")


def test_batches_hold_every_call_once_neighbours_in_length_within_the_budget() -> None:
    lengths = [5, 90, 7, 100, 6, 8, 300, 95]
    batches = plan_batches([make_call(length) for length in lengths], budget=200)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert batches == [[6], [3, 7], [1, 5], [2, 4, 0]]
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= 200
    assert plan_batches([], budget=200) == []


def test_float32_is_the_reference_and_bfloat16_says_what_it_is(taught: Path) -> None:
    folder = check_folder(taught)
    reference = TorchBackend.load(folder, device="cpu")
    fast = TorchBackend.load(folder, device="cpu", precision="bf16")
    assert reference.tolerance == CANONICAL_TOLERANCE
    assert fast.tolerance == FAST_TOLERANCE
    assert reference.runtime.endswith("+fp32+cpu")
    assert fast.runtime.endswith("+bf16+cpu")


def test_batches_give_each_call_its_own_logits_in_order(taught: Path) -> None:
    folder = check_folder(taught)
    calls = plan(folder, PAIRS)
    model = load_weights(folder).eval()
    expected = TorchBackend(model=model, device="cpu").run(calls)
    # Batches in float32 differ by rounding alone: what bfloat16 would hide shows.
    batched = TorchBackend(model=model, device="cpu", precision="bf16").run(calls)
    assert measure_distance(batched, expected) < 1e-5
    fast = TorchBackend.load(folder, device="cpu", precision="bf16")
    assert 0 < measure_distance(fast.run(calls), expected) < FAST_TOLERANCE
    assert fast.run([]) == []


def test_padding_is_not_read(taught: Path) -> None:
    folder = check_folder(taught)
    calls = plan(folder, PAIRS)
    backend = TorchBackend(model=load_weights(folder).eval(), device="cpu", precision="bf16")
    alone = [backend.run([call])[0] for call in calls]
    assert measure_distance(backend.run(calls), alone) < 1e-5


def test_weights_that_are_not_finite_give_an_error(taught: Path) -> None:
    model = load_weights(check_folder(taught)).eval()
    with torch.no_grad():
        model.classifier.weight.fill_(float("inf"))
    backend = TorchBackend(model=model, device="cpu", precision="bf16")
    with pytest.raises(ModelUnavailableError, match="finite"):
        backend.run(plan(check_folder(taught), PAIRS))


def test_a_call_that_the_model_cannot_take_gives_an_error_and_the_next_one_runs(
    taught: Path,
) -> None:
    folder = check_folder(taught)
    backend = TorchBackend.load(folder, device="cpu", precision="bf16")
    (call, *_) = plan(folder, PAIRS)
    unknown = replace(call, ids=(10**6,) * len(call.ids))
    with pytest.raises(ModelUnavailableError, match="IndexError"):
        backend.run([unknown])
    assert len(backend.run([call])) == 1


def test_a_gpu_that_is_not_here_is_refused(taught: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(ModelUnavailableError, match="'cuda'"):
        TorchBackend.load(check_folder(taught), device="cuda")


@pytest.mark.long
@pytest.mark.model
def test_on_real_pairs_bfloat16_stays_within_its_tolerance(
    test_data: Path, embedded_cache: Path
) -> None:
    folder = check_folder(embedded_folder())
    calls = plan(folder, read_pairs(test_data, 24))
    canonical = load_onnx(folder, cache=embedded_cache).run(calls)
    for device in ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]:
        fast = TorchBackend.load(folder, device=device, precision="bf16")
        assert 1e-4 < measure_distance(fast.run(calls), canonical) < FAST_TOLERANCE
