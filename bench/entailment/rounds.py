"""Time the contenders in turn, and compare what they decide."""

from __future__ import annotations

import math
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

from spanproof.core.span import Span
from spanproof.verifier.entailment.decide import decide
from spanproof.verifier.entailment.logits import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.entailment.contenders import Contender, Logits
    from bench.entailment.floor import Floor
    from bench.entailment.samples import Pair, Sample
    from spanproof.core.verdicts.model import Entailment
    from spanproof.verifier.entailment.models.folder import ModelFolder


def run_rounds(
    contenders: Sequence[Contender],
    sample: Sample,
    rounds: int,
    floor: Floor | None,
    reference: str,
) -> tuple[dict[str, Any], dict[str, Logits]]:
    """Alternate them, the order turned each round; by name: CPU and wall time, ratio, share.

    ``reference`` is the contender that ratios are against. The floor is timed in every round, too.
    """
    cpu: dict[str, list[float]] = {each.name: [] for each in contenders}
    wall: dict[str, list[float]] = {each.name: [] for each in contenders}
    timed: dict[str, list[float]] = {"blas": [], "laid_out": []}
    outputs: dict[str, Logits] = {}
    for each in contenders:
        each.run(sample.pairs[:4])
    for turn in range(rounds):
        for each in _rotate(contenders, turn):
            seconds, spent, outputs[each.name] = _measure(lambda each=each: each.run(sample.pairs))  # type: ignore[misc]
            wall[each.name].append(seconds)
            cpu[each.name].append(spent)
        if floor is not None:
            timed["blas"].append(floor.time_blas())
            timed["laid_out"].append(floor.time_laid_out())
        print(f"{sample.name}: round {turn + 1} of {rounds}", file=sys.stderr)
    count = len(sample.pairs)
    figures: dict[str, Any] = {
        each.name: {
            "what": each.what,
            "pairs_per_second": _spread([count / value for value in cpu[each.name]]),
            "wall_pairs_per_second": _spread([count / value for value in wall[each.name]]),
            "ratio": _spread(_divide(cpu[reference], cpu[each.name])),
        }
        for each in contenders
    }
    if floor is not None:
        figures["floor"] = {"gigaflop_per_pair": floor.flops / count / 1e9}
        for name, values in timed.items():
            # All the work at the rate of the products with weights.
            ceiling = [value * floor.flops / floor.flops_of_weights for value in values]
            figures["floor"][name] = {
                "gigaflops_per_second": _spread([floor.flops / value / 1e9 for value in ceiling]),
                "pairs_per_second": _spread([count / value for value in ceiling]),
            }
            for each in (one for one in contenders if one.is_float32):
                share = _spread(_divide(ceiling, cpu[each.name]))
                figures[each.name][f"share_of_{name}"] = share
    return figures, outputs


def compare_outputs(
    folder: ModelFolder, pairs: Sequence[Pair], ours: Logits, theirs: Logits
) -> dict[str, Any]:
    """Where two runs differ: argmax, decision at the shipped threshold, probability, logit.

    A logit is compared after the mean of its row is taken off, for only differences count.
    """
    threshold = folder.calibration.threshold
    judged = [_decide_all(folder, pairs, rows) for rows in (ours, theirs)]
    probabilities = [[one.p_entailment or 0.0 for one in rows] for rows in judged]
    return {
        "pairs": len(pairs),
        "argmax_differs": sum(_argmax(a) != _argmax(b) for a, b in zip(ours, theirs, strict=True)),
        "decision_differs": sum(
            (a >= threshold) != (b >= threshold) for a, b in zip(*probabilities, strict=True)
        ),
        "greatest_probability_difference": max(
            abs(a - b) for a, b in zip(*probabilities, strict=True)
        ),
        "greatest_logit_difference": max(
            abs(a - b)
            for mine, yours in zip(ours, theirs, strict=True)
            for a, b in zip(_centre(mine), _centre(yours), strict=True)
        ),
    }


def _decide_all(folder: ModelFolder, pairs: Sequence[Pair], rows: Logits) -> list[Entailment]:
    return [
        decide(
            Reading(reason=None, logits=(row,), spans=(Span(0, len(pair[0])),), coverage=1.0),
            pair,
            folder.labels,
            folder.calibration,
        )
        for pair, row in zip(pairs, rows, strict=True)
    ]


def _measure(run: Callable[[], Logits]) -> tuple[float, float, Logits]:
    """Wall seconds, CPU seconds of all threads, result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def _rotate(contenders: Sequence[Contender], turn: int) -> list[Contender]:
    first = turn % len(contenders)
    return [*contenders[first:], *contenders[:first]]


def _divide(above: Sequence[float], below: Sequence[float]) -> list[float]:
    return [a / b for a, b in zip(above, below, strict=True)]


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def _argmax(row: Sequence[float]) -> int:
    return max(range(len(row)), key=lambda place: row[place])


def _centre(row: Sequence[float]) -> list[float]:
    mean = math.fsum(row) / len(row)
    return [value - mean for value in row]
