"""What the arithmetic alone costs: only the model's matrix products, timed.

Counted and timed from the architecture in ``config.json``, for the sequence lengths of the sample.
Where the graph computes its last layer for the first token only, that layer is counted so. The
floor takes all the work, attention's small products too, at the rate of the products with weights.
Two rates are measured. *BLAS* is the faster of numpy and torch, which are handed each matrix as it
is. *Laid out* is ONNX Runtime given nothing but these products: it lays the weights out once, when
the graph is loaded, and where that is faster no BLAS rate is a floor.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Matrix = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The sizes of a BERT-like encoder with a classification head."""

    layers: int
    hidden: int
    heads: int
    inner: int
    labels: int

    @classmethod
    def of(cls, folder: Path) -> Self | None:
        """Read ``config.json``; None for a family whose layers are built otherwise."""
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config.get("model_type") not in {"bert", "roberta", "xlm-roberta", "camembert"}:
            return None
        return cls(
            layers=config["num_hidden_layers"],
            hidden=config["hidden_size"],
            heads=config["num_attention_heads"],
            inner=config["intermediate_size"],
            labels=len(config.get("id2label") or (0, 1)),
        )

    def weight_products(self, tokens: int, *, cls_only: bool) -> list[tuple[int, int, int]]:
        """(rows, from, to) of every product with a weight matrix, in order."""
        hidden, inner = self.hidden, self.inner
        products = []
        for layer in range(self.layers):
            rows = 1 if cls_only and layer == self.layers - 1 else tokens
            products += [(rows, hidden, hidden), (tokens, hidden, 2 * hidden)]
            products += [(rows, hidden, hidden), (rows, hidden, inner), (rows, inner, hidden)]
        return [*products, (1, hidden, hidden), (1, hidden, self.labels)]

    def attention_rows(self, tokens: int, *, cls_only: bool) -> list[int]:
        """The rows of queries of each layer; keys and values are always of every token."""
        last = 1 if cls_only else tokens
        return [tokens] * (self.layers - 1) + [last]

    def flops(self, tokens: int, *, cls_only: bool) -> tuple[int, int]:
        """Floating-point operations of one pair: with weights, and within attention."""
        weights = sum(
            2 * rows * source * target
            for rows, source, target in self.weight_products(tokens, cls_only=cls_only)
        )
        attention = sum(
            4 * rows * tokens * self.hidden
            for rows in self.attention_rows(tokens, cls_only=cls_only)
        )
        return weights, attention


class Floor:
    """The products of a sample, ready to be timed by three libraries, each on one thread."""

    def __init__(self, shape: Shape, tokens: Sequence[int], *, cls_only: bool) -> None:
        self._shape = shape
        self._tokens = tuple(tokens)
        self._cls_only = cls_only
        counts = [shape.flops(length, cls_only=cls_only) for length in tokens]
        self.flops_of_weights = sum(weights for weights, _ in counts)
        self.flops = sum(weights + attention for weights, attention in counts)
        rng = np.random.default_rng(1)
        # A matrix for each place in the model: the same bytes must come from memory.
        self._matrices = [
            rng.standard_normal((source, target), dtype=np.float32)
            for _, source, target in shape.weight_products(max(tokens), cls_only=cls_only)
        ]
        width = max(shape.hidden, shape.inner)
        self._input = rng.standard_normal((max(tokens), width), dtype=np.float32)
        rows = [rows for rows, _, _ in shape.weight_products(max(tokens), cls_only=cls_only)]
        self._session = open_products(self._matrices, rows)

    def time_blas(self) -> float:
        """CPU seconds of the products with weights, by the faster of numpy and torch."""
        return min(_cpu_seconds(self._run_numpy), _cpu_seconds(self._run_torch))

    def time_laid_out(self) -> float:
        """The same by ONNX Runtime, the weights laid out before."""
        return _cpu_seconds(self._run_onnxruntime)

    def _run_numpy(self) -> None:
        for length in self._tokens:
            products = self._shape.weight_products(length, cls_only=self._cls_only)
            for (rows, _, _), matrix in zip(products, self._matrices, strict=True):
                np.matmul(self._view(rows, matrix.shape[0]), matrix)

    def _run_torch(self) -> None:
        matrices = [torch.from_numpy(matrix) for matrix in self._matrices]
        with torch.inference_mode():
            for length in self._tokens:
                products = self._shape.weight_products(length, cls_only=self._cls_only)
                for (rows, _, _), matrix in zip(products, matrices, strict=True):
                    torch.mm(torch.from_numpy(self._view(rows, matrix.shape[0])), matrix)

    def _run_onnxruntime(self) -> None:
        for length in self._tokens:
            inputs = {
                each.name: self._view(1 if each.shape[0] == 1 else length, each.shape[1])
                for each in self._session.get_inputs()
            }
            self._session.run(None, inputs)

    def _view(self, rows: int, columns: int) -> Matrix:
        # One block of memory read as a whole matrix of that size: no row is apart from the next.
        flat = self._input.reshape(-1)[: rows * columns]
        return flat.reshape(rows, columns)


def open_products(matrices: Sequence[Matrix], rows: Sequence[int]) -> onnxruntime.InferenceSession:
    """A graph of these products alone; ``rows`` of 1 stay 1, others are given later."""
    inputs: dict[str, Any] = {}
    nodes, outputs, constants = [], [], []
    for place, (matrix, count) in enumerate(zip(matrices, rows, strict=True)):
        source, target = matrix.shape
        size = 1 if count == 1 else "tokens"
        name = f"input_{size}_{source}"
        inputs[name] = helper.make_tensor_value_info(name, TensorProto.FLOAT, [size, source])
        constants.append(numpy_helper.from_array(matrix, f"matrix_{place}"))
        nodes.append(helper.make_node("MatMul", [name, f"matrix_{place}"], [f"output_{place}"]))
        outputs.append(
            helper.make_tensor_value_info(f"output_{place}", TensorProto.FLOAT, [size, target])
        )
    graph = helper.make_graph(nodes, "products", list(inputs.values()), outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def _cpu_seconds(run: Callable[[], None]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started
