"""Verify one chosen answer: its outcome, its incidents, and whether people are asked about it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import (
    ConflictError,
    DocumentNotFoundError,
    ExtractionError,
    MalformedAnswerError,
    MalformedDigestError,
    MalformedSpanError,
    VerificationErasedError,
)
from spanproof.monitor.sampling import MAX_THRESHOLD, draw, to_threshold
from spanproof.monitor.sampling_plan import parse_plan
from spanproof.operations.sampling.alarms import announce
from spanproof.operations.sampling.erased import (
    count_block,
    find_incidents,
    make_erased,
    name_attempt,
)
from spanproof.operations.verification.once import verify_once
from spanproof.operations.verification.request import VerificationRequest
from spanproof.operations.verification.verify import verify_payload
from spanproof.store.erasing.refusal import ANSWER
from spanproof.store.samples.records import Incident, Outcome, ReviewItem

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.store.samples.records import Epoch, SubmittedAnswer

#: Faults of the answer itself: it can never be verified, and counts as failed. No other
#: InputError: a malformed receipt, note, trust file or policy of ours is our fault.
_ANSWER_ERRORS = (
    MalformedAnswerError,
    MalformedDigestError,
    MalformedSpanError,
    ExtractionError,
)


def verify_sampled(context: Context, answer_id: str) -> tuple[Outcome, tuple[Incident, ...]]:
    """Verify one chosen answer once: its outcome, and the incidents where they are new.

    A fault of the answer itself (a malformed payload, a refused document) is an outcome too. So is
    its erasure, which does not judge it. Raises ModelError where there is no model: NOT_RUN would
    say nothing of an answer.
    """
    samples = context.store.samples
    known = samples.outcomes.find(answer_id)
    if known is not None:
        return known, ()
    answer = samples.answers.load(answer_id)
    if answer.is_sampled and context.store.erasures.find(ANSWER, answer_id) is not None:
        return record_outcome(context, answer, make_erased(answer))
    if not answer.is_sampled or answer.raw is None:
        msg = f"Expected a chosen answer whose payload is kept, got {answer_id!r}."
        raise DocumentNotFoundError(msg, hint="Only chosen answers are verified.")
    context.require_model()
    epoch = samples.epochs.load(answer.epoch)
    try:
        outcome, incidents = _verify(context, answer, epoch)
    except VerificationErasedError:
        # It, or the verification that an earlier run made of it, was erased meanwhile.
        return record_outcome(context, answer, make_erased(answer))
    except _ANSWER_ERRORS as error:
        outcome, incidents = make_refused(answer, error.code), ()
    review = _draw_review(answer, outcome, epoch)
    return record_outcome(context, answer, outcome, incidents=incidents, review=review)


def record_outcome(
    context: Context,
    answer: SubmittedAnswer,
    outcome: Outcome,
    *,
    incidents: tuple[Incident, ...] = (),
    review: ReviewItem | None = None,
) -> tuple[Outcome, tuple[Incident, ...]]:
    """Announce the incidents and keep the outcome; the first one holds if there was one before."""
    outcomes = context.store.samples.outcomes
    # Report first, then store: after a crash they are reported again, under the same ids.
    for each in incidents:
        announce(
            context,
            "incident.span_mismatch",
            _describe(each, outcome),
            event_id=f"incident/{each.answer_id}/{each.position}",
        )
    try:
        is_new = outcomes.add(outcome, incidents, review)
    except ConflictError:
        # Another worker verified it meanwhile: the first outcome holds.
        is_new = False
    if not is_new:
        kept = outcomes.find(answer.answer_id)
        return (kept or outcome), ()
    context.metrics.sampling.count_outcome(answer.stratum, outcome.result)
    for each in incidents:
        context.metrics.sampling.count_incident(each.kind)
    return outcome, incidents


def describe_sampling(answer: SubmittedAnswer, epoch: Epoch) -> dict[str, str]:
    """What a receipt says of the draw: the scheme, the commitment, the probability."""
    return {
        "scheme": f"otel-consistent-56/{answer.source}",
        "epoch_commitment": str(epoch.commitment),
        "rate": f"{(MAX_THRESHOLD - answer.threshold) / MAX_THRESHOLD:.6f}",
    }


def draw_review(key: bytes, answer_id: str) -> int:
    """The bits by which an answer is drawn for people: the epoch's key, under a name of its own."""
    return draw(key, f"review\0{answer_id}").value


def _verify(
    context: Context, answer: SubmittedAnswer, epoch: Epoch
) -> tuple[Outcome, tuple[Incident, ...]]:
    name = _verify_once(context, answer, describe_sampling(answer, epoch))
    block, kind = context.store.answers.load(name).block, _read_kind(answer)
    count, now = count_block(block, kind), datetime.now(UTC)
    outcome = Outcome(
        answer_id=answer.answer_id,
        number=answer.number,
        verification_id=name,
        answer_kind=kind,
        result=block["result"],
        is_flagged=count.is_flagged,
        cited=count.cited,
        failed=count.failed,
        share=count.share,
        problem_code=None,
        verified_at=now,
    )
    incidents = tuple(
        Incident(
            answer_id=answer.answer_id, position=position, kind=what, status=status, raised_at=now
        )
        for position, what, status in find_incidents(block)
    )
    return outcome, incidents


def _verify_once(context: Context, answer: SubmittedAnswer, sampled: dict[str, str]) -> str:
    """The id of the verification, which every worker makes alike, and which has its receipt."""

    def verify(name: str) -> None:
        verify_payload(
            context,
            answer.raw or b"",
            VerificationRequest(
                format=answer.format,
                policy=answer.policy,
                verification_id=name,
                answer_id=answer.answer_id,
                sampled=sampled,
            ),
        )

    return verify_once(context, partial(name_attempt, answer), verify)


def _read_kind(answer: SubmittedAnswer) -> str:
    from spanproof.verifier.formats.registry import parse_payload

    return parse_payload(answer.raw or b"", answer.format).answer.answer_kind


def make_refused(answer: SubmittedAnswer, code: str) -> Outcome:
    """The outcome of an answer that cannot be verified, with the code of the reason: it failed."""
    return Outcome(
        answer_id=answer.answer_id,
        number=answer.number,
        verification_id=None,
        answer_kind="answer",
        result="error",
        is_flagged=True,
        cited=0,
        failed=0,
        share=1.0,
        problem_code=code,
        verified_at=datetime.now(UTC),
    )


def _draw_review(answer: SubmittedAnswer, outcome: Outcome, epoch: Epoch) -> ReviewItem | None:
    """The item for people, where the answer is drawn; people see answers only."""
    threshold = find_review_threshold(epoch, outcome)
    randomness = draw_review(epoch.key, answer.answer_id)
    if threshold is None or randomness < threshold:
        return None
    return ReviewItem(
        answer_id=answer.answer_id,
        is_flagged=outcome.is_flagged,
        randomness=randomness,
        threshold=threshold,
        queued_at=datetime.now(UTC),
    )


def find_review_threshold(epoch: Epoch, outcome: Outcome) -> int | None:
    """The threshold of an outcome's draw; None for what people are never asked about."""
    if outcome.answer_kind != "answer" or outcome.verification_id is None:
        return None
    plan = parse_plan(epoch.plan_json)
    return to_threshold(plan.review_flagged if outcome.is_flagged else plan.review_others)


def _describe(incident: Incident, outcome: Outcome) -> dict[str, Any]:
    return {
        "answer_id": incident.answer_id,
        "verification_id": outcome.verification_id,
        "verdict": incident.position,
        "kind": incident.kind,
        "status": incident.status,
    }
