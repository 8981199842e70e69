"""transformers on torch: the reference, the exporter's source, and the way to a GPU.

In float32 every call runs by itself on one torch thread, several beside each other, so that a
pair's bits do not depend on its company. In bfloat16, the precision of a GPU, calls of like length
run in one batch: there they do, which is what the tolerance and the guard band are for.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, Self

import torch
import transformers
from safetensors import SafetensorError
from transformers.utils import logging as transformers_logging

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.backend import CANONICAL_TOLERANCE, FAST_TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.verifier.entailment.backend import Call, Logits
    from spanproof.verifier.entailment.models.folder import ModelFolder


def plan_batches(calls: Sequence[Call], *, budget: int) -> list[list[int]]:
    """Places in ``calls``, each in one batch; a batch of several holds at most ``budget`` tokens.

    Padding is counted: a batch costs its longest call times its number of calls. The longest come
    first, so that memory that is too small shows at once.
    """
    batches: list[list[int]] = []
    for place in sorted(range(len(calls)), key=lambda index: -len(calls[index].ids)):
        longest = len(calls[batches[-1][0]].ids) if batches else 0
        if batches and longest * (len(batches[-1]) + 1) <= budget:
            batches[-1].append(place)
        else:
            batches.append([place])
    return batches


THREADS_PER_CALL = 1
#: Tokens of one batch, padding included: keeps a GPU at work, and attention within 1 GB.
BATCH_TOKENS = 16_384

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


Precision = Literal["fp32", "bf16"]


class TorchBackend:
    """A ``Backend`` on torch: float32 one call at a time, or bfloat16 in batches."""

    def __init__(
        self,
        *,
        model: Any,  # noqa: ANN401 - transformers ships no types
        device: str,
        precision: Precision = "fp32",
    ) -> None:
        self._model = model
        self._device = device
        self._is_batched = precision == "bf16"
        self._takes_types = "token_type_ids" in inspect.signature(model.forward).parameters
        self._padding = int(getattr(model.config, "pad_token_id", None) or 0)
        self.tolerance = FAST_TOLERANCE if self._is_batched else CANONICAL_TOLERANCE
        libraries = f"transformers@{transformers.__version__}+torch@{torch.__version__}"
        self.runtime = f"{libraries}+{precision}+{device}"

    @classmethod
    def load(
        cls, folder: ModelFolder, *, device: str = "auto", precision: Precision | None = None
    ) -> Self:
        """Load the weights; ``precision`` None is bfloat16 on a GPU and float32 on a CPU.

        Raises ModelUnavailableError where the weights cannot be loaded or the device is not here.
        """
        chosen = choose_device(device)
        chosen_precision = precision or ("bf16" if chosen == "cuda" else "fp32")
        torch.set_num_threads(THREADS_PER_CALL)
        model = load_weights(folder).eval()
        if chosen_precision == "bf16":
            model = model.to(dtype=torch.bfloat16)
        try:
            model = model.to(chosen)
        except RuntimeError as error:
            msg = f"Expected room for the weights on {chosen!r}, got {type(error).__name__}."
            raise ModelUnavailableError(msg, hint="Free the GPU's memory.") from error
        return cls(model=model, device=chosen, precision=chosen_precision)

    def run(self, calls: Sequence[Call]) -> list[Logits]:
        """The logits of each call."""
        if self._is_batched:
            return self._run_batches(calls)
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
        (logits,) = self._compute(inputs)
        return logits

    def _run_batches(self, calls: Sequence[Call]) -> list[Logits]:
        outputs: dict[int, Logits] = {}
        for places in plan_batches(calls, budget=BATCH_TOKENS):
            rows = self._run_batch([calls[place] for place in places])
            outputs.update(zip(places, rows, strict=True))
        return [outputs[place] for place in range(len(calls))]

    def _run_batch(self, calls: Sequence[Call]) -> list[Logits]:
        longest = max(len(call.ids) for call in calls)
        ids = torch.full((len(calls), longest), self._padding)
        types, mask = torch.zeros_like(ids), torch.zeros_like(ids)
        for row, call in enumerate(calls):
            ids[row, : len(call.ids)] = torch.tensor(call.ids)
            types[row, : len(call.ids)] = torch.tensor(call.types)
            mask[row, : len(call.ids)] = 1
        inputs = {"input_ids": ids.to(self._device), "attention_mask": mask.to(self._device)}
        if self._takes_types:
            inputs["token_type_ids"] = types.to(self._device)
        return self._compute(inputs)

    def _compute(self, inputs: dict[str, torch.Tensor]) -> list[Logits]:
        """The finite logits of each row."""
        try:
            with torch.inference_mode():
                logits = self._model(**inputs).logits.float().cpu()
        # IndexError: a tokenizer with more words than the model has.
        except (RuntimeError, IndexError, MemoryError) as error:
            rows, tokens = inputs["input_ids"].shape
            msg = f"Expected logits for {rows}x{tokens} tokens, got {type(error).__name__}."
            raise ModelUnavailableError(msg, hint="Free memory or use a smaller model.") from error
        if not bool(torch.isfinite(logits).all()):
            msg = f"Expected finite logits, got {logits.tolist()!r}."
            raise ModelUnavailableError(msg, hint="Use weights that stay finite in float32.")
        return [tuple(row) for row in logits.tolist()]

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
        raise ModelUnavailableError(msg, hint="Fix label_map.json: one name for each output.")
    return model


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence the library's progress bars and load reports; errors are still raised."""
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        transformers_logging.enable_progress_bar()
