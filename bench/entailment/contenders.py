"""Who is timed: our runtimes and the transformers pipeline, each from texts to raw logits.

All run on one core and one thread; each does its own tokenising. The pipeline is used as its
documentation shows it, on torch in float32, and asked for logits, which spares it a softmax.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
import transformers

from bench.entailment.samples import wide_planner
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.model import LocalEntailment
from spanproof.verifier.entailment.models.tokenizer import load_tokenizer
from spanproof.verifier.entailment.runtimes import RUNTIMES, open_backend

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bench.entailment.samples import Pair
    from spanproof.verifier.entailment.models.folder import ModelFolder

Logits = list[tuple[float, ...]]
#: Which of our runtimes are timed where they are installed; the first is the canonical one.
TIMED_RUNTIMES = ("onnx", "onnx-int8", "openvino", "openvino-bf16")
_FLOAT32 = frozenset({"onnx", "openvino"})
BATCH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """Judges pairs; the logits are in the order of the model's own outputs.

    Only what computes in float32 is set against the floor, which is one of float32.
    """

    name: str
    what: str
    is_float32: bool
    run: Callable[[Sequence[Pair]], Logits]


def open_spanproof(folder: ModelFolder, runtime: str, cache: Path) -> tuple[LocalEntailment, str]:
    """The model by one runtime, every premise in one window, and the runtime's own name."""
    tokenizer, digest = load_tokenizer(folder)
    backend, _ = open_backend(folder, runtime=runtime, device="cpu", url=None, cache=cache)
    planner = wide_planner(tokenizer, positions=folder.positions)
    model = LocalEntailment(
        folder=folder, planner=planner, tokenizer_digest=digest, backend=backend
    )
    return model, backend.runtime


def list_spanproof(folder: ModelFolder, cache: Path) -> tuple[list[Contender], dict[str, str]]:
    """Our runtimes that can be run here, and why each of the others was not."""
    contenders, absent = [], {}
    for runtime in TIMED_RUNTIMES:
        if runtime not in RUNTIMES:
            absent[runtime] = "no such runtime"
            continue
        try:
            model, what = open_spanproof(folder, runtime, cache)
        except ModelUnavailableError as error:
            absent[runtime] = str(error)
            continue
        contenders.append(
            Contender(
                name=f"ours, {runtime}",
                what=what,
                is_float32=runtime in _FLOAT32,
                run=_reader(model),
            )
        )
    return contenders, absent


def list_pipelines(folder: ModelFolder) -> list[Contender]:
    """The pipeline in unsorted batches of 32, and pair by pair."""
    torch.set_num_threads(1)
    pipeline = transformers.pipeline(
        "text-classification",
        model=transformers.AutoModelForSequenceClassification.from_pretrained(
            folder.path, local_files_only=True, dtype=torch.float32
        ),
        tokenizer=transformers.AutoTokenizer.from_pretrained(folder.path, local_files_only=True),
        device="cpu",
    )
    version = f"transformers {transformers.__version__}, torch {torch.__version__}, fp32, 1 thread"
    return [
        Contender(
            name=f"pipeline, batch {size}",
            what=f"text-classification, batch_size={size}, unsorted; {version}",
            is_float32=True,
            run=_piper(pipeline, size),
        )
        for size in (BATCH, 1)
    ]


def _reader(model: LocalEntailment) -> Callable[[Sequence[Pair]], Logits]:
    def run(pairs: Sequence[Pair]) -> Logits:
        return [reading.logits[0] for reading in model.read_windows(pairs)]

    return run


def _piper(pipeline: Any, size: int) -> Callable[[Sequence[Pair]], Logits]:  # noqa: ANN401 - transformers ships no types
    names = [pipeline.model.config.id2label[place] for place in range(len(_labels(pipeline)))]

    def run(pairs: Sequence[Pair]) -> Logits:
        inputs = [{"text": premise, "text_pair": claim} for premise, claim in pairs]
        rows = pipeline(
            inputs, batch_size=size, top_k=None, truncation=True, function_to_apply="none"
        )
        found = [{item["label"]: item["score"] for item in row} for row in rows]
        return [tuple(row[name] for name in names) for row in found]

    return run


def _labels(pipeline: Any) -> dict[int, str]:  # noqa: ANN401 - transformers ships no types
    labels: dict[int, str] = pipeline.model.config.id2label
    return labels
