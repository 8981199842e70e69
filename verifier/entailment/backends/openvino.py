"""OpenVINO on the CPU: the canonical graph in float32, or in bfloat16 where the CPU knows it.

An optional extra: ``pip install 'spanproof[openvino]'``. One unpadded pair a call, on one thread
each, so that the company of a pair changes no bit here either.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from core.errors import ModelUnavailableError
from verifier.entailment.backends.onnx import count_cores
from verifier.entailment.backends.protocol import CANONICAL_TOLERANCE, FAST_TOLERANCE
from verifier.entailment.export.recipe import find_graph

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from verifier.entailment.backends.protocol import Call, Logits
    from verifier.entailment.model_folder import ModelFolder

Form = Literal["fp32", "bf16"]


class OpenVinoBackend:
    """A ``Backend`` on one compiled model; each thread has a request of its own."""

    def __init__(self, compiled: Any, *, runtime: str, tolerance: float) -> None:  # noqa: ANN401
        self.runtime = runtime
        self.tolerance = tolerance
        self._compiled = compiled
        self._names = {one.get_any_name() for one in compiled.inputs}
        self._requests = threading.local()
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    @classmethod
    def load(cls, folder: ModelFolder, *, cache: Path | None, form: Form) -> Self:
        """The folder's graph; raise ModelUnavailableError without OpenVINO, or where it fails."""
        openvino = _import()
        graph, chosen = find_graph(folder, cache=cache)
        settings = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": 1,
            "INFERENCE_PRECISION_HINT": "f32" if form == "fp32" else "bf16",
        }
        try:
            core = openvino.Core()
            compiled = core.compile_model(core.read_model(graph.content, b""), "CPU", settings)
            used = compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()
        # Its exceptions have no common base but Exception.
        except Exception as error:
            msg = f"Expected a graph that OpenVINO can run, got {_first_line(error)}."
            raise ModelUnavailableError(msg, hint="Set SPANPROOF_RUNTIME to auto.") from error
        if used != settings["INFERENCE_PRECISION_HINT"]:
            # Without the instructions it computes in another precision than its name would say.
            msg = f"Expected a CPU that computes in {form}, got {used}."
            raise ModelUnavailableError(msg, hint="Set SPANPROOF_RUNTIME to openvino.")
        runtime = f"openvino@{openvino.__version__}+{form}+cpu+{chosen}+graph-{graph.digest}"
        tolerance = CANONICAL_TOLERANCE if form == "fp32" else FAST_TOLERANCE
        return cls(compiled, runtime=runtime, tolerance=tolerance)

    def run(self, calls: Sequence[Call]) -> list[Logits]:
        """The logits of each call."""
        if len(calls) <= 1:
            return [self._run_one(call) for call in calls]
        return list(self._find_pool().map(self._run_one, calls))

    def close(self) -> None:
        """End the threads; a later call starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True)

    def _run_one(self, call: Call) -> Logits:
        given = {"input_ids": call.ids, "token_type_ids": call.types}
        inputs = {n: np.array([given[n]], dtype=np.int64) for n in self._names}
        try:
            request = getattr(self._requests, "request", None)
            if request is None:
                request = self._requests.request = self._compiled.create_infer_request()
            logits = next(iter(request.infer(inputs).values()))[0]
        # Its exceptions have no common base but Exception; MemoryError is one too.
        except Exception as error:
            msg = f"Expected logits for {len(call.ids)} tokens, got {_first_line(error)}."
            raise ModelUnavailableError(msg, hint="Free memory or use a smaller model.") from error
        if not np.isfinite(logits).all():
            msg = f"Expected finite logits, got {logits.tolist()!r}."
            raise ModelUnavailableError(msg, hint="Use weights that stay finite in float32.")
        return tuple(logits.tolist())

    def _find_pool(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(count_cores(), thread_name_prefix="openvino")
            return self._pool


def _import() -> Any:  # noqa: ANN401 - it ships no types that hold here
    try:
        import openvino
    except ImportError as error:
        msg = "Expected OpenVINO for this runtime, got no such package."
        hint = "Run: pip install 'spanproof[openvino]'"
        raise ModelUnavailableError(msg, hint=hint) from error
    return openvino


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
