"""Chosen answers, verified: the outcome is linked, incidents are told, alarms go on."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from api.operations.verify import verify_payload
from api.sampling.alarms import advance_alarms
from api.sampling.notices import tell
from api.sampling.outcome import count_block, find_incidents
from core.errors import (
    ConflictError,
    DocumentNotFoundError,
    ExtractionError,
    InputError,
)
from monitor.plan import parse_plan
from monitor.sampling import MAX_THRESHOLD, draw, to_threshold
from store.samples.records import Incident, Outcome, ReviewItem

if TYPE_CHECKING:
    from collections.abc import Callable

    from api.wiring import Services
    from store.samples.records import Epoch, SubmittedAnswer

#: How often an answer may be begun anew before a person has to look.
MAX_ATTEMPTS = 10
#: Another worker may be at the same answer: whoever comes second looks again.
_LOOKS = 2
_NAMES = uuid.UUID("6f4d2b52-7d0e-5c55-9d6b-3a6f7b1f6a11")
_PAGE = 200
#: Whose fault is the answer's own: it will never be verified, and counts as failed.
_ITS_OWN_FAULT = (InputError, ExtractionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledReport:
    """What a run over waiting answers came to."""

    verified: int
    refused: int
    incidents: int
    alarms: int

    def to_json(self) -> dict[str, int]:
        """Plain values."""
        return {
            "verified": self.verified,
            "refused": self.refused,
            "incidents": self.incidents,
            "alarms": self.alarms,
        }


def verify_waiting(
    services: Services,
    *,
    first: int = 1,
    last: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SampledReport:
    """Verify the chosen answers that have no outcome, in order; then advance the alarms.

    Raises what stops the service itself (no model, no log, no store): those answers keep waiting.
    """
    verified = refused = incidents = alarms = 0
    answers = services.store.samples.answers
    total = answers.count_waiting(first=first, last=last)
    try:
        while waiting := answers.list_waiting(first=first, last=last, limit=_PAGE):
            for answer_id in waiting:
                outcome, found = verify_sampled(services, answer_id)
                verified += outcome.verification_id is not None
                refused += outcome.verification_id is None
                incidents += len(found)
                if progress is not None:
                    progress(min(verified + refused, total), total)
    finally:
        # Also where one of them failed: what came before it counts.
        alarms = len(advance_alarms(services))
    return SampledReport(verified=verified, refused=refused, incidents=incidents, alarms=alarms)


def verify_sampled(services: Services, answer_id: str) -> tuple[Outcome, tuple[Incident, ...]]:
    """Verify one chosen answer once: its outcome, and the incidents where they are new.

    What is wrong with the answer itself (a payload that is none, a document that is refused) is an
    outcome too. Raises ModelError where there is no model: NOT_RUN would say nothing of an answer.
    """
    samples = services.store.samples
    known = samples.outcomes.find(answer_id)
    if known is not None:
        return known, ()
    answer = samples.answers.load(answer_id)
    if not answer.is_sampled or answer.raw is None:
        msg = f"Expected a chosen answer whose payload is kept, got {answer_id!r}."
        raise DocumentNotFoundError(msg, hint="Only chosen answers are verified.")
    services.require_model()
    epoch = samples.epochs.load(answer.epoch)
    try:
        outcome, incidents = _verify(services, answer, epoch)
    except _ITS_OWN_FAULT as error:
        outcome, incidents = _refuse(answer, error.code), ()
    review = _draw_review(answer, outcome, epoch)
    try:
        is_new = samples.outcomes.add(outcome, incidents, review)
    except ConflictError:
        # Another worker verified it meanwhile: the first outcome holds.
        is_new = False
    if not is_new:
        kept = samples.outcomes.find(answer_id)
        return (kept or outcome), ()
    services.metrics.sampling.count_outcome(answer.stratum, outcome.result)
    for each in incidents:
        services.metrics.sampling.count_incident(each.kind)
        tell(
            services,
            "incident.span_mismatch",
            _describe(each, outcome),
            event_id=f"incident/{each.answer_id}/{each.position}",
        )
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
    services: Services, answer: SubmittedAnswer, epoch: Epoch
) -> tuple[Outcome, tuple[Incident, ...]]:
    name = _verify_once(services, answer, describe_sampling(answer, epoch))
    block, kind = services.store.answers.load(name).block, _read_kind(answer)
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


def _verify_once(services: Services, answer: SubmittedAnswer, sampled: dict[str, str]) -> str:
    """The id of the verification, which every worker makes alike, and which has its receipt.

    What a killed worker kept without a receipt is judged again as of the same moment: that gives
    the same block. Where it does not, another attempt has another id, and both stay.
    """
    answers, receipts = services.store.answers, services.store.receipts
    for attempt in range(MAX_ATTEMPTS):
        name = str(uuid.uuid5(_NAMES, f"{answer.answer_id}\0{answer.payload_digest}\0{attempt}"))
        for _ in range(_LOOKS):
            if receipts.find(name) is not None:
                return name
            stored = answers.load(name) if answers.has(name) else None
            try:
                verify_payload(
                    services,
                    answer.raw or b"",
                    format=answer.format,
                    policy=answer.policy,
                    verification_id=name,
                    answer_id=answer.answer_id,
                    verified_at=None if stored is None else stored.verified_at,
                    sampled=sampled,
                )
            except ConflictError:
                # Another worker is at it, or was: look again.
                continue
            return name
    msg = f"Expected an answer that can be verified, got {MAX_ATTEMPTS} attempts that conflict."
    raise ConflictError(msg, hint="Run 'spanproof audit fsck', and see the log.")


def _read_kind(answer: SubmittedAnswer) -> str:
    from verifier.formats.registry import parse_payload

    return parse_payload(answer.raw or b"", answer.format).answer.answer_kind


def _refuse(answer: SubmittedAnswer, code: str) -> Outcome:
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
    """The item for people, where the answer is drawn; what is no answer is not shown."""
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
