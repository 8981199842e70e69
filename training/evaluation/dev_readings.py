"""The readings of a labelled file by the real runtime, and what a calibration makes of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.verifier.entailment.decide import decide
from training.evaluation.cached_readings import CachedReadings
from training.evaluation.metrics import Scored
from training.pairs import LABEL_IDS, read_pairs, thin_out

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spanproof.core.verdicts.model import Entailment
    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from spanproof.verifier.entailment.labels import LabelMap
    from spanproof.verifier.entailment.logits import Reading
    from training.evaluation.metrics import Array
    from training.pairs import Pair


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

    def decide(self, calibration: Calibration) -> list[Entailment]:
        """What the runtime makes of each reading."""
        return [
            decide(reading, (pair.premise, pair.hypothesis), self.labels, calibration)
            for pair, reading in zip(self.pairs, self.readings, strict=True)
        ]

    def probabilities(self, calibration: Calibration) -> np.ndarray[Any, np.dtype[np.float64]]:
        """(entailed, neutral, contradicted) a pair, as the runtime decides; not run counts as 0."""
        return np.array(
            [
                (row.p_entailment or 0.0, row.p_neutral or 0.0, row.p_contradiction or 0.0)
                for row in self.decide(calibration)
            ]
        )


def read_dev(model: Path, pairs: Path, cache: Path, *, per_class: int | None = None) -> DevReadings:
    """Read the pairs of a file; what ``cache`` keeps of these weights and runtime is used.

    ``per_class`` bounds the rows of each class and source (``thin_out``); None: every pair.
    """
    rows = thin_out(read_pairs(pairs, shippable_only=False), per_class)
    pairs_sha256 = hashlib.sha256(pairs.read_bytes()).hexdigest()
    return read_rows(CachedReadings(model, cache), rows, pairs_sha256=pairs_sha256)


def read_rows(kept: CachedReadings, rows: Sequence[Pair], *, pairs_sha256: str) -> DevReadings:
    """Read labelled pairs of any origin; ``pairs_sha256`` identifies them."""
    return DevReadings(
        pairs=list(rows),
        readings=kept.read([(row.premise, row.hypothesis) for row in rows]),
        labels=kept.folder.labels,
        runtime=kept.runtime,
        weights_sha256=kept.folder.weights_digest.hex,
        pairs_sha256=pairs_sha256,
    )


def to_scored(readings: DevReadings, scores: Array) -> Scored:
    """Scores with the labels, sources and documents of the pairs."""
    sources = [pair.source for pair in readings.pairs]
    docs = [pair.doc for pair in readings.pairs]
    return Scored.of(scores, readings.entailed, sources, docs)
