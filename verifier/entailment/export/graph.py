"""Trace a folder's model into an ONNX graph, and hold the graph against the model it came from.

A graph that is to stand beside the weights is cut in two: its structure, and which tensor of the
weights each of its large arrays is.
"""

from __future__ import annotations

import inspect
import io
import json
import random
import threading
import warnings
from typing import TYPE_CHECKING, Any

import onnx
import torch

from spanproof.core.digest import Digest
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.backend import Call
from spanproof.verifier.entailment.backends.onnx import OnnxBackend
from spanproof.verifier.entailment.backends.torch import TorchBackend, load_weights
from spanproof.verifier.entailment.encoding.planning import MAX_POSITIONS
from spanproof.verifier.entailment.models.folder import WEIGHTS, check_folder, find_weights
from spanproof.verifier.entailment.models.graph_file import (
    FULL,
    OPSET,
    choose_form,
    write_recipe,
)
from spanproof.verifier.entailment.models.shipped_graph import (
    RECORD,
    STRUCTURE,
    digest_whole,
)
from spanproof.verifier.entailment.models.weights import list_tensors, read_tensors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spanproof.verifier.entailment.models.folder import ModelFolder

#: How far a graph's logits may lie from the model's: a hundred times what rounding was seen to do.
MOST_DIFFERENCE = 1e-4
#: Tokens of the probes: short, longer than one kernel's tile, past ModernBERT's local attention;
#: the longest that may come is always among them.
_PROBE_TOKENS = (8, 65, 300)
_TRACED_TOKENS = 23
#: Smaller arrays stay in the structure: constants, and what costs nothing.
_MIN_APART = 256
_FLOAT = onnx.TensorProto.FLOAT
#: The tracer keeps its state in the process.
_LOCK = threading.Lock()


class _Logits(torch.nn.Module):
    """The model with tensors in and only the logits out, as a graph needs it."""

    def __init__(self, model: Any, names: list[str]) -> None:  # noqa: ANN401 - no types there
        super().__init__()
        self.model = model
        self.names = names

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(**dict(zip(self.names, inputs, strict=True))).logits
        return logits


def export_graph(folder: ModelFolder, form: str) -> bytes:
    """The folder's model as an ONNX file in float32, for one unpadded pair a call.

    Raises ModelUnavailableError where the model cannot be loaded or traced, where the weights are
    no longer those that were checked, and where graph and model differ.
    """
    reference = load_weights(folder).eval()
    if check_folder(folder.path).weights_digest != folder.weights_digest:
        msg = f"Expected weights {folder.weights_digest!s}, got others while loading them."
        raise ModelUnavailableError(msg, hint="Load the model again when the folder rests.")
    return _export(reference, folder, form)


def ship_graph(path: Path, reference: Any = None) -> Digest:  # noqa: ANN401 - no types there
    """Put the model's graph beside its weights, in the family's own form; return its digest.

    ``reference`` is a model of those weights where transformers has no code for it. Raises what
    ``export_graph`` raises, and ModelUnavailableError where structure and weights do not give the
    exported bytes again.
    """
    folder = check_folder(path)
    form = choose_form(folder)
    content = export_graph(folder, form) if reference is None else _export(reference, folder, form)
    files = find_weights(path)
    structure, initializers = _take_apart(content, files)
    digest = Digest.of(content)
    if digest_whole(structure, read_tensors(files, initializers)) != digest:
        msg = f"Expected the bytes of graph {digest!s} again, got others."
        raise ModelUnavailableError(msg, hint="Use the pinned releases of torch and onnx.")
    record = {
        **write_recipe(folder, form=form),
        "sha256": digest.hex,
        "made_with": {"torch": torch.__version__, "onnx": onnx.__version__},
        "initializers": initializers,
    }
    (path / STRUCTURE).write_bytes(structure)
    (path / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return digest


def _export(reference: Any, folder: ModelFolder, form: str) -> bytes:  # noqa: ANN401 - no types
    with _LOCK:
        probes = _make_probes(reference.config, folder.positions)
        expected = TorchBackend(model=reference, device="cpu", precision="fp32").run(probes)
        if form != FULL:
            narrow_last_layer(reference)
        content = _trace(reference, folder)
        _compare(content, probes, expected)
    return content


def _take_apart(
    content: bytes, files: Sequence[Path]
) -> tuple[bytes, dict[str, dict[str, str | bool]]]:
    """The structure, and the tensor of the weights that each array taken out of it is."""
    names = list_tensors(files)
    straight: dict[str, dict[str, str | bool]] = {
        name: {"tensor": name, "transposed": False} for name in names
    }
    known = {
        array.tobytes(): straight[name] for name, array in read_tensors(files, straight).items()
    }
    turned: dict[str, dict[str, str | bool]] = {
        name: {"tensor": name, "transposed": True} for name in names
    }
    for name, array in read_tensors(files, turned).items():
        known.setdefault(array.tobytes(), turned[name])
    model = onnx.load_from_string(content)
    initializers: dict[str, dict[str, str | bool]] = {}
    for each in model.graph.initializer:
        source = known.get(each.raw_data)
        if source is None or len(each.raw_data) < _MIN_APART or each.data_type != _FLOAT:
            continue
        initializers[each.name] = source
        each.ClearField("raw_data")
        each.data_location = onnx.TensorProto.EXTERNAL
        # ONNX asks for a place; the arrays are handed over, and this file is not read by it.
        each.external_data.add(key="location", value=WEIGHTS)
    structure: bytes = model.SerializeToString()
    return structure, initializers


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


class FirstTokenLayer(torch.nn.Module):
    """A BERT layer's output for the first token of one unpadded sequence: (1, 1, hidden)."""

    def __init__(self, layer: Any) -> None:  # noqa: ANN401 - transformers ships no types
        super().__init__()
        self.layer = layer

    def forward(self, hidden: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:  # noqa: ANN401
        """One layer on ``hidden`` (1, tokens, width); there is no padding, so no mask is read."""
        attention = self.layer.attention.self
        heads, width = attention.num_attention_heads, attention.attention_head_size
        first = hidden[:, :1]
        query = attention.query(first).view(1, 1, heads, width).transpose(1, 2)
        key = attention.key(hidden).view(1, -1, heads, width).transpose(1, 2)
        value = attention.value(hidden).view(1, -1, heads, width).transpose(1, 2)
        shares = torch.softmax(query @ key.transpose(2, 3) * attention.scaling, dim=-1)
        context = (shares @ value).transpose(1, 2).reshape(1, 1, heads * width)
        attended = self.layer.attention.output(context, first)
        output: torch.Tensor = self.layer.output(self.layer.intermediate(attended), attended)
        return output


def narrow_last_layer(model: Any) -> None:  # noqa: ANN401 - transformers ships no types
    """Put the first token's layer in place of the last one, in this model itself."""
    layers = model.base_model.encoder.layer
    layers[-1] = FirstTokenLayer(layers[-1])
