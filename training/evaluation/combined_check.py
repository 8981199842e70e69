"""The whole check on labelled pairs: model, terms, thresholds, slot rules, by the runtime's code.

The policies are judged by ``spanproof.verifier.support.judge.SupportJudge`` itself; the model in
front of it hands out readings that were kept, so that nothing is computed twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.verdicts.status import SupportStatus
from spanproof.verifier.entailment.decide import decide
from spanproof.verifier.policies import NAMES, load_policy
from spanproof.verifier.slots import compare_slots
from spanproof.verifier.support.judge import SupportJudge
from spanproof.verifier.support.readable import Readable
from training.pairs import LABEL_IDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.verdicts.model import Entailment, ModelIdentity
    from training.evaluation.cached_readings import CachedReadings
    from training.evaluation.dev_readings import DevReadings
    from training.evaluation.metrics import Array
    from training.pairs import Pair

#: What a status is to the reader of an answer: shown as supported, sent to a person, or not shown.
_KINDS = {SupportStatus.ENTAILED: "entailed", SupportStatus.BORDERLINE: "review"}


def find_vetoed(pairs: Sequence[Pair]) -> Array:
    """Whether the slot rules object to each claim, as ``spanproof entail`` asks them."""
    return np.array(
        [bool(compare_slots(p.hypothesis, p.premise, premise_start=0)) for p in pairs], dtype=bool
    )


class CachedModel:
    """An ``EntailmentModel`` that returns cached readings and computes those that are missing."""

    def __init__(self, kept: CachedReadings, readings: DevReadings) -> None:
        self._kept = kept
        # The judge takes typesetting out of a premise first, which changes no token here.
        self._known = {
            (Readable.of(pair.premise).text, pair.hypothesis): reading
            for pair, reading in zip(readings.pairs, readings.readings, strict=True)
        }

    @property
    def identity(self) -> ModelIdentity:
        """That of the model that read them."""
        return self._kept.model.identity

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """One entailment a pair, with the folder's own calibration."""
        missing = [pair for pair in pairs if pair not in self._known]
        if missing:
            self._known.update(zip(missing, self._kept.read(missing), strict=True))
        folder = self._kept.folder
        return [
            decide(self._known[pair], pair, folder.labels, folder.calibration) for pair in pairs
        ]

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Cached readings are of the canonical run already."""
        return self.judge(pairs)

    def close(self) -> None:
        """It has no resources to release."""


def measure_policies(
    kept: CachedReadings, readings: DevReadings, rows: Array
) -> dict[str, dict[str, Any]]:
    """By shipped policy: what the rows of a mask come to, supported and unsupported claims apart.

    ``wrong`` is the share of unsupported claims among those reported ENTAILED.
    """
    model = CachedModel(kept, readings)
    chosen = [pair for pair, wanted in zip(readings.pairs, rows, strict=True) if wanted]
    entailed = np.array([pair.label == LABEL_IDS["entailment"] for pair in chosen])
    contradicted = np.array([pair.label == LABEL_IDS["contradiction"] for pair in chosen])
    figures = {}
    for name in NAMES:
        judge = SupportJudge(model, load_policy(name))
        statuses = [judge.judge(p.premise, p.hypothesis, premise_start=0).status for p in chosen]
        kinds = np.array([_KINDS.get(status, "refused") for status in statuses])
        called = kinds == "entailed"
        figures[name] = {
            "rows": len(chosen),
            "supported": _share_kinds(kinds[entailed]),
            "unsupported": _share_kinds(kinds[~entailed]),
            "contradictions_entailed": _mean(called[contradicted]),
            "wrong": _mean(~entailed[called]),
            "reported_entailed": int(called.sum()),
        }
    return figures


def _share_kinds(kinds: Array) -> dict[str, float | None]:
    return {kind: _mean(kinds == kind) for kind in ("entailed", "review", "refused")}


def _mean(values: Array) -> float | None:
    return float(values.mean()) if len(values) else None
