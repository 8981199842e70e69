"""The outcome of a chosen answer, and that of one which is erased before it is judged."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import ConflictError, VerificationErasedError
from spanproof.core.verdicts.hash_only import HASH_ONLY
from spanproof.operations.keeping.words import find_words
from spanproof.store.samples.records import ERASED, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.operations.context import Context
    from spanproof.store.samples.records import IncidentKind, SubmittedAnswer

_NAMES = uuid.UUID("6f4d2b52-7d0e-5c55-9d6b-3a6f7b1f6a11")


def name_attempt(answer: SubmittedAnswer, attempt: int) -> str:
    """The id of a chosen answer's verification; every worker makes the same id."""
    return str(uuid.uuid5(_NAMES, f"{answer.answer_id}\0{answer.payload_digest}\0{attempt}"))


def make_erased(answer: SubmittedAnswer) -> Outcome:
    """The outcome of an answer whose words were gone first: neither a pass nor a failure."""
    return Outcome(
        answer_id=answer.answer_id,
        number=answer.number,
        verification_id=None,
        answer_kind="answer",
        result=ERASED,
        is_flagged=False,
        cited=0,
        failed=0,
        # None: no alarm and no mean counts it.
        share=None,
        problem_code=VerificationErasedError.code,
        verified_at=datetime.now(UTC),
    )


def end_erased(context: Context, answer_id: str) -> None:
    """Give a chosen answer that was erased its missing outcome, so that nothing waits for it."""
    samples = context.store.samples
    answer = samples.answers.load(answer_id)
    if not answer.is_sampled or samples.outcomes.find(answer_id) is not None:
        return
    try:
        is_new = samples.outcomes.add(make_erased(answer), (), None)
    except ConflictError:
        # A worker had judged it before: what it found of it stays.
        return
    if is_new:
        context.metrics.sampling.count_outcome(answer.stratum, ERASED)


def drop_used_words(context: Context) -> None:
    """Empty submitted answers that nothing waits for, where the store keeps no words."""
    words = find_words(context)
    if words.mode == HASH_ONLY and words.since is not None:
        context.store.samples.answers.empty_used(words.since)


#: Where the quoted words are not what the document has.
_NOT_THERE = frozenset({"ALTERED", "ABSENT", "STITCHED", "MISATTRIBUTED"})
_FAILED = frozenset({"fail", "error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockCount:
    """Citations and orphan anchors of an answer, those that failed, and their share in [0, 1].

    ``share`` is None without an answer: an abstention, a question, a refusal. An answer that
    cites nothing counts as 1: nothing is not a pass.
    """

    cited: int
    failed: int
    share: float | None
    is_flagged: bool


def count_block(block: Mapping[str, Any], answer_kind: str) -> BlockCount:
    """Count a block as it is kept. A check that did not run counts as failed: it is no pass."""
    orphans = len(block["orphan_anchors"])
    failed = orphans + sum(each["outcome"] in _FAILED for each in block["verdicts"])
    cited = orphans + len(block["verdicts"])
    is_answer = answer_kind == "answer"
    return BlockCount(
        cited=cited,
        failed=failed,
        share=(failed / cited if cited else 1.0) if is_answer else None,
        is_flagged=is_answer and block["result"] in _FAILED,
    )


def find_incidents(block: Mapping[str, Any]) -> Iterator[tuple[int, IncidentKind, str]]:
    """The verdicts, by position, whose document or words differ from the citation."""
    for position, verdict in enumerate(block["verdicts"]):
        identity, existence = verdict["identity"]["status"], verdict["existence"]["status"]
        if identity == "HASH_MISMATCH":
            yield position, "hash_mismatch", identity
        elif existence in _NOT_THERE:
            yield position, "span_mismatch", existence
