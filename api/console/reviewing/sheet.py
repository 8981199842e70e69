"""One answer for a person to label: its claims with what they cite, and not a word of the verdict.

The values here are what the page may know: no outcome, status, note or probability is among them,
and no label of a colleague unless the reader decides a dispute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from spanproof.api.console.answer.card import make_cards
from spanproof.core.errors import InputError
from spanproof.core.span import Span
from spanproof.operations.sampling.sheets import list_claims
from spanproof.store.samples.reviews import LABELS
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from spanproof.api.console.answer.card import CitationCard
    from spanproof.api.console.answer.extraction_reader import ExtractionReader
    from spanproof.api.console.answer.page_figure import PageFigure
    from spanproof.api.console.links import Links
    from spanproof.operations.presentation.excerpt import Excerpt
    from spanproof.store.records import StoredVerification
    from spanproof.store.samples.records import Label, QueuedReview

#: A claim's field and its label; a note, and what to do next.
_MOST_FIELDS = 4100


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """What a claim cites: the quote, and the places in documents to read, without any judgement."""

    anchor: int
    title: str
    quote: str | None
    excerpts: tuple[Excerpt, ...]
    figures: tuple[PageFigure, ...]
    view_url: str | None
    original_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimView:
    """A claim with its field's name; ``said`` holds colleagues' labels where a dispute is open."""

    field: str
    text: str
    sources: tuple[SourceView, ...]
    said: tuple[tuple[str, Label], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetView:
    """The form of one answer."""

    question: str | None
    prose: str
    claims: tuple[ClaimView, ...]
    notes: tuple[tuple[str, str], ...]
    decides: bool
    action: str
    labels: tuple[Label, ...] = LABELS


def make_sheet_view(
    review: QueuedReview,
    stored: StoredVerification,
    reader: ExtractionReader,
    links: Links,
    *,
    decides: bool,
) -> SheetView:
    """The form; ``decides`` shows what colleagues said, to who decides between them."""
    answer = parse_payload(stored.raw, stored.block["import"]["format"]).answer
    block = stored.block
    own = {"verdicts": [v for v in block["verdicts"] if v["citation"] < len(answer.citations)]}
    cards = make_cards(answer, {**block, **own}, reader, links)
    labels = tuple(review.newest.values()) if decides else ()
    return SheetView(
        question=answer.question,
        prose=answer.prose,
        claims=tuple(
            ClaimView(
                field=f"claim-{span.start}-{span.end}",
                text=answer.prose[span.start : span.end],
                sources=tuple(_make_source(cards[each], links) for each in citations),
                said=tuple(
                    (label.reviewer, claim.label)
                    for label in labels
                    for claim in label.claims
                    if Span(claim.start, claim.end) == span
                ),
            )
            for span, citations in list_claims(answer, block).items()
        ),
        notes=tuple((each.reviewer, each.note) for each in labels if each.note),
        decides=decides,
        action=links.review(review.item.answer_id),
    )


def _make_source(card: CitationCard, links: Links) -> SourceView:
    places = (card.place,) if card.place else card.candidates[:1]
    return SourceView(
        anchor=card.citation.anchor,
        title=card.title,
        quote=card.citation.quote.text if card.citation.quote else None,
        excerpts=tuple(each.excerpt for each in places if each.excerpt),
        figures=card.figures[:1],
        view_url=next((each.view_url for each in places if each.view_url), None),
        original_url=links.original(card.doc_hash) if card.original_url and card.doc_hash else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SentSheet:
    """What a browser sent; ``goes_on``: to the next answer, else back to this one."""

    said: dict[Span, Label]
    note: str | None
    goes_on: bool


def read_sheet(raw: bytes) -> SentSheet:
    """Parse the form that a browser sends; raise InputError otherwise."""
    try:
        form = parse_qs(raw.decode("utf-8"), max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise _refuse() from error
    said: dict[Span, Label] = {}
    for name, values in form.items():
        if not name.startswith("claim-"):
            continue
        start, _, end = name.removeprefix("claim-").partition("-")
        label = next((each for each in LABELS if each == values[-1]), None)
        # Twelve ASCII digits hold every offset.
        if label is None or not all(
            each.isascii() and each.isdigit() and len(each) <= 12 for each in (start, end)
        ):
            raise _refuse()
        said[Span(int(start), int(end))] = label
    note = form.get("note", [""])[-1].strip() or None
    return SentSheet(said=said, note=note, goes_on=form.get("then", ["next"])[-1] != "show")


def _refuse() -> InputError:
    msg = "Expected the form of a review, got another body."
    return InputError(msg, hint="Use the buttons of the page.")
