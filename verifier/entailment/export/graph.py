"""Trace a folder's model into an ONNX graph, and hold the graph against the model it came from."""

from __future__ import annotations

import inspect
import io
import random
import threading
import warnings
from typing import TYPE_CHECKING, Any

import onnx
import torch

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.backend import Call
from spanproof.verifier.entailment.backends.onnx import OnnxBackend
from spanproof.verifier.entailment.backends.torch import TorchBackend, load_weights
from spanproof.verifier.entailment.encoding.planning import MAX_POSITIONS
from spanproof.verifier.entailment.export.cls_only import narrow_last_layer
from spanproof.verifier.entailment.models.folder import check_folder
from spanproof.verifier.entailment.models.graph_file import FULL, OPSET

if TYPE_CHECKING:
    from spanproof.verifier.entailment.models.folder import ModelFolder

#: How far a graph's logits may lie from the model's: a hundred times what rounding was seen to do.
MOST_DIFFERENCE = 1e-4
#: Tokens of the probes: short, longer than one kernel's tile, past ModernBERT's local attention;
#: the longest that may come is always among them.
_PROBE_TOKENS = (8, 65, 300)
_TRACED_TOKENS = 23
#: The tracer keeps its state in the process.
_LOCK = threading.Lock()


class _Logits(torch.nn.Module):
    """The model with tensors in and the logits alone out, which is what a graph can say."""

    def __init__(self, model: Any, names: list[str]) -> None:  # noqa: ANN401 - no types there
        super().__init__()
        self.model = model
        self.names = names

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(**dict(zip(self.names, inputs, strict=True))).logits
        return logits


def export_graph(folder: ModelFolder, *, form: str) -> bytes:
    """The folder's model as an ONNX file in float32, for one unpadded pair a call.

    Raises ModelUnavailableError where the model cannot be loaded or traced, where the weights are
    no longer those that were checked, and where graph and model differ.
    """
    with _LOCK:
        reference = load_weights(folder).eval()
        if check_folder(folder.path).weights_digest != folder.weights_digest:
            msg = f"Expected weights {folder.weights_digest!s}, got others while loading them."
            raise ModelUnavailableError(msg, hint="Load the model again when the folder rests.")
        probes = _make_probes(reference.config, folder.positions)
        expected = TorchBackend(model=reference, device="cpu", precision="fp32").run(probes)
        if form != FULL:
            narrow_last_layer(reference)
        content = _trace(reference, folder)
        _compare(content, probes, expected)
    return content


def _trace(model: Any, folder: ModelFolder) -> bytes:  # noqa: ANN401 - transformers ships no types
    accepted = inspect.signature(model.forward).parameters
    names = [name for name in ("input_ids", "token_type_ids") if name in accepted]
    tokens = torch.arange(_TRACED_TOKENS).unsqueeze(0) % model.config.vocab_size
    inputs = (tokens, torch.zeros_like(tokens))[: len(names)]
    stream = io.BytesIO()
    try:
        with warnings.catch_warnings(), torch.inference_mode():
            # It warns of every Python branch that it follows once; the probes show whether a
            # branch depended on the input. And it is on its way out, which the pin of torch
            # answers: its successor needs another package and gives graphs that are hard to
            # quantise.
            warnings.simplefilter("ignore")
            torch.onnx.export(
                _Logits(model, names),
                inputs,
                stream,  # type: ignore[arg-type]  # the tracer takes a stream, its stub only paths
                dynamo=False,
                opset_version=OPSET,
                input_names=names,
                output_names=["logits"],
                dynamic_axes={name: {1: "tokens"} for name in names},
            )
        content = stream.getvalue()
        onnx.checker.check_model(content)
    # Each family fails in its own way: what the tracer raises has no common base.
    except Exception as error:
        msg = f"Expected a model that ONNX can express in {folder.path.name!r}, got {error!s}."
        raise ModelUnavailableError(msg, hint="Set SPANPROOF_RUNTIME to torch.") from error
    return content


def _make_probes(config: Any, positions: int) -> list[Call]:  # noqa: ANN401 - no types there
    """Pairs of drawn tokens at several lengths; the same ones every time."""
    drawn = random.Random(0)  # noqa: S311 - a sample, not a secret
    longest = min(MAX_POSITIONS, positions)
    last_type = min(1, max(0, int(getattr(config, "type_vocab_size", 1)) - 1))
    probes = []
    for count in sorted({*(tokens for tokens in _PROBE_TOKENS if tokens < longest), longest}):
        ids = tuple(drawn.randrange(config.vocab_size) for _ in range(count))
        types = tuple(last_type * (place > count // 2) for place in range(count))
        probes.append(Call(ids=ids, types=types, premise="", claim=""))
    return probes


def _compare(content: bytes, probes: list[Call], expected: list[tuple[float, ...]]) -> None:
    backend = OnnxBackend.open(content, runtime="probe")
    try:
        got = backend.run(probes)
    finally:
        backend.close()
    worst = max(
        abs(one - other)
        for ours, theirs in zip(got, expected, strict=True)
        for one, other in zip(ours, theirs, strict=True)
    )
    if not worst <= MOST_DIFFERENCE:
        msg = f"Expected the graph's logits within {MOST_DIFFERENCE} of the model's, got {worst}."
        raise ModelUnavailableError(msg, hint="Set SPANPROOF_RUNTIME to torch.")
