"""Hand-made verdicts and pages for the console's tests; the shapes are core's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.api.console.answer.extraction_reader import ExtractionReader
from spanproof.api.console.answer.view import AnswerView, make_answer_view
from spanproof.api.console.links import Links
from spanproof.api.console.rendering import render_page
from spanproof.core.citation import Answer, Claim
from spanproof.core.digest import Digest
from spanproof.core.documents.document import CharacterCounts, Document, Extraction, Page, Pipeline
from spanproof.core.documents.layout import Layout
from spanproof.core.errors import ExtractionNotFoundError, SpanproofError
from spanproof.core.geometry import PageFrame, Rect
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.core.verdicts.status import (
    AttributionStatus,
    ExistenceStatus,
    IdentityStatus,
    LocatorStatus,
    Outcome,
    SupportStatus,
)
from spanproof.core.verdicts.verdict import (
    Attribution,
    Existence,
    Identity,
    LocatorCheck,
    Support,
    Verdict,
)
from spanproof.core.verdicts.verdict_json import verdict_to_json
from spanproof.verifier.formats.native import parse_answer
from tests.builders import MOMENT

if TYPE_CHECKING:
    from spanproof.core.geometry import Rotation

LINKS = Links()


class MemoryStore:
    """Extractions by their identity, as the store's documents give them."""

    def __init__(self, *extractions: Extraction, error: SpanproofError | None = None) -> None:
        self._known = {str(e.extraction_id): e for e in extractions}
        self._error = error

    def load_extraction(self, extraction_id: Digest) -> Extraction:
        """The extraction, or the error that this reader was made with."""
        if self._error is not None:
            raise self._error
        try:
            return self._known[str(extraction_id)]
        except KeyError as error:
            msg = f"Expected an extraction, got {extraction_id}."
            raise ExtractionNotFoundError(msg, hint="Ingest the document.") from error

    def extractions_of(self, doc_hash: Digest) -> tuple[Digest, ...]:
        """The extractions of a document."""
        return tuple(
            e.extraction_id for e in self._known.values() if e.document.doc_hash == doc_hash
        )


def make_page(
    text: str, *, rotation: Rotation = 0, user_unit: float = 1.0, label: str | None = None
) -> Extraction:
    """One line of text on one page: each character is 5 units wide, from (150, 250) rightwards."""
    count = len(text)
    left = np.arange(count, dtype=np.int32) * 500
    return Extraction(
        document=Document(
            doc_hash=Digest.of(text.encode()), media_type="application/pdf", byte_length=count
        ),
        pipeline=Pipeline(name="test@1", config_json="{}"),
        text=CanonicalText.of(text),
        pages=(
            Page(
                number=1,
                label=label,
                span=Span(0, count),
                frame=PageFrame(
                    view_box=Rect(120, 230, 500, 700),
                    media_box=Rect(100, 200, 700, 1000),
                    rotation=rotation,
                    user_unit=user_unit,
                ),
                text_source="born_digital",
                counts=CharacterCounts(characters=count),
            ),
        ),
        layout=Layout(
            run_start=np.array([0], np.int32),
            run_end=np.array([count], np.int32),
            run_x=np.array([15000], np.int32),
            run_y=np.array([25000], np.int32),
            run_cos=np.array([1], np.float32),
            run_sin=np.array([0], np.float32),
            run_ascent=np.array([800], np.int32),
            run_descent=np.array([-200], np.int32),
            left=left,
            right=left + 500,
            flags=np.zeros(count, np.uint16),
        ),
    )


def cite(document: Extraction, quote: str, *, anchor: int = 1, **more: Any) -> dict[str, Any]:
    """A citation of a quote, without offsets."""
    return {
        "anchor": anchor,
        "doc_hash": str(document.document.doc_hash),
        "span": {"text": quote},
    } | more


def read_answer(prose: str, *citations: dict[str, Any], **more: Any) -> Answer:
    """An answer as the native parser reads it."""
    return parse_answer(
        json.dumps({"answer": prose, "citations": citations} | more).encode()
    ).answer


def make_verdict(
    answer: Answer,
    document: Extraction,
    claim: str,
    *,
    citation: int = 0,
    outcome: Outcome = Outcome.PASS,
    existence: Existence | None = None,
    support: Support | None = None,
    notes: str = "The span says so.",
    codes: tuple[str, ...] = ("EXISTENCE_EXACT",),
) -> dict[str, Any]:
    """The JSON of one verdict on one claim of the answer."""
    start = answer.prose.index(claim)
    cited = answer.citations[citation].quote
    quote = "" if cited is None else cited.text
    at = document.text.text.find(quote)
    exact = Existence(
        status=ExistenceStatus.EXACT, span=Span(at, at + len(quote)) if at >= 0 else None
    )
    verdict = Verdict(
        anchor=answer.citations[citation].anchor,
        citation=citation,
        claim=Claim(text=claim, span=Span(start, start + len(claim)), hypothesis=claim),
        identity=Identity(
            status=IdentityStatus.MATCH,
            doc_hash=document.document.doc_hash,
            extraction_id=document.extraction_id,
        ),
        existence=existence or exact,
        locator=LocatorCheck(status=LocatorStatus.NOT_GIVEN),
        support=support
        or Support(
            status=SupportStatus.ENTAILED,
            p_entailment=0.97,
            p_neutral=0.02,
            p_contradiction=0.01,
            windows=1,
            coverage=1.0,
        ),
        attribution=Attribution(status=AttributionStatus.HERE),
        outcome=outcome,
        codes=codes,
        notes=notes,
    )
    return dict(verdict_to_json(verdict))


def make_block(*verdicts: dict[str, Any], result: str = "pass", **more: Any) -> dict[str, Any]:
    """A block around these verdicts."""
    return {
        "verifier_version": "0.1.0+test",
        "verified_at": "2026-11-20T14:00:00Z",
        "all_spans_present": True,
        "all_claims_entailed": True,
        "result": result,
        "citation_level": "YELLOW",
        "citation_density": 0.5,
        "declared": {"count": len(verdicts), "density": 1.0},
        "recommended_action": "show",
        "abstention_reason": None,
        "codes": [],
        "orphan_anchors": [],
        "unused_citations": [],
        "uncited_sentences": [],
        "over_cited": [],
        "policy": {"name": "balanced", "version": 1, "digest": str(Digest.of(b"policy"))},
        "model": {
            "name": "test-model",
            "weights_sha256": None,
            "runtime": "none",
            "calibration": "none",
            "threshold": 0.5,
            "labels": [],
        },
        "verdicts_digest": str(Digest.of(b"verdicts")),
        "import": {"format": "native"},
        "verdicts": list(verdicts),
    } | more


def make_view(answer: Answer, block: dict[str, Any], *documents: Extraction) -> AnswerView:
    """The answer page's values over these documents."""
    return make_answer_view("v-1", answer, block, ExtractionReader(MemoryStore(*documents)), LINKS)


def render_answer(answer: Answer, block: dict[str, Any], *documents: Extraction) -> str:
    """The answer page's HTML."""
    view = make_view(answer, block, *documents)
    page = render_page("answer.html", LINKS, view=view, verified_at=MOMENT)
    return bytes(page.body).decode()
