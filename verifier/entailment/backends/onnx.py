"""ONNX Runtime in float32 on the CPU: the canonical run, whose logits decide.

One unpadded pair a call on one thread, so that a pair's bits depend on nothing but the graph, the
library and the instruction set. It is the fastest way too: nothing is padded, and one pair's
activations stay in a core's cache. Calls run beside each other, one a core; ONNX Runtime lets go
of Python's lock while it computes.
"""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Self

import numpy as np
import onnxruntime

from spanproof.core.budget import current_budget
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.backend import CANONICAL_TOLERANCE
from spanproof.verifier.entailment.models.graph_file import find_graph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from spanproof.verifier.entailment.backend import Call, Logits
    from spanproof.verifier.entailment.models.folder import ModelFolder
    from spanproof.verifier.entailment.models.graph_file import Exporter

#: Errors reach the caller as exceptions; nothing else is written to stderr.
_LOG_NOTHING = 4


class OnnxBackend:
    """A ``Backend`` on one session that all threads share."""

    def __init__(
        self,
        session: onnxruntime.InferenceSession,
        *,
        runtime: str,
        tolerance: float = CANONICAL_TOLERANCE,
        workers: int | None = None,
    ) -> None:
        """``workers`` is how many calls run at once; None: one a core that we may use."""
        self.runtime = runtime
        self.tolerance = tolerance
        self._session = session
        self._takes_types = any(one.name == "token_type_ids" for one in session.get_inputs())
        self._workers = workers or count_cores()
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    @classmethod
    def load(
        cls,
        folder: ModelFolder,
        *,
        export: Exporter,
        cache: Path | None = None,
        form: str | None = None,
        workers: int | None = None,
    ) -> Self:
        """The folder's graph; one that it does not bring along is exported once, into ``cache``.

        ``form`` is the family's own unless given. Raises ModelUnavailableError where there is no
        graph, or it does not fit the folder.
        """
        graph = find_graph(folder, cache=cache, export=export, form=form)
        library = f"onnxruntime@{onnxruntime.__version__}"
        runtime = f"{library}+fp32+cpu+{graph.form}+graph-{graph.digest}"
        backend = cls.open(graph.structure, tensors=graph.tensors, runtime=runtime, workers=workers)
        expected = len(folder.labels.meanings)
        if backend.outputs != expected:
            msg = f"Expected {expected} outputs, got {backend.outputs}."
            raise ModelUnavailableError(msg, hint="Fix label_map.json: one name for each output.")
        return backend

    @classmethod
    def open(
        cls,
        content: bytes,
        *,
        runtime: str,
        tensors: Mapping[str, NDArray[np.float32]] | None = None,
        tolerance: float = CANONICAL_TOLERANCE,
        workers: int | None = None,
    ) -> Self:
        """A graph in memory, with the arrays that it names and does not hold.

        Raises ModelUnavailableError where it cannot be run.
        """
        try:
            options = make_options()
            if tensors:
                # It copies them into its graph: they need not outlive this call.
                values = [onnxruntime.OrtValue.ortvalue_from_numpy(one) for one in tensors.values()]
                options.add_external_initializers(list(tensors), values)
            session = onnxruntime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"]
            )
        # Its exceptions have no common base but Exception.
        except Exception as error:
            msg = f"Expected a graph that ONNX Runtime can run, got {_first_line(error)}."
            raise ModelUnavailableError(msg, hint="Free memory, or remove the cache.") from error
        return cls(session, runtime=runtime, tolerance=tolerance, workers=workers)

    @property
    def outputs(self) -> int:
        """How many logits a call gives."""
        return int(self._session.get_outputs()[0].shape[-1])

    def run(self, calls: Sequence[Call]) -> list[Logits]:
        """The logits of each call."""
        if len(calls) <= 1 or self._workers <= 1:
            return [self._run_one(call) for call in calls]
        timed = list(self._find_pool().map(self._run_timed, calls))
        if (budget := current_budget()) is not None:
            budget.charge(sum(seconds for _, seconds in timed))
        return [logits for logits, _ in timed]

    def close(self) -> None:
        """End the threads; a later call starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True)

    def _run_timed(self, call: Call) -> tuple[Logits, float]:
        began = time.thread_time()
        return self._run_one(call), time.thread_time() - began

    def _run_one(self, call: Call) -> Logits:
        try:
            inputs = {"input_ids": np.array([call.ids], dtype=np.int64)}
            if self._takes_types:
                inputs["token_type_ids"] = np.array([call.types], dtype=np.int64)
            logits = self._session.run(None, inputs)[0][0]
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
                self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="entailment")
            return self._pool


def make_options() -> onnxruntime.SessionOptions:
    """The settings of the canonical run: another value may give other bits."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    # The level above it lays tensors out by what the CPU likes.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    # A pattern is kept for every length that was ever seen; the arena grows to the longest only.
    options.enable_mem_pattern = False
    options.enable_cpu_mem_arena = True
    options.log_severity_level = _LOG_NOTHING
    return options


def count_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
