"""Any local sequence-classification model on transformers and torch, one unpadded pair a call.

A pair's bits must not depend on its company. Padding and batching change the last bits of float32
sums, so every call holds exactly one window and one claim; on a CPU that is also the fastest way,
as nothing is padded and one sequence's activations stay in the cache. Each call runs on one torch
thread (``THREADS_PER_CALL``), and several calls run beside each other.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self

import tokenizers
import torch
import transformers
from safetensors import SafetensorError
from tokenizers import Tokenizer
from transformers.utils import logging as transformers_logging

from core.digest import Digest
from core.errors import ModelUnavailableError
from core.span import Span
from core.verdict import ModelIdentity
from verifier.entailment.decide import decide
from verifier.entailment.pair_encoding import PairLayout, Tokens
from verifier.entailment.reading import Reading, unread
from verifier.entailment.windows import plan_windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.ports import Entailment
    from verifier.entailment.model_folder import ModelFolder

THREADS_PER_CALL = 1
#: Tokens of premise in one window (near the longest premises of the training), and the share that
#: neighbours have in common. Other sizes have not been compared on dev yet.
WINDOW_TOKENS, OVERLAP_SHARE = 256, 4
#: No pair is read past this many positions, whatever the model allows: attention is quadratic.
MAX_POSITIONS = 512
#: A claim must leave this many tokens to its premise (or all it has): less shows no context.
LEAST_PREMISE_TOKENS = 64
#: Position embeddings of these families start after the padding id.
_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "roberta-prelayernorm"})

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


class TransformersEntailment:
    """An ``EntailmentModel``; get one from ``load_model``, which checks it before use."""

    def __init__(
        self,
        *,
        model: Any,  # noqa: ANN401 - transformers ships no types
        tokenizer: Tokenizer,
        folder: ModelFolder,
        device: str,
        window_tokens: int = WINDOW_TOKENS,
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._layout = PairLayout.of(tokenizer)
        self._labels = folder.labels
        self._temperature = folder.calibration.temperature
        self._device = device
        self._window_tokens = window_tokens
        self._room = _count_positions(model.config) - self._layout.special_tokens
        self._takes_types = "token_type_ids" in inspect.signature(model.forward).parameters
        self.identity = _identify(folder, tokenizer, device, window_tokens)

    @classmethod
    def load(
        cls, folder: ModelFolder, *, device: str = "auto", window_tokens: int = WINDOW_TOKENS
    ) -> Self:
        """Load the weights upcast to float32; raise ModelUnavailableError where that fails."""
        chosen = _choose_device(device)
        torch.set_num_threads(THREADS_PER_CALL)
        with _quiet():
            tokenizer = _load_tokenizer(folder)
            model = _load_weights(folder)
        return cls(
            model=model.eval().to(chosen),
            tokenizer=tokenizer,
            folder=folder,
            device=chosen,
            window_tokens=window_tokens,
        )

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """One entailment a pair, in order; a pair gives the same bits in any company."""
        return [decide(one, self._labels, self._temperature) for one in self.read_windows(pairs)]

    def read_windows(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """The raw logits of every window of each pair, before temperature and decision."""
        plans = [self._plan(premise, hypothesis) for premise, hypothesis in pairs]
        calls = [tokens for _, inputs in plans for tokens in inputs]
        outputs = iter(self._run(calls))
        readings: list[Reading] = []
        for reading, inputs in plans:
            logits = tuple(next(outputs) for _ in inputs)
            readings.append(
                Reading(
                    reason=reading.reason,
                    logits=logits,
                    spans=reading.spans,
                    coverage=reading.coverage,
                )
            )
        return readings

    def _plan(self, premise: str, hypothesis: str) -> tuple[Reading, list[Tokens]]:
        """The windows of one pair, not yet run."""
        source = self._tokenizer.encode(premise, add_special_tokens=False)
        claim = self._tokenizer.encode(hypothesis, add_special_tokens=False)
        if not source.ids:
            return unread("no_premise"), []
        if not claim.ids:
            return unread("no_claim"), []
        space = self._room - len(claim.ids)
        if space < min(LEAST_PREMISE_TOKENS, len(source.ids)):
            return unread("claim_too_long"), []
        size = min(self._window_tokens, space)
        windows = plan_windows(premise, source.offsets, size=size, overlap=size // OVERLAP_SHARE)
        spans = tuple(
            Span(source.offsets[start][0], source.offsets[end - 1][1]) for start, end in windows
        )
        held = {token for start, end in windows for token in range(start, end)}
        inputs = [self._layout.join(source.ids[start:end], claim.ids) for start, end in windows]
        coverage = len(held) / len(source.ids)
        return Reading(reason=None, logits=(), spans=spans, coverage=coverage), inputs

    def _run(self, calls: Sequence[Tokens]) -> list[tuple[float, ...]]:
        workers = min(len(calls), _count_workers(self._device))
        if workers <= 1:
            return [self._call(tokens) for tokens in calls]
        with ThreadPoolExecutor(
            workers, initializer=torch.set_num_threads, initargs=(THREADS_PER_CALL,)
        ) as pool:
            return list(pool.map(self._call, calls))

    def _call(self, tokens: Tokens) -> tuple[float, ...]:
        ids, types = tokens
        inputs = {"input_ids": torch.tensor([ids], device=self._device)}
        if self._takes_types:
            inputs["token_type_ids"] = torch.tensor([types], device=self._device)
        try:
            with torch.inference_mode():
                logits = self._model(**inputs).logits[0].float()
        except (RuntimeError, MemoryError) as error:
            msg = f"Expected logits for {len(ids)} tokens, got {type(error).__name__}."
            raise ModelUnavailableError(msg, hint="Free memory or use a smaller model.") from error
        if not bool(torch.isfinite(logits).all()):
            msg = f"Expected finite logits, got {logits.tolist()!r}."
            raise ModelUnavailableError(msg, hint="Use weights that stay finite in float32.")
        return tuple(logits.tolist())


def _choose_device(device: str) -> str:
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


def _load_tokenizer(folder: ModelFolder) -> Tokenizer:
    path = folder.path / "tokenizer.json"
    try:
        if path.is_file():
            tokenizer = Tokenizer.from_file(str(path))
        else:
            slow = transformers.AutoTokenizer.from_pretrained(
                folder.path, local_files_only=True, trust_remote_code=False
            )
            tokenizer = Tokenizer.from_str(slow.backend_tokenizer.to_str())
    # tokenizers raises bare Exception for a file that it cannot read.
    except Exception as error:
        msg = f"Expected a tokenizer in {folder.path.name!r}, got {error!s}."
        raise ModelUnavailableError(msg, hint="Add the model's tokenizer.json.") from error
    # Whole texts in, nothing padded: windows and the claim's length are decided here.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _load_weights(folder: ModelFolder) -> Any:  # noqa: ANN401 - transformers ships no types
    try:
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


def _count_positions(config: Any) -> int:  # noqa: ANN401 - transformers ships no types
    positions = int(getattr(config, "max_position_embeddings", 0) or MAX_POSITIONS)
    if config.model_type in _OFFSET_POSITIONS:
        positions -= int(config.pad_token_id) + 1
    return min(MAX_POSITIONS, positions)


def _identify(
    folder: ModelFolder, tokenizer: Tokenizer, device: str, window_tokens: int
) -> ModelIdentity:
    path = folder.path / "tokenizer.json"
    content = path.read_bytes() if path.is_file() else tokenizer.to_str().encode()
    digest = Digest(hashlib.sha256(content).hexdigest())
    runtime = (
        f"transformers@{transformers.__version__}+torch@{torch.__version__}"
        f"+tokenizers@{tokenizers.__version__}+fp32+{device}"
        f"+windows-{window_tokens}-{window_tokens // OVERLAP_SHARE}"
        f"+tokenizer-{digest}+config-{folder.config_digest}"
    )
    return ModelIdentity(
        name=folder.name,
        weights_digest=folder.weights_digest,
        runtime=runtime,
        calibration=str(folder.calibration),
        threshold=folder.calibration.threshold,
        labels=folder.labels.meanings,
    )


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
