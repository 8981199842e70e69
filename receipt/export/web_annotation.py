"""Citations as W3C Web Annotations, so that readers of other makers can show them.

Each annotation stands on the canonical text (TextPositionSelector in code points, TextQuoteSelector
with what appears around it) and, where the document has pages, on the page too (FragmentSelector).
Source: https://www.w3.org/TR/annotation-model/ (23 February 2017).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
MEDIA_TYPE = 'application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"'
#: What ``#page=14`` in the address of a PDF means: the name that the model's own table gives it,
#: though RFC 8118 has taken this one's place.
PDF_FRAGMENT = "http://tools.ietf.org/rfc/rfc3778"
#: Code points before and after a quote, by which it is found again in a text that moved.
CONTEXT_CHARACTERS = 32
_PDF = "application/pdf"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedDocument:
    """A cited document as it is in a pack: where its source and its canonical text are."""

    source: str
    media_type: str
    text_path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSpan:
    """One verdict: the claim, the quote, and the outcome.

    ``start`` and ``end`` are code points of the canonical text; both None where nothing was found,
    then ``quote`` (the caller's words) is all there is. ``pages`` count from 1.
    """

    annotation_id: str
    claim: str
    quote: str | None
    start: int | None
    end: int | None
    pages: tuple[int, ...]
    outcome: str
    codes: tuple[str, ...]
    verified_at: str
    document: CitedDocument | None


def annotations_to_json(page_id: str, spans: Sequence[CitedSpan]) -> Json:
    """An AnnotationPage with one annotation a verdict, in their order."""
    return {
        "@context": CONTEXT,
        "id": page_id,
        "type": "AnnotationPage",
        "items": [_annotation_to_json(each) for each in spans],
    }


def _annotation_to_json(cited: CitedSpan) -> Json:
    return {
        "id": cited.annotation_id,
        "type": "Annotation",
        "motivation": "assessing",
        "created": cited.verified_at,
        "body": [
            _body("describing", cited.claim),
            *(_body("tagging", tag) for tag in (cited.outcome, *cited.codes)),
        ],
        "target": _list_targets(cited),
    }


def _body(purpose: str, value: str) -> Json:
    return {"type": "TextualBody", "purpose": purpose, "format": "text/plain", "value": value}


def _list_targets(cited: CitedSpan) -> list[Json]:
    document = cited.document
    if document is None:
        # The cited document is not kept here: only its words are known, and no address.
        return [_resource("urn:spanproof:unknown-document", "text/plain", _quote_selectors(cited))]
    selectors = _span_selectors(cited, document.text) or _quote_selectors(cited)
    targets = [_resource(document.text_path, "text/plain", selectors)]
    if document.media_type == _PDF:
        targets += [
            _resource(document.source, document.media_type, [_page_selector(page)])
            for page in cited.pages
        ]
    return targets


def _resource(source: str, media_type: str, selectors: list[Json]) -> Json:
    resource: Json = {"type": "SpecificResource", "source": {"id": source, "format": media_type}}
    return resource | ({"selector": selectors} if selectors else {})


def _span_selectors(cited: CitedSpan, text: str) -> list[Json]:
    if cited.start is None or cited.end is None:
        return []
    return [
        {"type": "TextPositionSelector", "start": cited.start, "end": cited.end},
        {
            "type": "TextQuoteSelector",
            "exact": text[cited.start : cited.end],
            "prefix": text[max(0, cited.start - CONTEXT_CHARACTERS) : cited.start],
            "suffix": text[cited.end : cited.end + CONTEXT_CHARACTERS],
        },
    ]


def _quote_selectors(cited: CitedSpan) -> list[Json]:
    return [] if cited.quote is None else [{"type": "TextQuoteSelector", "exact": cited.quote}]


def _page_selector(page: int) -> Json:
    return {"type": "FragmentSelector", "conformsTo": PDF_FRAGMENT, "value": f"page={page}"}
