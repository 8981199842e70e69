"""From the logits of a premise's windows to one entailment, that of the deciding window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.verdicts.model import Entailment, ScoreTerm
from spanproof.verifier.entailment.calibration.terms import TERMS
from spanproof.verifier.entailment.guard import widen_tolerance
from spanproof.verifier.entailment.null import not_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.entailment.calibration.calibration import Calibration, Probabilities
    from spanproof.verifier.entailment.labels import LabelMap
    from spanproof.verifier.entailment.logits import Reading

#: A window that contradicts the claim at least this surely decides, if no other window entails it
#: as surely. High by judgement, not by measurement: one misread window of a long premise should not
#: outvote the one that supports.
CONTRADICTION_DECIDES = 0.9


def decide(
    reading: Reading, pair: tuple[str, str], labels: LabelMap, calibration: Calibration
) -> Entailment:
    """The entailment of one pair, with the probabilities of its deciding window."""
    if reading.reason is not None:
        return not_run(reading.reason)
    premise, hypothesis = pair
    terms = [
        measure_terms(premise[span.start : span.end], hypothesis, calibration)
        for span in reading.spans
    ]
    windows = [
        calibration.probabilities(logits, labels, sum(term.effect for term in row))
        for logits, row in zip(reading.logits, terms, strict=True)
    ]
    chosen = choose_window(windows)
    entailed, neutral, contradicted = windows[chosen]
    return Entailment(
        reason=None,
        p_entailment=entailed,
        p_neutral=neutral,
        p_contradiction=contradicted,
        windows=len(windows),
        coverage=reading.coverage,
        evidence=reading.spans[chosen],
        logits=reading.logits[chosen],
        terms=terms[chosen],
        tolerance=widen_tolerance(
            windows,
            chosen,
            # The log-odds are a difference of logits, and each may move.
            tolerance=2 * calibration.scale * reading.tolerance,
            decides_at=CONTRADICTION_DECIDES,
        ),
    )


def measure_terms(premise: str, hypothesis: str, calibration: Calibration) -> tuple[ScoreTerm, ...]:
    """The terms that the calibration weighs, measured on one window."""
    return tuple(
        ScoreTerm(name=name, value=TERMS[name](premise, hypothesis), weight=weight)
        for name, weight in calibration.weights
    )


def choose_window(windows: Sequence[Probabilities]) -> int:
    """The window that entails most, unless one contradicts surely and more than any entails."""
    entailing = max(range(len(windows)), key=lambda index: windows[index][0])
    contradicting = max(range(len(windows)), key=lambda index: windows[index][2])
    contradicted = windows[contradicting][2]
    if contradicted >= CONTRADICTION_DECIDES and contradicted > windows[entailing][0]:
        return contradicting
    return entailing
