"""OpenVINO on the CPU: the canonical graph in float32, or in bfloat16 where the CPU knows it.

An optional extra: ``pip install 'spanproof[openvino]'``. One unpadded pair a call, on one thread
each, so that the company of a pair changes no bit here either. The calls go through its own queue,
filled by one thread at a time: requests of one model that several threads of Python fill at once
were seen to wait for each other for ever (2026.4).
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.backend import CANONICAL_TOLERANCE, FAST_TOLERANCE
from spanproof.verifier.entailment.backends.onnx import count_cores
from spanproof.verifier.entailment.models.graph_file import find_graph

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spanproof.verifier.entailment.backend import Call, Logits
    from spanproof.verifier.entailment.models.folder import ModelFolder
    from spanproof.verifier.entailment.models.graph_file import Exporter

Form = Literal["fp32", "bf16"]


class OpenVinoBackend:
    """A ``Backend`` on one compiled model and a queue of as many requests as it has streams."""

    def __init__(
        self, graph: bytes, *, settings: dict[str, Any], words: int, runtime: str, tolerance: float
    ) -> None:
        """``words`` is how many token ids the model knows."""
        self.runtime = runtime
        self.tolerance = tolerance
        self._graph = graph
        self._settings = settings
        self._words = words
        self._queue: Any = None
        self._names: tuple[str, ...] = ()
        self._lock = threading.Lock()

    @classmethod
    def load(cls, folder: ModelFolder, *, export: Exporter, cache: Path | None, form: Form) -> Self:
        """The folder's graph; raise ModelUnavailableError without OpenVINO, or where it fails."""
        openvino = _import()
        graph = find_graph(folder, cache=cache, export=export)
        backend = cls(
            graph.to_file(),
            settings={
                "NUM_STREAMS": count_cores(),
                "INFERENCE_NUM_THREADS": count_cores(),
                "INFERENCE_PRECISION_HINT": "f32" if form == "fp32" else "bf16",
            },
            words=_count_words(folder),
            runtime=f"openvino@{openvino.__version__}+{form}+cpu+{graph.form}+graph-{graph.digest}",
            tolerance=CANONICAL_TOLERANCE if form == "fp32" else FAST_TOLERANCE,
        )
        with backend._lock:
            backend._open()
        return backend

    def run(self, calls: Sequence[Call]) -> list[Logits]:
        """The logits of each call."""
        for call in calls:
            if max(call.ids) >= self._words:
                # OpenVINO reads another word's numbers, or none, in its place.
                msg = f"Expected token ids below {self._words}, got {max(call.ids)}."
                raise ModelUnavailableError(msg, hint="Use the model's own tokenizer.")
        outputs: list[Logits] = [()] * len(calls)
        with self._lock:
            if self._queue is None:
                self._open()
            try:
                self._fill(calls, outputs)
            # Its exceptions have no common base but Exception; MemoryError is one too.
            except Exception as error:
                # After a failure the compiled model fails on: the next run compiles it anew.
                self._queue = None
                longest = max(len(call.ids) for call in calls)
                msg = f"Expected logits for {longest} tokens, got {_first_line(error)}."
                hint = "Free memory or use a smaller model."
                raise ModelUnavailableError(msg, hint=hint) from error
        for logits in outputs:
            if not logits or not np.isfinite(logits).all():
                msg = f"Expected finite logits, got {logits!r}."
                raise ModelUnavailableError(msg, hint="Use weights that stay finite in float32.")
        return outputs

    def close(self) -> None:
        """Give the requests back; a later call makes new ones."""
        with self._lock:
            self._queue = None

    def _open(self) -> None:
        """Compile the graph, in the precision that was asked for, and make its queue."""
        openvino = _import()
        try:
            core = openvino.Core()
            compiled = core.compile_model(core.read_model(self._graph, b""), "CPU", self._settings)
            used = compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()
            queue = openvino.AsyncInferQueue(compiled, count_cores())
        # Its exceptions have no common base but Exception.
        except Exception as error:
            msg = f"Expected a graph that OpenVINO can run, got {_first_line(error)}."
            raise ModelUnavailableError(msg, hint="Set SPANPROOF_RUNTIME to auto.") from error
        wanted = self._settings["INFERENCE_PRECISION_HINT"]
        if used != wanted:
            # Without these instructions the CPU computes in another precision than the name says.
            msg = f"Expected a CPU that computes in {wanted}, got {used}."
            raise ModelUnavailableError(msg, hint="Set SPANPROOF_RUNTIME to openvino.")
        queue.set_callback(_take)
        self._names = tuple(one.get_any_name() for one in compiled.inputs)
        self._queue = queue

    def _fill(self, calls: Sequence[Call], outputs: list[Logits]) -> None:
        for place, call in enumerate(calls):
            given = {"input_ids": call.ids, "token_type_ids": call.types}
            inputs = {name: np.array([given[name]], dtype=np.int64) for name in self._names}
            self._queue.start_async(inputs, (outputs, place))
        self._queue.wait_all()


def _take(request: Any, target: tuple[list[Logits], int]) -> None:  # noqa: ANN401
    outputs, place = target
    outputs[place] = tuple(request.get_output_tensor(0).data[0].tolist())


def _count_words(folder: ModelFolder) -> int:
    config = json.loads((folder.path / "config.json").read_text(encoding="utf-8"))
    words = config.get("vocab_size")
    if not isinstance(words, int) or words < 1:
        msg = f"Expected a vocab_size in 'config.json', got {words!r}."
        raise ModelUnavailableError(msg, hint="Set SPANPROOF_RUNTIME to auto.")
    return words


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
