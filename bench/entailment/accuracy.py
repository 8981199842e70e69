"""What a faster tier costs in judgement: the same labelled rows by both, as they are shipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bench.entailment.contenders import TIMED_RUNTIMES
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.loading import load_model
from spanproof.verifier.entailment.runtimes import RUNTIMES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.entailment.samples import Labelled
    from spanproof.verifier.entailment.logits import Reading

Array = np.ndarray[Any, np.dtype[Any]]
_DRAWS = 2_000


def measure_accuracy(folder: Path, rows: Sequence[Labelled], cache: Path) -> dict[str, Any]:
    """Balanced accuracy at the shipped threshold by runtime, and how far each is from fp32."""
    pairs = [row.pair for row in rows]
    entailed = np.array([row.entailed for row in rows])
    figures: dict[str, Any] = {}
    first: tuple[Array, list[Reading]] | None = None
    for runtime in TIMED_RUNTIMES:
        if runtime not in RUNTIMES:
            continue
        try:
            model = load_model(folder, runtime=runtime, device="cpu", cache=cache)
        except ModelUnavailableError:
            continue
        threshold = model.identity.default_threshold
        readings = model.read_windows(pairs)
        judged = model.decide(pairs, readings)
        called = np.array([(one.p_entailment or 0.0) >= threshold for one in judged])
        first = first or (called, readings)
        figures[runtime] = {
            "rows": len(rows),
            "balanced_accuracy": balanced_accuracy(entailed, called),
            "agreement": float((called == first[0]).mean()),
            "greatest_logit_difference": _greatest_difference(readings, first[1]),
            "change_interval": _interval_of_change(entailed, called, first[0]),
        }
        model.close()
    return figures


def balanced_accuracy(entailed: Array, called: Array) -> float:
    """Mean of both classes' recall."""
    return float((called[entailed].mean() + (~called[~entailed]).mean()) / 2)


def _interval_of_change(entailed: Array, called: Array, before: Array) -> tuple[float, float]:
    """95 % interval of the change against fp32, rows drawn anew and the same for both."""
    rng = np.random.default_rng(7)
    yes, no = np.flatnonzero(entailed), np.flatnonzero(~entailed)
    gain = called.astype(float) - before.astype(float)
    drawn = [
        gain[rng.choice(yes, (_DRAWS, len(yes)))].mean(axis=1),
        -gain[rng.choice(no, (_DRAWS, len(no)))].mean(axis=1),
    ]
    low, high = np.percentile((drawn[0] + drawn[1]) / 2, [2.5, 97.5])
    return float(low), float(high)


def _greatest_difference(ours: Sequence[Reading], theirs: Sequence[Reading]) -> float:
    return max(
        (
            abs(a - b)
            for mine, yours in zip(ours, theirs, strict=True)
            for row, other in zip(mine.logits, yours.logits, strict=True)
            for a, b in zip(row, other, strict=True)
        ),
        default=0.0,
    )
