"""What a fit sees of labelled pairs: the raw logits of every window, its terms, and the vetoes.

Reading pairs takes minutes; everything that is chosen afterwards is chosen from this, in seconds,
by the same functions that decide at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.verdicts.groups import group_of
from spanproof.verifier.entailment.calibration.calibration import margin_of
from spanproof.verifier.entailment.calibration.terms import TERMS
from spanproof.verifier.entailment.decide import choose_window
from spanproof.verifier.entailment.fitting.labelled import Label
from spanproof.verifier.scope.doubts import doubt_scope
from spanproof.verifier.slots import compare_slots, doubt_slots
from spanproof.verifier.slots.agreement import find_agreement
from spanproof.verifier.slots.coverage import measure_coverage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.verdicts.policy import Policy, ReviewLevel
    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from spanproof.verifier.entailment.fitting.labelled import LabelledPair
    from spanproof.verifier.entailment.labels import LabelMap
    from spanproof.verifier.entailment.logits import Reading

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decided:
    """One row a pair under one calibration: probabilities and the deciding window's evidence.

    ``probabilities`` are (entailed, neutral, contradicted); 0 where a pair did not run.
    """

    probabilities: Array
    margins: Array
    terms: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """Labelled pairs as the model read them; arrays have one row a pair, in the pairs' order.

    ``ran`` is False where a pair was not judged whole, ``vetoed`` True where the slot layer
    forbids ENTAILED against any model, ``likely`` and ``possible`` where its doubts of that level
    do. ``groups`` are those in which a model is certified; ``agreed`` is True where the premise's
    own words say the claim.
    """

    names: tuple[str, ...]
    label_map: LabelMap
    logits: tuple[tuple[tuple[float, ...], ...], ...]
    terms: tuple[Array, ...]
    labels: Array
    sources: Array
    docs: Array
    ran: Array
    vetoed: Array
    likely: Array
    possible: Array
    groups: Array
    agreed: Array

    @classmethod
    def of(
        cls,
        pairs: Sequence[LabelledPair],
        readings: Sequence[Reading],
        label_map: LabelMap,
        *,
        names: Sequence[str] = tuple(TERMS),
    ) -> Evidence:
        """Measure the named terms on every window and ask the slot layer of every pair."""
        read = list(zip(pairs, readings, strict=True))
        return cls(
            names=tuple(names),
            label_map=label_map,
            logits=tuple(reading.logits for reading in readings),
            terms=tuple(_measure(pair, reading, names) for pair, reading in read),
            labels=np.array([int(pair.label) for pair in pairs]),
            sources=np.array([pair.source for pair in pairs]),
            docs=np.array([pair.doc for pair in pairs]),
            ran=np.array([r.reason is None and r.coverage >= 1.0 for r in readings], dtype=bool),
            vetoed=np.array([_is_vetoed(pair) for pair in pairs], dtype=bool),
            likely=np.array([_is_doubted(pair, "likely") for pair in pairs], dtype=bool),
            possible=np.array([_is_doubted(pair, "possible") for pair in pairs], dtype=bool),
            groups=np.array([_group_of(pair) for pair in pairs]),
            agreed=np.array([_is_agreed(pair) for pair in pairs], dtype=bool),
        )

    @property
    def entailed(self) -> Array:
        """Whether each pair is labelled entailment."""
        return np.asarray(self.labels == Label.ENTAILMENT)

    @property
    def contradicted(self) -> Array:
        """Whether each pair is labelled contradiction."""
        return np.asarray(self.labels == Label.CONTRADICTION)

    def decide(self, calibration: Calibration) -> Decided:
        """What the runtime would decide of each pair under this calibration."""
        given = dict(calibration.weights)
        weights = np.array([given.get(name, 0.0) for name in self.names])
        probabilities = np.zeros((len(self.logits), 3))
        margins = np.zeros(len(self.logits))
        terms = np.zeros((len(self.logits), len(self.names)))
        for row in np.flatnonzero(self.ran):
            penalties = self.terms[row] @ weights
            windows = [
                calibration.probabilities(logits, self.label_map, float(penalty))
                for logits, penalty in zip(self.logits[row], penalties, strict=True)
            ]
            chosen = choose_window(windows)
            probabilities[row] = windows[chosen]
            margins[row] = margin_of(self.logits[row][chosen], self.label_map)
            terms[row] = self.terms[row][chosen]
        return Decided(probabilities=probabilities, margins=margins, terms=terms)

    def reported(self, decided: Decided, policy: Policy | None = None) -> Array:
        """p_entailment where ENTAILED could be reported, 0 where a veto or a gap forbids it.

        With a policy, 0 too where it says CONTRADICTED or asks for a review of a slot.
        """
        allowed = self.ran & ~self.vetoed
        entailed, contradicted = decided.probabilities[:, 0], decided.probabilities[:, 2]
        if policy is not None:
            allowed &= ~(self.likely if policy.doubts == "likely" else self.possible)
            certain = contradicted >= policy.contradiction_threshold
            allowed &= ~(certain & (contradicted > entailed))
        return np.where(allowed, entailed, 0.0)


def _is_vetoed(pair: LabelledPair) -> bool:
    return bool(compare_slots(pair.hypothesis, pair.premise, premise_start=0))


def _is_doubted(pair: LabelledPair, level: ReviewLevel) -> bool:
    doubts = doubt_slots(pair.hypothesis, pair.premise, premise_start=0, level=level)
    return bool(doubts) or bool(doubt_scope(pair.hypothesis, pair.premise, level=level))


def _is_agreed(pair: LabelledPair) -> bool:
    return find_agreement(pair.hypothesis, pair.premise) is not None


def _group_of(pair: LabelledPair) -> str:
    return group_of(measure_coverage(pair.hypothesis, pair.premise).ordered)


def _measure(pair: LabelledPair, reading: Reading, names: Sequence[str]) -> Array:
    return np.array(
        [
            [TERMS[name](pair.premise[span.start : span.end], pair.hypothesis) for name in names]
            for span in reading.spans
        ]
    ).reshape(len(reading.spans), len(names))
