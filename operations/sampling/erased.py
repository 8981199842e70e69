"""Chosen answers that are erased before they are judged: an outcome of their own, in no rate."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanproof.core.errors import ConflictError, VerificationErasedError
from spanproof.store.samples.records import ERASED, Outcome

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.store.samples.records import SubmittedAnswer

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
