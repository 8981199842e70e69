"""The card of one citation: the place of its quote, and the verdict of each claim that cites it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.api.console.answer.claim_notes import (
    NewestView,
    QuotationView,
    describe_newest,
    describe_pages,
    find_origin,
    list_quotations,
)
from spanproof.api.console.answer.comparison import (
    AROUND,
    Comparison,
    MarkedText,
    compare,
    mark_claim,
)
from spanproof.api.console.answer.difference import DifferenceView, merge_difference
from spanproof.api.console.answer.gauge import Gauge, make_gauge
from spanproof.api.console.answer.page_figure import CROP, PageFigure, draw_figures
from spanproof.api.console.answer.place import MAX_PLACES, Place, make_place, place_at, to_span
from spanproof.api.console.links import Links, find_web_url
from spanproof.api.console.surroundings.pieces import CARD
from spanproof.api.console.surroundings.view import (
    Surroundings,
    describe_reading,
    make_surroundings,
)
from spanproof.core.verdicts.status import IdentityStatus
from spanproof.operations.presentation.excerpt import Excerpt, cut_excerpt, mark_chunk
from spanproof.operations.presentation.words import Axis, describe_axis, find_worst

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanproof.api.console.answer.extraction_reader import ExtractionReader
    from spanproof.api.console.links import Links
    from spanproof.core.citation import Answer, Citation, Retrieval
    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span


Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimVerdict:
    """What one claim's verdict says: outcome, reason, codes, the two axes that depend on it."""

    index: int
    outcome: str
    claim: tuple[MarkedText, ...]
    #: What the model read, where it is not the claim itself.
    hypothesis: str | None
    notes: str
    codes: tuple[str, ...]
    support: Axis
    attribution: Axis
    probabilities: tuple[tuple[str, str], ...]
    gauge: Gauge | None
    vetoes: tuple[tuple[str, str, str], ...]
    ordered_coverage: str | None
    unsupported: tuple[str, ...]
    parts: tuple[tuple[str, Axis], ...]
    read: tuple[tuple[str, str], ...]
    quotations: tuple[QuotationView, ...]
    supported_by: tuple[Place, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCard:
    """Everything shown of one citation; ``outcome`` is the worst of its verdicts."""

    card_id: str
    citation: Citation
    outcome: str
    why: str
    title: str
    doc_hash: str | None
    snippet_hash: str | None
    extraction_id: str | None
    pipeline: str | None
    web_url: str | None
    origin: str | None
    pages: str | None
    newest: NewestView | None
    axes: tuple[Axis, ...]
    claims: tuple[ClaimVerdict, ...]
    place: Place | None
    chunk: Excerpt | None
    candidates: tuple[Place, ...]
    more_candidates: int
    folds: tuple[str, ...]
    difference: DifferenceView | None
    comparison: Comparison | None
    figures: tuple[PageFigure, ...]
    surroundings: Surroundings | None
    reading: str | None
    original_url: str | None

    @property
    def tip(self) -> Excerpt | None:
        """The tooltip of an anchor: the retrieved chunk, or the text around the span."""
        return self.chunk or (self.place.excerpt if self.place else None)


def name_cards(citations: Sequence[Citation]) -> tuple[str, ...]:
    """``citation-<anchor>``; a second citation of one anchor is ``citation-<anchor>-2``."""
    seen: dict[int, int] = {}
    names = []
    for citation in citations:
        count = seen[citation.anchor] = seen.get(citation.anchor, 0) + 1
        names.append(f"citation-{citation.anchor}" + (f"-{count}" if count > 1 else ""))
    return tuple(names)


def make_cards(
    answer: Answer, block: Mapping[str, Any], reader: ExtractionReader, links: Links
) -> tuple[CitationCard, ...]:
    """One card per citation, in order; also for citations that no claim uses."""
    chunks = {chunk.chunk_id: chunk for chunk in reversed(answer.retrieved)}
    desk = _Desk(block=block, chunks=chunks, reader=reader, links=links)
    verdicts: dict[int, list[tuple[int, Json]]] = {}
    for index, verdict in enumerate(block["verdicts"]):
        verdicts.setdefault(verdict["citation"], []).append((index, verdict))
    return tuple(
        desk.make_card(name, citation, verdicts.get(index, []))
        for index, (name, citation) in enumerate(
            zip(name_cards(answer.citations), answer.citations, strict=True)
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """What all cards of a page share."""

    block: Mapping[str, Any]
    chunks: Mapping[str, Retrieval]
    reader: ExtractionReader
    links: Links

    def make_card(
        self, name: str, citation: Citation, verdicts: list[tuple[int, Json]]
    ) -> CitationCard:
        # Identity, existence and locator are the same in all verdicts of a citation.
        first = verdicts[0][1] if verdicts else None
        identity: Json = first["identity"] if first else {}
        existence: Json = first["existence"] if first else {}
        given = str(citation.doc_hash) if citation.doc_hash else None
        is_snippet = identity.get("status") == IdentityStatus.SNIPPET
        doc_hash = None if is_snippet else identity.get("doc_hash") or given
        named = citation.doc_title or citation.doc_id
        # A text of the request is kept in the payload alone.
        extraction = None if is_snippet else self.reader.find(identity.get("extraction_id"))
        span = _find_span(existence)
        candidates: list[Json] = existence.get("candidates", [])
        chunk = self.chunks.get(citation.chunk_id or "")
        outcome = find_worst([v["outcome"] for _, v in verdicts]) if verdicts else "unused"
        difference = merge_difference(existence.get("difference"), span.start if span else None)
        return CitationCard(
            card_id=name,
            citation=citation,
            outcome=outcome,
            why=next(
                (v["notes"] for _, v in verdicts if find_worst([v["outcome"]]) == outcome),
                "No anchor of the answer uses this citation: it was not judged.",
            ),
            title=f"Text of the request: {named or citation.chunk_id}"
            if is_snippet
            else named or f"Document {doc_hash}",
            doc_hash=doc_hash,
            snippet_hash=identity.get("doc_hash") if is_snippet else None,
            extraction_id=str(extraction.extraction_id) if extraction else None,
            pipeline=extraction.pipeline.name if extraction else citation.extraction_pipeline,
            web_url=find_web_url(citation.doc_url),
            origin=find_origin(citation),
            pages=describe_pages(citation),
            newest=describe_newest(identity, self.links),
            axes=_describe_axes(first),
            claims=tuple(self.make_claim(i, v, extraction) for i, v in verdicts),
            place=place_at(span, extraction, self.links) if span and extraction else None,
            chunk=mark_chunk(chunk, extraction.text if extraction else None, span)
            if chunk
            else None,
            candidates=self._make_places(candidates, extraction),
            more_candidates=max(0, len(candidates) - MAX_PLACES),
            folds=tuple(existence.get("folds", ())),
            difference=difference,
            comparison=_compare(citation, verdicts, difference, span, extraction),
            figures=self._draw(citation, span, candidates, extraction),
            surroundings=make_surroundings(
                extraction, _list_spans(span, candidates, extraction), CARD
            ),
            reading=describe_reading(extraction, span),
            original_url=self.links.original(doc_hash) if doc_hash and extraction else None,
        )

    def make_claim(self, index: int, verdict: Json, extraction: Extraction | None) -> ClaimVerdict:
        support, attribution = verdict["support"], verdict["attribution"]
        hypothesis = verdict["claim"]["hypothesis"]
        names = ("p_entailment", "p_neutral", "p_contradiction")
        vetoes = ((v["kind"], v["claim"], v["source"] or "nothing") for v in support["vetoes"])
        return ClaimVerdict(
            index=index,
            outcome=find_worst([verdict["outcome"]]),
            claim=mark_claim(verdict),
            hypothesis=None if hypothesis == verdict["claim"]["text"] else hypothesis,
            notes=verdict["notes"],
            codes=tuple(verdict["codes"]),
            support=describe_axis("support", support["status"], reason=support["reason"]),
            attribution=describe_axis("attribution", attribution["status"]),
            probabilities=tuple(
                (name.removeprefix("p_"), f"{support[name]:.3f}")
                for name in names
                if support[name] is not None
            ),
            gauge=make_gauge(self.block, support),
            vetoes=tuple(vetoes),
            # Blocks of older procedures have none of these.
            ordered_coverage=_write_share(support.get("ordered_coverage")),
            unsupported=tuple(part["claim"] for part in support.get("unsupported_parts", ())),
            parts=tuple(
                (part["text"], describe_axis("support", part["status"], reason=part["reason"]))
                for part in support.get("subclaims", ())
            ),
            read=tuple((support.get("read") or {}).items()),
            quotations=list_quotations(verdict, extraction, self.links),
            supported_by=self._make_places(attribution["supported_by"], extraction),
        )

    def _make_places(self, places: list[Json], own: Extraction | None) -> tuple[Place, ...]:
        return tuple(make_place(raw, own, self.reader, self.links) for raw in places[:MAX_PLACES])

    def _draw(
        self,
        citation: Citation,
        span: Span | None,
        candidates: list[Json],
        extraction: Extraction | None,
    ) -> tuple[PageFigure, ...]:
        """The pages with the quote: of the cited document, else of the other one."""
        if extraction is None:
            return ()
        own = str(extraction.document.doc_hash)
        spans = _list_spans(span, candidates, extraction)
        given = citation.locator
        figures = draw_figures(extraction, spans, self.links, given=given, look=CROP)
        elsewhere = next((raw for raw in candidates if raw["doc_hash"] != own), None)
        if spans or elsewhere is None:
            return figures
        other = self.reader.find_superseding(elsewhere["doc_hash"])
        return figures + (
            draw_figures(other, [to_span(elsewhere)], self.links, look=CROP) if other else ()
        )


def _list_spans(
    span: Span | None, candidates: list[Json], extraction: Extraction | None
) -> list[Span]:
    """The quote's place in the cited document, or the places that it may have there."""
    if span is not None or extraction is None:
        return [] if span is None else [span]
    own = str(extraction.document.doc_hash)
    return [to_span(raw) for raw in candidates if raw["doc_hash"] == own][:MAX_PLACES]


def _describe_axes(verdict: Json | None) -> tuple[Axis, ...]:
    if verdict is None:
        return ()
    names = ("identity", "existence", "locator")
    axes = [describe_axis(name, verdict[name]["status"]) for name in names]
    if verdict["identity"]["chunk"] != "NOT_GIVEN":
        axes.insert(1, describe_axis("chunk", verdict["identity"]["chunk"]))
    return tuple(axes)


def _compare(
    citation: Citation,
    verdicts: list[tuple[int, Json]],
    difference: DifferenceView | None,
    span: Span | None,
    extraction: Extraction | None,
) -> Comparison | None:
    if span is None or extraction is None:
        return None
    excerpt = cut_excerpt(extraction.text, span, around=AROUND)
    if excerpt is None:
        return None
    # A veto without a word of the source has no place there.
    deciding = [
        to_span(veto).shift(-span.start)
        for _, verdict in verdicts
        for veto in verdict["support"]["vetoes"]
        if veto.get("char_start") is not None and span.contains(to_span(veto))
    ]
    quote = None if citation.quote is None else citation.quote.text
    return compare(quote, excerpt, difference.pieces if difference else (), deciding)


def _find_span(existence: Json) -> Span | None:
    return to_span(existence) if existence.get("char_start") is not None else None


def _write_share(share: float | None) -> str | None:
    return None if share is None else f"{share:.0%}"
