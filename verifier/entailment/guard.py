"""The guard band: rounding on another machine, precision or server changes no decision.

``Entailment.tolerance`` says how far the calibrated log-odds may lie from the canonical run's. An
answer that lies nearer to a boundary than that goes to the canonical run again; where the canonical
answer itself lies within its own tolerance, only a person may decide.

A decider calls ``judge_guarded(model, pairs, boundaries)`` in place of ``model.judge(pairs)`` and
reads ``Guarded.is_certain``: where it is False the status is BORDERLINE(guard_band), and
``supported`` is False. ``is_near`` is the same question about one entailment.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.model import Entailment

#: Log-odds beyond which a probability is 0 or 1 in double precision.
_FAR = 40.0
#: The log-odds of "contradicted" depend on two differences of logits, those of "entailed" on one.
_CONTRADICTION_SPREAD = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundaries:
    """Probabilities at which a decision turns, and the least band around each.

    ``least`` is in calibrated log-odds: it holds where a model claims to be nearer to the canonical
    run than that.
    """

    entailment: tuple[float, ...]
    contradiction: tuple[float, ...] = ()
    least: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """One entailment to decide by.

    ``is_certain`` is False where even the canonical run lies too near to a boundary;
    ``is_confirmed`` where it is the canonical run's answer, not the model's first.
    """

    entailment: Entailment
    is_certain: bool
    is_confirmed: bool = False


def judge_guarded(
    model: EntailmentModel, pairs: Sequence[tuple[str, str]], boundaries: Boundaries
) -> list[Guarded]:
    """One guarded entailment a pair, in order; raise ModelError where the model cannot be used."""
    return guard(model, pairs, model.judge(pairs), boundaries)


def guard(
    model: EntailmentModel,
    pairs: Sequence[tuple[str, str]],
    judged: Sequence[Entailment],
    boundaries: Boundaries,
) -> list[Guarded]:
    """The same for pairs that the model has judged already."""
    near = [index for index, entailment in enumerate(judged) if is_near(entailment, boundaries)]
    answers = model.confirm([pairs[index] for index in near]) if near else []
    confirmed = dict(zip(near, answers, strict=True))
    return [
        Guarded(entailment=entailment, is_certain=True)
        if (answer := confirmed.get(index)) is None
        else Guarded(
            entailment=answer, is_certain=not is_near(answer, boundaries), is_confirmed=True
        )
        for index, entailment in enumerate(judged)
    ]


def is_near(entailment: Entailment, boundaries: Boundaries) -> bool:
    """Whether a conforming run could be on the other side of a boundary.

    What did not run is near to nothing: it decides nothing.
    """
    if entailment.reason is not None or entailment.p_entailment is None:
        return False
    band = max(entailment.tolerance, boundaries.least)
    entailed = log_odds(entailment.p_entailment)
    if any(abs(entailed - log_odds(edge)) <= band for edge in boundaries.entailment):
        return True
    # A two-way head says 0 of contradiction in every run.
    if not entailment.p_contradiction:
        return False
    contradicted = log_odds(entailment.p_contradiction)
    wide = _CONTRADICTION_SPREAD * band
    if any(abs(contradicted - log_odds(edge)) <= wide for edge in boundaries.contradiction):
        return True
    # Past its threshold a contradiction decides only where it outweighs the entailment.
    return any(contradicted > log_odds(edge) for edge in boundaries.contradiction) and (
        abs(contradicted - entailed) <= band + wide
    )


def widen_tolerance(
    windows: Sequence[tuple[float, float, float]],
    chosen: int,
    *,
    tolerance: float,
    decides_at: float,
) -> float:
    """The tolerance of a premise's deciding window, where a conforming run may choose another.

    ``windows`` are (entailed, neutral, contradicted); ``tolerance`` is that of one window's
    log-odds, ``decides_at`` the probability at which a contradiction outweighs the entailment of
    other windows. Grows by how far apart the windows lie that may be chosen.
    """
    entailed = [log_odds(window[0]) for window in windows]
    contradicted = [log_odds(window[2]) for window in windows]
    wide = _CONTRADICTION_SPREAD * tolerance
    # Each side as far towards the other as a conforming run may move it.
    most_entailed, most_contradicted = max(entailed), max(contradicted)
    may_contradict = (
        most_contradicted + wide >= log_odds(decides_at)
        and most_contradicted + wide >= most_entailed - tolerance
    )
    must_contradict = (
        most_contradicted - wide >= log_odds(decides_at)
        and most_contradicted - wide > most_entailed + tolerance
    )
    rivals = {chosen}
    if may_contradict:
        rivals |= {i for i, c in enumerate(contradicted) if c >= most_contradicted - 2 * wide}
    if not must_contradict:
        rivals |= {i for i, e in enumerate(entailed) if e >= most_entailed - 2 * tolerance}
    return tolerance + max(
        max(
            abs(entailed[rival] - entailed[chosen]), abs(contradicted[rival] - contradicted[chosen])
        )
        for rival in rivals
    )


def log_odds(probability: float) -> float:
    """ln(p / (1 - p)), bounded where p is 0 or 1 in double precision."""
    if probability <= 0:
        return -_FAR
    if probability >= 1:
        return _FAR
    return min(max(math.log(probability) - math.log1p(-probability), -_FAR), _FAR)
