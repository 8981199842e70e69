"""transformers on torch: the reference, the exporter's source, and the way to a GPU.

Every call holds exactly one window and one claim, so that a pair's bits do not depend on its
company. Each call runs on one torch thread, and several calls run beside each other.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self

import torch
import transformers
from safetensors import SafetensorError
from transformers.utils import logging as transformers_logging

from core.errors import ModelUnavailableError
from verifier.entailment.backends.protocol import CANONICAL_TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.entailment.backends.protocol import Call, Logits
    from verifier.entailment.model_folder import ModelFolder

THREADS_PER_CALL = 1

#: What transformers is known to raise for a folder that it cannot load.
_LOAD_ERRORS = (
    OSError,
    ValueError,
    KeyError,
    RuntimeError,
    ImportError,
    TypeError,
    AttributeError,
    SafetensorError,
)


class TorchBackend:
    """A ``Backend`` on torch in float32."""

    tolerance = CANONICAL_TOLERANCE

    def __init__(self, *, model: Any, device: str) -> None:  # noqa: ANN401 - no types there
        self._model = model
        self._device = device
        self._takes_types = "token_type_ids" in inspect.signature(model.forward).parameters
        self.runtime = (
            f"transformers@{transformers.__version__}+torch@{torch.__version__}+fp32+{device}"
        )

    @classmethod
    def load(cls, folder: ModelFolder, *, device: str = "auto") -> Self:
        """Load the weights upcast to float32; raise ModelUnavailableError where that fails."""
        chosen = choose_device(device)
        torch.set_num_threads(THREADS_PER_CALL)
        return cls(model=load_weights(folder).eval().to(chosen), device=chosen)

    def run(self, calls: Sequence[Call]) -> list[Logits]:
        """The logits of each call."""
        workers = min(len(calls), _count_workers(self._device))
        if workers <= 1:
            return [self._run_one(call) for call in calls]
        with ThreadPoolExecutor(
            workers, initializer=torch.set_num_threads, initargs=(THREADS_PER_CALL,)
        ) as pool:
            return list(pool.map(self._run_one, calls))

    def _run_one(self, call: Call) -> Logits:
        inputs = {"input_ids": torch.tensor([call.ids], device=self._device)}
        if self._takes_types:
            inputs["token_type_ids"] = torch.tensor([call.types], device=self._device)
        try:
            with torch.inference_mode():
                logits = self._model(**inputs).logits[0].float()
        except (RuntimeError, MemoryError) as error:
            msg = f"Expected logits for {len(call.ids)} tokens, got {type(error).__name__}."
            raise ModelUnavailableError(msg, hint="Free memory or use a smaller model.") from error
        if not bool(torch.isfinite(logits).all()):
            msg = f"Expected finite logits, got {logits.tolist()!r}."
            raise ModelUnavailableError(msg, hint="Use weights that stay finite in float32.")
        return tuple(logits.tolist())

    def close(self) -> None:
        """Nothing is held but memory."""


def choose_device(device: str) -> str:
    """``cpu`` or ``cuda``; raise ModelUnavailableError for one that is not here."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" or (device == "cuda" and torch.cuda.is_available()):
        return device
    msg = f"Expected device 'auto', 'cpu' or an available 'cuda', got {device!r}."
    raise ModelUnavailableError(msg, hint="Set SPANPROOF_DEVICE to auto.")


def _count_workers(device: str) -> int:
    if device != "cpu":
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load_weights(folder: ModelFolder) -> Any:  # noqa: ANN401 - transformers ships no types
    """The folder's model in float32; raise ModelUnavailableError where it is not whole."""
    try:
        with _quiet():
            model, report = transformers.AutoModelForSequenceClassification.from_pretrained(
                folder.path,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
            )
    except _LOAD_ERRORS as error:
        msg = f"Expected a sequence-classification model in {folder.path.name!r}, got {error!s}."
        raise ModelUnavailableError(msg, hint="Check config.json and the weights.") from error
    absent = sorted(str(key) for key in report["missing_keys"])
    if absent:
        # transformers would fill them with random numbers, and the head would guess.
        msg = f"Expected weights for the whole model, got none for {absent[:4]!r}."
        raise ModelUnavailableError(msg, hint="Use a model with its classification head.")
    if model.config.num_labels != len(folder.labels.meanings):
        msg = f"Expected {len(folder.labels.meanings)} outputs, got {model.config.num_labels}."
        raise ModelUnavailableError(msg, hint="Mend label_map.json: one name for each output.")
    return model


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars or load reports of the library: what is wrong is raised."""
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        transformers_logging.enable_progress_bar()
