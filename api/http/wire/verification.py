"""Verifications: one with block and receipt, lists, and feedback."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - pydantic reads annotations
from typing import Literal

from pydantic import BaseModel, ConfigDict

from spanproof.api.http.wire.answer import (
    AnswerIn,
    CellIn,
    CitationIn,
    GeneratorIn,
    LocatorIn,
    RetrievedIn,
    SpanIn,
)
from spanproof.api.http.wire.receipt import ReceiptOut  # noqa: TC001 - pydantic reads annotations
from spanproof.core.verdicts.block_shapes import BlockOut  # noqa: TC001 - pydantic reads annotations
from spanproof.core.verdicts.verdict_shapes import OutcomeText

# The caller's payload as a response returns it: each part has a shape of its own, so a field
# that only a request may leave out, or only the service adds, changes one side alone.


class SentSpanOut(SpanIn):
    """The quoted text and its offsets, as sent."""


class SentLocatorOut(LocatorIn):
    """A page and the box on it, as sent."""


class SentCellOut(CellIn):
    """A cell of a table, as sent."""


class SentCitationOut(CitationIn):
    """One structured citation, as sent."""

    span: SentSpanOut
    pdf_locator: SentLocatorOut | None = None
    cell: SentCellOut | None = None


class SentChunkOut(RetrievedIn):
    """One chunk that the retriever returned, as sent."""


class SentGeneratorOut(GeneratorIn):
    """What wrote the answer, as sent."""


class SentAnswerOut(AnswerIn):
    """An answer in the native format, as sent."""

    citations: Sequence[SentCitationOut]
    generator: SentGeneratorOut | None = None
    retrieved: Sequence[SentChunkOut] | None = None


class VerificationOut(SentAnswerOut):
    """The payload as sent, plus ids, block and receipt.

    ``receipt`` and ``receipt_url`` are null for verifications from before there were receipts, and
    if the log has no leaf for the result. ``receipt`` alone is null where the response would have
    more than eight times the bytes of the payload and 64 KiB: get it at ``receipt_url``.
    """

    # Set as ``extra``, it would hold for the parts of the block too.
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": True})

    answer_id: str
    verification_id: str
    verification: BlockOut
    receipt: ReceiptOut | None
    receipt_url: str | None


class VerificationRowOut(BaseModel):
    """One verification in a list."""

    verification_id: str
    answer_id: str
    verified_at: str
    result: OutcomeText
    citation_level: str
    verdicts: int
    generator_model: str | None
    prompt_id: str | None
    excerpt: str


class VerificationListOut(BaseModel):
    """One page of verifications, newest first."""

    verifications: list[VerificationRowOut]
    next_cursor: str | None


class ListedCitationOut(BaseModel):
    """A verdict in a list; offsets are code points of the extraction's text."""

    verdict: int
    citation: int
    doc_hash: str | None
    extraction_id: str | None
    char_start: int | None
    char_end: int | None
    pages: list[int]
    outcome: OutcomeText
    codes: list[str]
    index_version: str | None
    chunk_id: str | None


class AnswerRowOut(VerificationRowOut):
    """One answer with its newest verification and the citations that match the filter."""

    citations: list[ListedCitationOut]


class AnswerListOut(BaseModel):
    """One page of answers, last verified first."""

    answers: list[AnswerRowOut]
    next_cursor: str | None


class FeedbackItemOut(BaseModel):
    """One problem of an answer; offsets are null if it has no place in the prose."""

    kind: Literal[
        "failed_citation",
        "orphan_anchor",
        "unread_citation",
        "unused_citation",
        "uncited_sentence",
    ]
    anchor: int | None
    start: int | None
    end: int | None
    text: str | None
    codes: list[str]
    action: str


class FeedbackOut(BaseModel):
    """List what a regenerated answer must fix."""

    verification_id: str
    result: OutcomeText
    items: list[FeedbackItemOut]
