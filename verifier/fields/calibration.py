"""The quality of the matchers on labelled turns, and the confidence from which to believe them.

Everything is measured: agreement, precision, recall and Cohen's kappa by type with intervals of 95
per cent, and for each type the threshold with the best F1, resampled for its interval. Labels of
one turn are not independent, so whole turns are drawn.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.budget import checkpoint
from spanproof.verifier.fields.attribution import attribute_fields
from spanproof.verifier.fields.statistics import Confusion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.fields.labelled import LabelledTurns

#: Fewer labels of a type say little about it; its figures are marked.
ENOUGH = 30
#: Draws for the interval of a threshold; the seed is fixed, so that a report replays.
_DRAWS, _SEED = 400, 20260101
MARKER = "marker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One labelled field: the turn's row, its type, the confidence found (0: none), the label."""

    row: int
    type: str
    confidence: float
    label: bool


def calibrate_fields(labelled: LabelledTurns) -> dict[str, Any]:
    """Figures and proposed thresholds by type of field, as JSON; ``marker`` is a type of its own.

    ``policy`` is what to put into the registry.
    """
    judged, from_markers = _judge(labelled)
    types = {
        name: _measure([each for each in judged if each.type == name], proposes=True)
        for name in sorted({each.type for each in judged})
    }
    proposed = {
        name: found["threshold"]["value"]
        for name, found in types.items()
        if found["threshold"]["value"] is not None
    }
    return {
        "labelled_sha256": f"sha256:{labelled.sha256}",
        "turns": len(labelled.turns),
        "labels": len(judged),
        "overall": _measure(judged, proposes=False),
        "types": types,
        "marker": _measure(from_markers, proposes=False),
        "policy": {"thresholds": proposed},
        "interval": {"level": 0.95, "shares": "wilson", "threshold": "bootstrap", "draws": _DRAWS},
    }


def _judge(labelled: LabelledTurns) -> tuple[list[Judged], list[Judged]]:
    judged: list[Judged] = []
    markers: list[Judged] = []
    for row, one in enumerate(labelled.turns):
        report = attribute_fields(one.turn)
        found = {each.field.path: each for each in (*report.attributed, *report.weak)}
        fields = {f.path: f for section in one.turn.context.sections for f in section.fields}
        for path, label in one.labels.items():
            each = found.get(path)
            match = None if each is None else each.match
            field = fields[path]
            confidence = 0.0 if match is None else match.confidence
            name = "group" if field.is_group else field.type
            judged.append(Judged(row=row, type=name, confidence=confidence, label=label))
            marked = 1.0 if each is not None and each.markers else 0.0
            markers.append(Judged(row=row, type=MARKER, confidence=marked, label=label))
    return judged, markers


def _measure(judged: Sequence[Judged], *, proposes: bool) -> dict[str, Any]:
    measured = {"labels": len(judged), "is_enough": len(judged) >= ENOUGH}
    measured |= _confuse(judged, 0.0).to_json()
    return measured | ({"threshold": _propose(judged)} if proposes else {})


def _confuse(judged: Sequence[Judged], threshold: float) -> Confusion:
    return Confusion.of(
        (each.confidence > 0 and each.confidence >= threshold, each.label) for each in judged
    )


def _propose(judged: Sequence[Judged]) -> dict[str, Any]:
    """The threshold of the best F1; None if no threshold finds anything right."""
    value = _best(judged)
    nothing = {"value": None, "low": None, "high": None, "precision": None, "recall": None}
    if value is None:
        return nothing
    by_row: dict[int, list[Judged]] = {}
    for each in judged:
        by_row.setdefault(each.row, []).append(each)
    rows = list(by_row.values())
    chance = random.Random(_SEED)  # noqa: S311 - draws of a bootstrap, not a secret
    drawn = sorted(
        found
        for _ in range(_DRAWS)
        if (found := _best([each for row in chance.choices(rows, k=len(rows)) for each in row]))
        is not None
    )
    edge = int(0.025 * len(drawn))
    at_value = _confuse(judged, value)
    return {
        "value": value,
        "low": drawn[edge] if drawn else None,
        "high": drawn[-1 - edge] if drawn else None,
        "precision": at_value.precision.to_json(),
        "recall": at_value.recall.to_json(),
    }


def _best(judged: Sequence[Judged]) -> float | None:
    checkpoint()
    # From the highest confidence down: each step adds the labels that have it.
    wanted = sum(each.label for each in judged)
    right = wrong = 0
    best: float | None = None
    best_score = 0.0
    ordered = sorted((e for e in judged if e.confidence > 0), key=lambda e: -e.confidence)
    for place, each in enumerate(ordered):
        right += each.label
        wrong += not each.label
        is_last = place + 1 == len(ordered) or ordered[place + 1].confidence != each.confidence
        if not is_last or not right:
            continue
        score = 2 * right / (right + wrong + wanted)
        # At a tie the higher threshold stays: it believes less.
        if score > best_score:
            best, best_score = each.confidence, score
    return best
