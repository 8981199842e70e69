"""The queue of answers for people: shown, labelled, and what people disagree on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError
from spanproof.core.json_reader import strict_json
from spanproof.core.moment import write_moment
from spanproof.core.shown import show_value
from spanproof.operations.access.principal import name_actor
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.store.samples.reviews import LABELS

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.samples.records import Label, QueuedReview

_HINT = 'Send {"label", "reviewer", "note"}.'


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewListReport:
    """A page of the queue, in the order of the draw."""

    items: tuple[QueuedReview, ...]
    total: int
    labelled: int
    next_after: str | None

    def to_json(self) -> dict[str, Any]:
        """The page as both doors show it."""
        return {
            "reviews": [describe_review(each) for each in self.items],
            "total": self.total,
            "labelled": self.labelled,
            "next_after": self.next_after,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedLabel:
    """What a person says of an answer."""

    label: Label
    reviewer: str
    note: str | None


def list_reviews(
    context: Context, *, only_open: bool = True, after: str | None = None, limit: int = 50
) -> ReviewListReport:
    """A page of the queue; ``only_open`` leaves out what somebody has labelled."""
    reviews = context.store.samples.reviews
    found = reviews.list(only_open=only_open, after=after, limit=limit + 1)
    shown, counts = tuple(found[:limit]), reviews.count()
    return ReviewListReport(
        items=shown,
        total=counts.items,
        labelled=counts.labelled,
        next_after=shown[-1].item.answer_id if len(found) > limit else None,
    )


def label_answer(context: Context, answer_id: str, given: SubmittedLabel) -> QueuedReview:
    """Add a person's label; earlier labels stay."""
    return context.store.samples.reviews.add_label(
        answer_id,
        given.label,
        reviewer=given.reviewer,
        note=given.note,
        labelled_at=datetime.now(UTC),
    )


def read_label(raw: bytes, actor: Actor = NOBODY) -> SubmittedLabel:
    """A label as JSON; raise InputError for anything else.

    Who asks with a key or an OpenID token labels under that identity, and names no other.
    """
    value = strict_json.parse(
        raw, what="a label as a JSON object", error=InputError, hint=_HINT, limits=None
    )
    if not isinstance(value, dict) or value.keys() - {"label", "reviewer", "note"}:
        msg = f"Expected an object of label, reviewer and note, got {show_value(value)}."
        raise InputError(msg, hint=_HINT)
    if actor == NOBODY:
        return parse_label(value.get("label"), value.get("reviewer"), value.get("note"))
    if "reviewer" in value:
        msg = f"Expected no name beside a key, got {show_value(value['reviewer'])} at /reviewer."
        raise InputError(msg, hint="Leave 'reviewer' out: the label has your key's identity.")
    return parse_label(value.get("label"), name_actor(actor), value.get("note"))


def parse_label(label: object, reviewer: object, note: object) -> SubmittedLabel:
    """The same for single values; an empty note counts as no note."""
    chosen = next((each for each in LABELS if each == label), None)
    if chosen is None:
        msg = f"Expected correct, wrong or unclear at /label, got {show_value(label)}."
        raise InputError(msg, hint=_HINT)
    if not isinstance(reviewer, str) or not reviewer.strip():
        msg = f"Expected a name at /reviewer, got {show_value(reviewer)}."
        raise InputError(msg, hint=_HINT)
    if note is not None and not isinstance(note, str):
        msg = f"Expected a text at /note, got {show_value(note)}."
        raise InputError(msg, hint=_HINT)
    return SubmittedLabel(
        label=chosen, reviewer=reviewer.strip(), note=(note or "").strip() or None
    )


def describe_review(review: QueuedReview) -> dict[str, Any]:
    """An item as both doors show it; ``agreed`` is null until somebody has said something."""
    return {
        "answer_id": review.item.answer_id,
        "verification_id": review.outcome.verification_id,
        "flagged": review.item.is_flagged,
        "result": review.outcome.result,
        "queued_at": write_moment(review.item.queued_at),
        "agreed": review.verdict,
        "disputed": review.is_disputed,
        "labels": [
            {
                "label": each.label,
                "reviewer": each.reviewer,
                "note": each.note,
                "labelled_at": write_moment(each.labelled_at),
                "final": each.is_final,
                "claims": [
                    {"start": claim.start, "end": claim.end, "label": claim.label}
                    for claim in each.claims
                ],
            }
            for each in review.labels
        ],
    }
