"""Raw window logits of a labelled file, read once by the real runtime and kept in an .npz file.

Temperature, aggregation and thresholds are then chosen in seconds from the file.
"""

from __future__ import annotations

import hashlib
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.span import Span
from training.pairs import LABEL_IDS, read_pairs
from verifier.entailment.decide import decide
from verifier.entailment.loading import load_model
from verifier.entailment.model_folder import check_folder
from verifier.entailment.reading import Reading

if TYPE_CHECKING:
    from pathlib import Path

    from training.pairs import Pair
    from verifier.entailment.calibration import Calibration
    from verifier.entailment.labels import LabelMap

_CHUNK = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DevReadings:
    """The pairs, one reading each, and what read them."""

    pairs: list[Pair]
    readings: list[Reading]
    labels: LabelMap
    runtime: str
    weights_sha256: str
    pairs_sha256: str

    @property
    def entailed(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether each pair is labelled entailment."""
        return np.array([pair.label == LABEL_IDS["entailment"] for pair in self.pairs])

    def probabilities(self, calibration: Calibration) -> np.ndarray[Any, np.dtype[np.float64]]:
        """(entailed, neutral, contradicted) a pair, as the runtime decides; not run counts as 0."""
        rows = [
            decide(reading, (pair.premise, pair.hypothesis), self.labels, calibration)
            for pair, reading in zip(self.pairs, self.readings, strict=True)
        ]
        return np.array(
            [
                (row.p_entailment or 0.0, row.p_neutral or 0.0, row.p_contradiction or 0.0)
                for row in rows
            ]
        )


def read_dev(model: Path, pairs: Path, cache: Path) -> DevReadings:
    """Use the cache where it is of these weights, runtime and pairs; else run the model."""
    folder = check_folder(model)
    rows = list(read_pairs(pairs, shippable_only=False))
    pairs_sha256 = hashlib.sha256(pairs.read_bytes()).hexdigest()
    loaded = load_model(model)
    key = f"{folder.weights_digest.hex} {loaded.identity.runtime} {pairs_sha256}"
    readings = _read_cache(cache, key)
    if readings is None:
        readings = []
        started = time.monotonic()
        for start in range(0, len(rows), _CHUNK):
            chunk = [(row.premise, row.hypothesis) for row in rows[start : start + _CHUNK]]
            readings += loaded.read_windows(chunk)
            seconds = time.monotonic() - started
            print(f"\r{len(readings)}/{len(rows)} pairs, {seconds:.0f} s", end="", file=sys.stderr)
        print(file=sys.stderr)
        _write_cache(cache, key, readings)
    return DevReadings(
        pairs=rows,
        readings=readings,
        labels=folder.labels,
        runtime=loaded.identity.runtime,
        weights_sha256=folder.weights_digest.hex,
        pairs_sha256=pairs_sha256,
    )


def _write_cache(cache: Path, key: str, readings: list[Reading]) -> None:
    width = max(len(row) for reading in readings for row in reading.logits)
    cache.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        cache,
        key=np.array(key),
        reasons=np.array([reading.reason or "" for reading in readings]),
        windows=np.array([len(reading.logits) for reading in readings]),
        logits=np.array([row for r in readings for row in r.logits]).reshape(-1, width),
        spans=np.array([(s.start, s.end) for r in readings for s in r.spans]).reshape(-1, 2),
        coverage=np.array([reading.coverage for reading in readings]),
    )


def _read_cache(cache: Path, key: str) -> list[Reading] | None:
    if not cache.is_file():
        return None
    with np.load(cache) as kept:
        if str(kept["key"]) != key:
            return None
        ends = np.cumsum(kept["windows"])
        logits, spans = kept["logits"].tolist(), kept["spans"].tolist()
        return [
            Reading(
                reason=str(reason) or None,
                logits=tuple(tuple(row) for row in logits[end - count : end]),
                spans=tuple(Span(first, last) for first, last in spans[end - count : end]),
                coverage=float(coverage),
            )
            for reason, count, end, coverage in zip(
                kept["reasons"], kept["windows"], ends, kept["coverage"], strict=True
            )
        ]
