"""The review queue as pages: the list, and one answer with buttons for a label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from spanproof.api.console.answer.view import shorten
from spanproof.core.errors import InputError, IntegrityError, VerificationErasedError
from spanproof.operations.sampling.reviews import SubmittedLabel, parse_label
from spanproof.store.samples.reviews import LABELS
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from spanproof.api.console.links import Links
    from spanproof.operations.context import Context
    from spanproof.store.samples.records import QueuedReview

#: Items on one page of the queue.
ROWS_PER_PAGE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """One answer of the queue."""

    url: str
    heading: str
    review: QueuedReview


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """A page of the queue, in the order of the draw."""

    rows: tuple[ReviewRow, ...]
    total: int
    labelled: int
    shows_all: bool
    next_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewView:
    """The part above the answer: labels so far, and the form."""

    review: QueuedReview
    action: str
    queue_url: str
    labels: tuple[str, ...] = LABELS


def make_queue_view(
    context: Context, links: Links, *, shows_all: bool, after: str | None
) -> QueueView:
    """The queue from an item on; without labelled items unless requested."""
    reviews = context.store.samples.reviews
    found = reviews.list(only_open=not shows_all, after=after, limit=ROWS_PER_PAGE + 1)
    shown, counts = found[:ROWS_PER_PAGE], reviews.count()
    next_url = None
    if len(found) > ROWS_PER_PAGE:
        query = {"after": shown[-1].item.answer_id} | ({"all": "1"} if shows_all else {})
        next_url = links.reviews(query)
    return QueueView(
        rows=tuple(_make_row(context, each, links) for each in shown),
        total=counts.items,
        labelled=counts.labelled,
        shows_all=shows_all,
        next_url=next_url,
    )


def make_review_view(review: QueuedReview, links: Links) -> ReviewView:
    """The form of one item, and its labels."""
    return ReviewView(
        review=review, action=links.review(review.item.answer_id), queue_url=links.reviews()
    )


def read_form(raw: bytes) -> SubmittedLabel:
    """Parse the form that a browser sends; raise InputError otherwise."""
    try:
        form = parse_qs(raw.decode("utf-8"), strict_parsing=True, max_num_fields=3)
    except ValueError as error:
        msg = "Expected the form of a review, got another body."
        raise InputError(msg, hint="Use the buttons of the page.") from error
    label, reviewer, note = (form.get(name, [""])[-1] for name in ("label", "reviewer", "note"))
    return parse_label(label, reviewer, note)


def _make_row(context: Context, review: QueuedReview, links: Links) -> ReviewRow:
    heading = "(this answer cannot be read)"
    try:
        stored = context.store.answers.load(review.outcome.verification_id or "")
        answer = parse_payload(stored.raw, stored.block["import"]["format"]).answer
        heading = shorten(answer.question or answer.prose)
    except VerificationErasedError:
        heading = "(this answer was erased)"
    except (InputError, IntegrityError):
        pass  # An unreadable record must not hide the others.
    return ReviewRow(url=links.review(review.item.answer_id), heading=heading, review=review)
