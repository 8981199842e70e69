"""The review queue as a page: what is left, how far people agree, and what waits for a decision.

No row says what the verifier or a colleague said of an answer before the reader's own label stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.api.console.answer.view import make_heading
from spanproof.core.errors import InputError, IntegrityError, VerificationErasedError
from spanproof.operations.sampling.sheets import measure_agreement
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from spanproof.api.console.links import Links
    from spanproof.monitor.agreement import Agreement
    from spanproof.operations.context import Context
    from spanproof.store.samples.records import Label, QueuedReview

#: Items on one page of the queue.
ROWS_PER_PAGE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """One answer of the queue; ``own`` is the reader's label, ``agreed`` shown only after it."""

    url: str
    heading: str
    review: QueuedReview
    own: Label | None
    agreed: Label | None
    is_split: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """A page of the queue, in the order of the draw; ``disputes`` wait for this reader's word."""

    rows: tuple[ReviewRow, ...]
    disputes: tuple[ReviewRow, ...]
    agreement: Agreement
    total: int
    labelled: int
    places: int
    reviewer: str | None
    shows_all: bool
    next_url: str | None


def make_queue_view(
    context: Context, links: Links, *, reviewer: str | None, shows_all: bool, after: str | None
) -> QueueView:
    """The queue from an item on; without those that the reader labelled unless requested."""
    reviews = context.store.samples.reviews
    found = reviews.list(only_open=not shows_all, by=reviewer, after=after, limit=ROWS_PER_PAGE + 1)
    shown, counts = found[:ROWS_PER_PAGE], reviews.count()
    places = context.settings.reviewers
    next_url = None
    if len(found) > ROWS_PER_PAGE:
        query = {"after": shown[-1].item.answer_id} | ({"all": "1"} if shows_all else {})
        next_url = links.reviews(query)
    disputes = [
        each
        for each in reviews.list_split(places)
        if reviewer is not None and reviewer not in each.newest
    ]
    return QueueView(
        rows=tuple(make_row(context, each, links, reviewer) for each in shown),
        disputes=tuple(
            make_row(context, each, links, reviewer) for each in disputes[:ROWS_PER_PAGE]
        ),
        agreement=measure_agreement(context),
        total=counts.items,
        labelled=counts.labelled,
        places=places,
        reviewer=reviewer,
        shows_all=shows_all,
        next_url=next_url,
    )


def make_row(
    context: Context, review: QueuedReview, links: Links, reviewer: str | None
) -> ReviewRow:
    """An answer by its question; one that cannot be read must not hide the others."""
    heading = "(this answer cannot be read)"
    try:
        stored = context.store.answers.load(review.outcome.verification_id or "")
        answer = parse_payload(stored.raw, stored.block["import"]["format"]).answer
        heading = make_heading(answer)
    except VerificationErasedError:
        heading = "(this answer was erased)"
    except (InputError, IntegrityError):
        pass
    own = review.newest.get(reviewer or "")
    return ReviewRow(
        url=links.review(review.item.answer_id),
        heading=heading,
        review=review,
        own=None if own is None else own.label,
        agreed=None if own is None else review.verdict,
        is_split=own is not None and review.is_split,
    )
