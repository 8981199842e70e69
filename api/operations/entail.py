"""Pairs of premise and hypothesis, one JSON object a line, judged by the model alone."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

from core.verdict import SupportStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from api.wiring import Services
    from core.ports import Entailment, EntailmentModel

#: Pairs handed to the model at once: enough to keep every core at work, few enough to stream.
BATCH = 64


def entail_lines(services: Services, lines: Iterable[str | bytes]) -> Iterator[dict[str, Any]]:
    """One row for each line, in order; raise ModelError where there is no model.

    A line that cannot be judged, an empty one too, is a row that says NOT_RUN.
    """
    model = services.require_model()
    remaining = iter(lines)
    while batch := list(islice(remaining, BATCH)):
        rows = [_parse_line(line) for line in batch]
        pairs = [(r["premise"], r["hypothesis"]) for r in rows if "reason" not in r]
        judged = iter(model.judge(pairs))
        for row in rows:
            if "reason" in row:
                yield row | _not_run(row["reason"])
            else:
                yield row | _judge_row(row, next(judged), model)


def _parse_line(line: str | bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {"reason": "malformed_line"}
    if not isinstance(row, dict):
        return {"reason": "malformed_line"}
    row.pop("reason", None)
    if not all(isinstance(row.get(name), str) for name in ("premise", "hypothesis")):
        return row | {"reason": "malformed_line"}
    return row


def _not_run(reason: str) -> dict[str, Any]:
    return {
        "label": SupportStatus.NOT_RUN.value,
        "reason": reason,
        "p_entailment": None,
        "p_neutral": None,
        "p_contradiction": None,
        "supported": False,
        "vetoes": [],
    }


def _judge_row(
    row: dict[str, Any], entailment: Entailment, model: EntailmentModel
) -> dict[str, Any]:
    from verifier.slots import compare_slots
    from verifier.support import DEFAULT_THRESHOLD

    p_entailment = entailment.p_entailment
    if entailment.reason is not None or p_entailment is None:
        return _not_run(entailment.reason or "no_probability")
    if entailment.coverage < 1.0:
        return _not_run("premise_not_covered")
    threshold = model.identity.threshold or DEFAULT_THRESHOLD
    vetoes = compare_slots(row["hypothesis"], row["premise"], premise_start=0)
    return {
        "label": _choose_label(entailment),
        "reason": None,
        "p_entailment": p_entailment,
        "p_neutral": entailment.p_neutral,
        "p_contradiction": entailment.p_contradiction,
        "supported": p_entailment >= threshold and not vetoes,
        "vetoes": [veto.kind for veto in vetoes],
    }


def _choose_label(entailment: Entailment) -> str:
    # At a tie the graver one: nothing is entailed by the order of a list.
    ranked = (
        (entailment.p_contradiction, SupportStatus.CONTRADICTED),
        (entailment.p_neutral, SupportStatus.NEUTRAL),
        (entailment.p_entailment, SupportStatus.ENTAILED),
    )
    return max(ranked, key=lambda pair: -1.0 if pair[0] is None else pair[0])[1].value
