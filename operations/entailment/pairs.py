"""Pairs of premise and hypothesis, one JSON object a line, and what the model or a policy says."""

from __future__ import annotations

import json
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from spanproof.core.errors import ExtractionError, ModelError
from spanproof.core.verdicts.status import Outcome, SupportStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.model import Entailment
    from spanproof.core.verdicts.policy import Policy
    from spanproof.verifier.entailment.guard import Boundaries, Guarded

#: Pairs handed to the model at once: enough to keep every core at work, few enough to stream.
BATCH = 64
#: Batches judged at once: while one ends on a single core, the next keeps the others at work.
IN_FLIGHT = 2
#: A line of more bytes is not read: its premise alone would take the model minutes.
MAX_LINE_BYTES = 8 * 1024**2

Pair = tuple[str, str]
Row = dict[str, Any]


def judge_batches(
    model: EntailmentModel,
    batches: Iterable[Sequence[str | bytes]],
    policy: Policy | None = None,
) -> Iterator[list[Row]]:
    """The rows of each batch of lines, in order; batches are judged beside each other.

    With a policy each row has its ``outcome``: what a verification says of the hypothesis if it
    cites the whole premise.

    A pair that stands twice among those in work is judged once. Raises ModelError where the
    model judges nothing any more; a single pair that it cannot judge is a row that says NOT_RUN.
    """
    waiting: deque[tuple[list[Row], dict[Pair, Future[dict[Pair, Row]]], list[Pair]]] = deque()
    under_way: dict[Pair, Future[dict[Pair, Row]]] = {}

    def finish() -> list[Row]:
        rows, sources, own = waiting.popleft()
        found = {pair: source.result()[pair] for pair, source in sources.items()}
        for pair in own:
            del under_way[pair]
        finished = [_finish_row(row, found) for row in rows]
        # A line that is no pair was not judged.
        return finished if policy is None else [_finish_outcome(row) for row in finished]

    with ThreadPoolExecutor(IN_FLIGHT, thread_name_prefix="entail") as pool:
        try:
            for batch in batches:
                rows = [_parse_line(line) for line in batch]
                pairs = list(dict.fromkeys(_to_pair(row) for row in rows if "reason" not in row))
                new = [pair for pair in pairs if pair not in under_way]
                under_way |= dict.fromkeys(new, pool.submit(_judge, model, new, policy))
                waiting.append((rows, {pair: under_way[pair] for pair in pairs}, new))
                if len(waiting) > IN_FLIGHT:
                    yield finish()
            while waiting:
                yield finish()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def judge_outcomes(
    model: EntailmentModel, pairs: Sequence[Pair], policy: Policy
) -> dict[Pair, Outcome]:
    """The outcome of each pair; ``error`` where the premise cannot be a document, or nothing ran.

    A premise is read as a plain text is: its offsets and words are those of its canonical text.
    """
    from spanproof.verifier.claims.claims import to_hypothesis
    from spanproof.verifier.support.judge import SupportJudge
    from spanproof.verifier.verify import verify_pair

    judge = SupportJudge(model, policy)
    premises = {premise: _read_premise(premise) for premise, _ in pairs}
    known = [(premise, premises[premise[0]]) for premise in pairs]
    # Together, so that every core has work; what fails here fails again below, pair by pair.
    with suppress(ModelError, MemoryError):
        judge.read_ahead(
            [(text.text.text, to_hypothesis(pair[1])) for pair, text in known if text is not None]
        )
    outcomes = dict.fromkeys(pairs, Outcome.ERROR)
    for pair, premise in known:
        verdict = None if premise is None else verify_pair(premise, pair[1], judge, policy)
        if verdict is not None:
            outcomes[pair] = verdict.outcome
    return outcomes


def _read_premise(text: str) -> Extraction | None:
    from spanproof.ingest import extract

    try:
        return extract(text.encode("utf-8"), media_type="text/plain", filename="premise.txt")
    except (ExtractionError, UnicodeEncodeError):
        # Nothing can be cited in it: an empty text, or one with half a character.
        return None


def _parse_line(line: str | bytes) -> Row:
    if len(line) > MAX_LINE_BYTES:
        # The line itself is left out: it may have megabytes.
        return {"reason": "line_too_long"}
    try:
        row = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return {"reason": "malformed_line"}
    if not isinstance(row, dict):
        return {"reason": "malformed_line"}
    row.pop("reason", None)
    if not all(isinstance(row.get(name), str) for name in ("premise", "hypothesis")):
        return row | {"reason": "malformed_line"}
    return row


def _refuse_constant(name: str) -> NoReturn:
    # Python reads NaN and Infinity; JSON has neither, and they may not be written again.
    msg = f"Expected JSON, got {name}."
    raise ValueError(msg)


def _to_pair(row: Row) -> Pair:
    return row["premise"], row["hypothesis"]


def _finish_row(row: Row, found: dict[Pair, Row]) -> Row:
    return row | (_not_run(row["reason"]) if "reason" in row else found[_to_pair(row)])


def _finish_outcome(row: Row) -> Row:
    return row | {"outcome": row.get("outcome", Outcome.ERROR.value)}


def _judge(model: EntailmentModel, pairs: Sequence[Pair], policy: Policy | None) -> dict[Pair, Row]:
    rows = _judge_labels(model, pairs)
    if policy is None:
        return rows
    outcomes = judge_outcomes(model, pairs, policy)
    return {pair: row | {"outcome": outcomes[pair].value} for pair, row in rows.items()}


def _judge_labels(model: EntailmentModel, pairs: Sequence[Pair]) -> dict[Pair, Row]:
    from spanproof.verifier.entailment.guard import Boundaries, judge_guarded

    threshold = model.identity.default_threshold
    boundaries = Boundaries(entailment=(threshold,))
    # Longest first: what a core has left to do at the end of a batch is short.
    ordered = sorted(pairs, key=lambda pair: -len(pair[0]) - len(pair[1]))
    if not ordered:
        return {}
    try:
        judged: list[Guarded | None] = [*judge_guarded(model, ordered, boundaries)]
    except (ModelError, MemoryError):
        judged = [_judge_alone(model, pair, boundaries) for pair in ordered]
        if not any(judged):
            _require_working_model(model)
    return {
        pair: _not_run("model_failed") if one is None else _to_row(pair, one, threshold)
        for pair, one in zip(ordered, judged, strict=True)
    }


def _judge_alone(model: EntailmentModel, pair: Pair, boundaries: Boundaries) -> Guarded | None:
    from spanproof.verifier.entailment.guard import judge_guarded

    with suppress(ModelError, MemoryError):
        return judge_guarded(model, [pair], boundaries)[0]
    return None


def _require_working_model(model: EntailmentModel) -> None:
    """Raise ModelError where the model cannot judge the easiest of pairs either."""
    from spanproof.verifier.entailment.cache import without_cache
    from spanproof.verifier.entailment.examination.canary import ENTAILED

    without_cache(model).judge([ENTAILED])


def _to_row(pair: Pair, guarded: Guarded, threshold: float) -> Row:
    from spanproof.verifier.slots import compare_slots

    entailment = guarded.entailment
    p_entailment = entailment.p_entailment
    if entailment.reason is not None or p_entailment is None:
        return _not_run(entailment.reason or "no_probability")
    if entailment.coverage < 1.0:
        return _not_run("premise_not_covered")
    premise, hypothesis = pair
    vetoes = compare_slots(hypothesis, premise, premise_start=0)
    evidence = entailment.evidence
    return {
        "label": _choose_label(entailment),
        "reason": None if guarded.is_certain else "guard_band",
        "p_entailment": p_entailment,
        "p_neutral": entailment.p_neutral,
        "p_contradiction": entailment.p_contradiction,
        "supported": p_entailment >= threshold and guarded.is_certain and not vetoes,
        "vetoes": [veto.kind for veto in vetoes],
        "logits": list(entailment.logits),
        "windows": entailment.windows,
        "evidence": evidence and {"char_start": evidence.start, "char_end": evidence.end},
    }


def _not_run(reason: str) -> Row:
    return {
        "label": SupportStatus.NOT_RUN.value,
        "reason": reason,
        "p_entailment": None,
        "p_neutral": None,
        "p_contradiction": None,
        "supported": False,
        "vetoes": [],
        "logits": [],
        "windows": 0,
        "evidence": None,
    }


def _choose_label(entailment: Entailment) -> str:
    # At a tie the graver one: nothing is entailed by the order of a list.
    ranked = (
        (entailment.p_contradiction, SupportStatus.CONTRADICTED),
        (entailment.p_neutral, SupportStatus.NEUTRAL),
        (entailment.p_entailment, SupportStatus.ENTAILED),
    )
    return max(ranked, key=lambda pair: -1.0 if pair[0] is None else pair[0])[1].value
