"""From the logits of a premise's windows to one entailment, that of the deciding window."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from core.ports import Entailment
from verifier.entailment.null import not_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.entailment.labels import LabelMap
    from verifier.entailment.reading import Reading

#: A window that contradicts the claim at least this surely decides, if no other window entails it
#: as surely. High by judgement, not by measurement: one misread window of a long premise should not
#: outvote the one that supports.
CONTRADICTION_DECIDES = 0.9

Probabilities = tuple[float, float, float]


def decide(reading: Reading, labels: LabelMap, temperature: float) -> Entailment:
    """The entailment of one pair, with the probabilities of its deciding window."""
    if reading.reason is not None:
        return not_run(reading.reason)
    windows = [labels.arrange(to_probabilities(logits, temperature)) for logits in reading.logits]
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
    )


def choose_window(windows: Sequence[Probabilities]) -> int:
    """The window that entails most, unless one contradicts surely and more than any entails."""
    entailing = max(range(len(windows)), key=lambda index: windows[index][0])
    contradicting = max(range(len(windows)), key=lambda index: windows[index][2])
    contradicted = windows[contradicting][2]
    if contradicted >= CONTRADICTION_DECIDES and contradicted > windows[entailing][0]:
        return contradicting
    return entailing


def to_probabilities(logits: Sequence[float], temperature: float) -> tuple[float, ...]:
    """Softmax of ``logits / temperature`` in double precision."""
    scaled = [logit / temperature for logit in logits]
    peak = max(scaled)
    powers = [math.exp(value - peak) for value in scaled]
    total = sum(powers)
    return tuple(power / total for power in powers)
