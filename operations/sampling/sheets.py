"""Blind reviews: who labels which answer claim by claim, how far they agree, who decides disputes.

An answer has places for some reviewers. Each labels every claim before the verdict or a colleague's
label is shown. Where they differ, another person decides, and that label is final.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core.errors import ConflictError, InputError
from spanproof.core.span import Span
from spanproof.monitor.agreement import compute_agreement
from spanproof.operations.access.principal import name_actor
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.store.samples.records import ClaimLabel
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.citation import Answer
    from spanproof.monitor.agreement import Agreement
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.samples.records import Label, QueuedReview

#: How long an answer that somebody took keeps its place: a working day, and the night after it.
LEASE = timedelta(days=1)
#: What a person may do with an answer: label it, decide a dispute, look at what they labelled, or
#: nothing, as it has its labels.
Role = Literal["reviewer", "adjudicator", "done", "closed"]
#: Which label a whole answer has by those of its claims: the first that occurs.
_WORST: tuple[Label, ...] = ("wrong", "unclear", "correct")


def name_reviewer(actor: Actor) -> str:
    """The identity under which labels are kept; ConflictError without one."""
    if actor == NOBODY:
        msg = "Expected a label by a key or an OpenID subject, got one by nobody."
        raise ConflictError(msg, hint="Make a key ('spanproof keys create'), and sign in with it.")
    return name_actor(actor)


def take_next(context: Context, actor: Actor) -> str | None:
    """The answer that this person is to label next; None where no place is free."""
    now = datetime.now(UTC)
    return context.store.samples.reviews.assign(
        name_reviewer(actor), places=context.settings.reviewers, since=now - LEASE, at=now
    )


def find_role(context: Context, review: QueuedReview, actor: Actor) -> Role:
    """What this person may do with the answer now."""
    reviewer, others = name_reviewer(actor), len(review.newest)
    if reviewer in review.newest:
        return "done"
    if review.final is not None:
        return "closed"
    places = context.settings.reviewers
    if others >= places and review.is_split:
        return "adjudicator"
    since = datetime.now(UTC) - LEASE
    is_mine = context.store.samples.reviews.find_assignment(review.item.answer_id, reviewer, since)
    return "reviewer" if is_mine or others < places else "closed"


def list_claims(answer: Answer, block: Mapping[str, Any]) -> dict[Span, tuple[int, ...]]:
    """Claims in the order of the answer, with the citations of each; all of it where none cites.

    Citations that repair attached later are left out: the answer did not give them.
    """
    found: dict[Span, tuple[int, ...]] = {}
    own = len(answer.citations)
    for verdict in block["verdicts"]:
        if verdict["citation"] < own:
            span = Span(verdict["claim"]["start"], verdict["claim"]["end"])
            found[span] = (*found.get(span, ()), verdict["citation"])
    return dict(sorted(found.items(), key=lambda each: (each[0].start, each[0].end))) or {
        Span(0, len(answer.prose)): tuple(range(own))
    }


def save_sheet(
    context: Context,
    answer_id: str,
    actor: Actor,
    said: Mapping[Span, Label],
    *,
    note: str | None,
) -> QueuedReview:
    """Keep what a person says of each claim, and of the answer the worst of it.

    Raises InputError where claims lack a label or are none of the answer's; ConflictError without
    an identity, a second time, and where the answer has its labels; NotFoundError for an answer
    that is not in the queue.
    """
    reviews = context.store.samples.reviews
    review = reviews.load(answer_id)
    role = find_role(context, review, actor)
    if role in {"done", "closed"}:
        msg = "Expected an answer that waits for your label, got one that is closed to you."
        raise ConflictError(msg, hint="Take the next answer of the queue.")
    stored = context.store.answers.load(review.outcome.verification_id or "")
    answer = parse_payload(stored.raw, stored.block["import"]["format"]).answer
    claims = list_claims(answer, stored.block)
    if said.keys() != claims.keys():
        msg = f"Expected a label for each of {len(claims)} claims, got {len(said)}."
        raise InputError(msg, hint="Label every claim; 'unclear' is a label.")
    return reviews.add_label(
        answer_id,
        next(label for label in _WORST if label in said.values()),
        reviewer=name_reviewer(actor),
        note=note,
        labelled_at=datetime.now(UTC),
        claims=[ClaimLabel(start=at.start, end=at.end, label=said[at]) for at in claims],
        is_final=role == "adjudicator",
    )


def measure_agreement(context: Context) -> Agreement:
    """Krippendorff's alpha over claims, by each person's first label: later ones were not blind."""
    units: dict[tuple[str, int, int], dict[str, Label]] = {}
    for answer_id, labels in context.store.samples.reviews.list_sheets().items():
        for each in labels:
            if each.is_final:
                continue
            for claim in each.claims:
                key = (answer_id, claim.start, claim.end)
                units.setdefault(key, {}).setdefault(each.reviewer, claim.label)
    return compute_agreement([tuple(each.values()) for each in units.values()])
