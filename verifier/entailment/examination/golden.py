"""Plain English pairs of our own whose answers follow by rule: is this a model of entailment?

The canary is three pairs at every load; these are asked once, at registration. They tell an
untrained head, labels that bear each other's names, and a model of something else. They are no
measure of quality: a model that fits a task is found on labelled pairs of that task.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.errors import ModelLabelsError, ModelUnavailableError
from spanproof.verifier.entailment.calibration.calibration import Calibration
from spanproof.verifier.entailment.decide import decide
from spanproof.verifier.entailment.labels import LabelMap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.verdicts.model import Entailment
    from spanproof.verifier.entailment.logits import Reading

#: Least balanced accuracy of entailed against the rest: a coin reaches 0.5 (standard error 0.08).
FLOOR = 0.75
#: Another naming of the outputs that is better by this much is taken for the right one.
SWAP_MARGIN = 0.1
_FILE = "golden_pairs.json"
_LABELS = ("entailed", "neutral", "contradicted")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenPair:
    """One pair, its label by rule, and the rule."""

    premise: str
    claim: str
    label: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenScore:
    """How a model did: balanced accuracy of entailed against the rest, and right answers by group.

    ``mean_recall`` is the mean share of right answers over the labels that the head knows.
    """

    accuracy: float
    mean_recall: float
    groups: tuple[tuple[str, int, int], ...]

    def to_json(self) -> dict[str, Any]:
        """Its part of a registration's record."""
        return {
            "pairs": len(load_golden_pairs()),
            "pairs_sha256": golden_digest(),
            "entailed_against_rest": round(self.accuracy, 4),
            "mean_recall": round(self.mean_recall, 4),
            "floor": FLOOR,
            "groups": {name: {"right": right, "pairs": all_} for name, right, all_ in self.groups},
        }


@cache
def load_golden_pairs() -> tuple[GoldenPair, ...]:
    """The pairs, in their order."""
    text = (
        resources.files("spanproof.verifier.entailment.examination")
        .joinpath(_FILE)
        .read_text(encoding="utf-8")
    )
    return tuple(GoldenPair(**row) for row in json.loads(text)["pairs"])


def golden_digest() -> str:
    """SHA-256 of the pairs: another list may give another score."""
    rows = [[pair.premise, pair.claim, pair.label] for pair in load_golden_pairs()]
    return canonical_json.digest(rows).hex


def check_golden(readings: Sequence[Reading], labels: LabelMap) -> GoldenScore:
    """The score of these readings of the golden pairs.

    Raises ModelLabelsError where other names would fit the outputs clearly better, and
    ModelUnavailableError below the floor.
    """
    score = score_golden(readings, labels)
    others = {
        LabelMap(meanings=order): score_golden(readings, LabelMap(meanings=order)).mean_recall
        for order in itertools.permutations(labels.meanings)
        if order != labels.meanings
    }
    best = max(others, key=lambda order: others[order])
    if others[best] >= score.mean_recall + SWAP_MARGIN:
        msg = (
            f"Expected outputs that mean {', '.join(labels.meanings)} as they are named, got ones"
            f" that behave like {', '.join(best.meanings)} (mean recall on golden pairs"
            f" {others[best]:.2f} against {score.mean_recall:.2f})."
        )
        raise ModelLabelsError(msg, hint="Fix the order of id2label or of the label map.")
    if score.accuracy < FLOOR:
        msg = (
            f"Expected a balanced accuracy of {FLOOR} or more on the golden pairs, got"
            f" {score.accuracy:.2f}."
        )
        raise ModelUnavailableError(msg, hint="Use a model trained for entailment in English.")
    return score


def score_golden(readings: Sequence[Reading], labels: LabelMap) -> GoldenScore:
    """The labels of the readings without any calibration."""
    pairs = load_golden_pairs()
    right: Counter[str] = Counter()
    recalled: Counter[str] = Counter()
    rejected = 0
    for pair, reading in zip(pairs, readings, strict=True):
        entailment = decide(reading, (pair.premise, pair.claim), labels, Calibration())
        got = _choose(entailment)
        expected = pair.label
        if labels.is_two_way:
            got, expected = (_to_two_way(label) for label in (got, expected))
        right[pair.group] += got == expected
        recalled[expected] += got == expected
        rejected += pair.label != "entailed" and got != "entailed"
    known = Counter(_to_two_way(pair.label) if labels.is_two_way else pair.label for pair in pairs)
    sizes = Counter(pair.group for pair in pairs)
    return GoldenScore(
        accuracy=(
            recalled["entailed"] / known["entailed"] + rejected / (len(pairs) - known["entailed"])
        )
        / 2,
        mean_recall=sum(recalled[label] / known[label] for label in known) / len(known),
        groups=tuple((group, right[group], sizes[group]) for group in sizes),
    )


def _to_two_way(label: str) -> str:
    return "entailed" if label == "entailed" else "not_entailed"


def _choose(entailment: Entailment) -> str:
    # A pair that did not run is no answer, and counts as a wrong one.
    shares = (entailment.p_entailment, entailment.p_neutral, entailment.p_contradiction)
    ranked = [
        (share, label) for share, label in zip(shares, _LABELS, strict=True) if share is not None
    ]
    return max(ranked)[1] if ranked else "none"
