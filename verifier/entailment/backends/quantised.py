"""ONNX Runtime in int8 on the CPU: the canonical graph with the large products in eight bits.

Weights are rounded once, a scale for each output; activations anew in every call, so that with one
unpadded pair a call the company of a pair changes no bit. Scales of activations that are fixed on
calibration pairs (static) were measured and left: three times the error, and slower. What the first
layer computes stays in float32: a sixth of the work, and half of the error.

Another graph, another ``runtime``, so another ``verifier_version``.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import onnxruntime

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.backends.onnx import OnnxBackend
from spanproof.verifier.entailment.models.derived_files import find_or_make
from spanproof.verifier.entailment.models.graph_file import find_graph

if TYPE_CHECKING:
    from spanproof.verifier.entailment.models.folder import ModelFolder
    from spanproof.verifier.entailment.models.graph_file import Exporter

#: Raised whenever the same graph would give another quantised one.
FORMAT = 1
#: How far a logit may lie from the float32 graph's. On 1,500 pairs of the development set the
#: farthest of the embedded model's lay 0.41 away (later weights, 300 pairs: 0.53).
TOLERANCE = 0.75
_FIRST_LAYER = re.compile(r"layers?\.0/")
_QUANTISED = ("MatMul", "Gemm")


def open_quantised(
    folder: ModelFolder, *, export: Exporter, cache: Path | None, workers: int | None = None
) -> OnnxBackend:
    """The folder's graph in int8, made and kept at its first use.

    Raises ModelUnavailableError where there is no graph or it cannot be quantised.
    """
    source = find_graph(folder, cache=cache, export=export)
    recipe: dict[str, str | int] = {
        "kind": "onnx-int8",
        "format": FORMAT,
        "source_sha256": source.digest.hex,
        # Another release rounds otherwise.
        "made_with": f"onnxruntime@{onnxruntime.__version__}",
    }
    graph = find_or_make(cache, recipe=recipe, make=lambda: quantise(source.to_file()))
    runtime = f"onnxruntime@{onnxruntime.__version__}+int8+cpu+{source.form}+graph-{graph.digest}"
    return OnnxBackend.open(graph.content, runtime=runtime, tolerance=TOLERANCE, workers=workers)


def quantise(source: bytes) -> bytes:
    """The float32 graph with int8 products; raise ModelUnavailableError where that fails."""
    # onnx takes half a second to import: only the first use of a folder pays.
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory(prefix="spanproof-int8-") as work:
        plain, fused, rounded = (Path(work) / name for name in ("a.onnx", "b.onnx", "c.onnx"))
        plain.write_bytes(source)
        try:
            quant_pre_process(str(plain), str(fused), skip_symbolic_shape=True)
            quantize_dynamic(
                str(fused),
                str(rounded),
                op_types_to_quantize=list(_QUANTISED),
                per_channel=True,
                weight_type=QuantType.QInt8,
                nodes_to_exclude=[
                    node.name
                    for node in onnx.load(str(fused)).graph.node
                    if node.op_type in _QUANTISED and _FIRST_LAYER.search(node.name)
                ],
            )
        # What its tools raise has no common base but Exception.
        except Exception as error:
            msg = f"Expected a graph that can be quantised, got {type(error).__name__}: {error!s}."
            raise ModelUnavailableError(msg, hint="Set SPANPROOF_RUNTIME to auto.") from error
        return rounded.read_bytes()
