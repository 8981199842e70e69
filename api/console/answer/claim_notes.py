"""Notes of a card besides the axes: quotations in a claim, the newest text, the place given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from spanproof.core.span import Span
from spanproof.core.verdicts.answer_findings import QuotationCheck
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.operations.presentation.words import Axis, describe_axis
from spanproof.verifier.quotes.quotations import quotation_codes

if TYPE_CHECKING:
    from spanproof.api.console.links import Links
    from spanproof.core.citation import Citation
    from spanproof.core.documents.document import Extraction

Json = dict[str, Any]
#: What each status means for words in quotation marks.
QUOTATION_MEANINGS: Final = {
    "EXACT": "The cited source has these words, character for character.",
    "FOLD_EQUAL": "The cited source has these words; only allowed folds differ.",
    "EDITORIAL": "The cited source has these words; only the edits listed were made in writing.",
    "MOVED": "The cited source has these words at another place.",
    "AMBIGUOUS": "The cited source has these words at several places.",
    "MISATTRIBUTED": "Another source that this claim cites has these words, not this one.",
    "STITCHED": "These words are pieced together from separate places.",
    "ALTERED": "The cited source says this differently.",
    "ABSENT": "The cited source does not have these words.",
    "UNVERIFIABLE": "The cited source has no text to search. This is not a pass.",
    "NOT_RUN": "Not checked. This is not a pass.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotationView:
    """Words in quotation marks inside a claim: status, place in the cited document, code."""

    text: str
    axis: Axis
    start: int | None
    end: int | None
    view_url: str | None
    code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestView:
    """A newer text of the cited document, and the status of the same words there."""

    extraction_id: str
    axis: Axis
    start: int | None
    end: int | None
    view_url: str | None


def list_quotations(
    verdict: Json, extraction: Extraction | None, links: Links
) -> tuple[QuotationView, ...]:
    """The quotations of one verdict; none in a block of an earlier procedure."""
    views = []
    for raw in verdict.get("quotations", ()):
        axis = describe_axis("existence", raw["status"])
        start, end = raw["char_start"], raw["char_end"]
        views.append(
            QuotationView(
                text=raw["text"],
                axis=Axis(
                    name="quotation",
                    status=axis.status,
                    meaning=QUOTATION_MEANINGS.get(raw["status"], axis.meaning),
                    tone=axis.tone,
                ),
                start=start,
                end=end,
                view_url=None
                if extraction is None or start is None
                else links.span(
                    str(extraction.document.doc_hash), str(extraction.extraction_id), start, end
                ),
                code=_find_code(raw, verdict["codes"]),
            )
        )
    return tuple(views)


def describe_newest(identity: Json, links: Links) -> NewestView | None:
    """The newest text if the citation names an older one, else None."""
    newest = identity.get("newest")
    if newest is None:
        return None
    start, end, extraction_id = newest["char_start"], newest["char_end"], newest["extraction_id"]
    is_placed = start is not None and identity["doc_hash"] is not None
    return NewestView(
        extraction_id=extraction_id,
        axis=describe_axis("existence", newest["status"]),
        start=start,
        end=end,
        view_url=links.span(identity["doc_hash"], extraction_id, start, end) if is_placed else None,
    )


def describe_pages(citation: Citation) -> str | None:
    """The page or inclusive range of pages that the answer names, or None."""
    given = citation.locator
    if given is None:
        return None
    if given.last_page is None or given.last_page == given.page:
        return f"page {given.page}"
    return f"pages {given.page} to {given.last_page}"


def find_origin(citation: Citation) -> str | None:
    """The format of the citation, unless it is the native one."""
    return None if citation.repaired or citation.origin == "native" else citation.origin


def _find_code(raw: Json, codes: list[str]) -> str | None:
    """The code that this quotation added to its verdict."""
    if raw["status"] not in ExistenceStatus.__members__:
        return None
    check = QuotationCheck(
        text=raw["text"], span=Span(raw["start"], raw["end"]), status=ExistenceStatus(raw["status"])
    )
    return next((code for code in quotation_codes((check,)) if code in codes), None)
