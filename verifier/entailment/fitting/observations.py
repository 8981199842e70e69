"""What a fit sees of labelled pairs: the raw logits of every window, its terms, and the vetoes.

Reading pairs takes minutes; everything that is chosen afterwards is chosen from this, in seconds,
by the same functions that decide at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.verifier.entailment.calibration.calibration import margin_of
from spanproof.verifier.entailment.calibration.terms import TERMS
from spanproof.verifier.entailment.decide import choose_window
from spanproof.verifier.entailment.fitting.labelled import Label
from spanproof.verifier.scope.doubts import doubt_scope
from spanproof.verifier.slots import compare_slots, doubt_slots

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    forbids ENTAILED against any model, ``doubted`` where it does under ``strict``.
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
    doubted: Array

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
            doubted=np.array([_is_doubted(pair) for pair in pairs], dtype=bool),
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

    def reported(self, decided: Decided, *, contradiction_threshold: float | None = None) -> Array:
        """p_entailment where ENTAILED could be reported, 0 where a veto or a gap forbids it.

        With ``strict``'s ``contradiction_threshold``, 0 too where it says CONTRADICTED or asks for
        a review of a slot.
        """
        allowed = self.ran & ~(self.vetoed if contradiction_threshold is None else self.doubted)
        entailed, contradicted = decided.probabilities[:, 0], decided.probabilities[:, 2]
        if contradiction_threshold is not None:
            allowed &= (contradicted < contradiction_threshold) | (contradicted <= entailed)
        return np.where(allowed, entailed, 0.0)


def _is_vetoed(pair: LabelledPair) -> bool:
    return bool(compare_slots(pair.hypothesis, pair.premise, premise_start=0))


def _is_doubted(pair: LabelledPair) -> bool:
    doubts = doubt_slots(pair.hypothesis, pair.premise, premise_start=0, level="possible")
    dropped = doubt_scope(pair.hypothesis, pair.premise, level="possible")
    return _is_vetoed(pair) or bool(doubts) or bool(dropped)


def _measure(pair: LabelledPair, reading: Reading, names: Sequence[str]) -> Array:
    return np.array(
        [
            [TERMS[name](pair.premise[span.start : span.end], pair.hypothesis) for name in names]
            for span in reading.spans
        ]
    ).reshape(len(reading.spans), len(names))
