"""The answer that a caller sends."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from spanproof.core.digest import PREFIX, Digest
from spanproof.core.errors import InputError
from spanproof.verifier import policies

DIGEST_PATTERN = "^sha256:[0-9a-f]{64}$"
DigestText = Annotated[str, Field(pattern=DIGEST_PATTERN, examples=[PREFIX + "0" * 64])]
Unit = Literal["codepoint", "utf16", "utf8"]
#: Described only: the parser refuses an unknown policy with a code of its own.
POLICY_NAME = {"type": "string", "enum": list(policies.NAMES), "examples": ["balanced"]}
PolicyName = Annotated[str, WithJsonSchema(POLICY_NAME)]
Number = Annotated[float, Field(allow_inf_nan=False)]


def _check_document(ref: str) -> str:
    if ref.startswith(PREFIX):
        try:
            Digest.parse(ref)
        except InputError as error:
            raise ValueError(error.message) from error
    return ref


def _check_moment(text: str) -> str:
    datetime.fromisoformat(text)
    return text


def _check_box(box: list[float]) -> list[float]:
    x0, y0, x1, y1 = box
    if x1 < x0 or y1 < y0:
        msg = "the smaller corner first"
        raise ValueError(msg)
    return box


DocumentRef = Annotated[str, AfterValidator(_check_document)]
Moment = Annotated[str, AfterValidator(_check_moment), Field(examples=["2026-11-20T14:00:00Z"])]
Box = Annotated[
    list[Number],
    Field(min_length=4, max_length=4, examples=[[72.0, 312.5, 540.0, 348.2]]),
    AfterValidator(_check_box),
]


class _Shape(BaseModel):
    # Types as JSON has them: no "1" for 1. Unknown fields are reported, not refused.
    model_config = ConfigDict(strict=True, extra="allow")


class SpanIn(_Shape):
    """The quoted text and, where known, its half-open offsets in ``unit``."""

    text: str = Field(examples=["within four business days"])
    char_start: int | None = Field(None, ge=0, examples=[18432])
    char_end: int | None = Field(None, ge=0, examples=[18457])
    unit: Unit | None = "codepoint"

    @model_validator(mode="after")
    def _check_offsets(self) -> Self:
        if (self.char_start is None) != (self.char_end is None):
            msg = "char_start and char_end together"
            raise ValueError(msg)
        if (self.char_start or 0) > (self.char_end or 0):
            msg = "char_start first, char_end after"
            raise ValueError(msg)
        return self


class LocatorIn(_Shape):
    """A 1-based page and, where known, the box on the page as displayed (points, top left)."""

    page: int = Field(ge=1, examples=[14])
    bbox: Box | None = None


class CellIn(_Shape):
    """A cell of a table: ``row`` and ``column`` from 1, or the ``address`` in a sheet (``B4``)."""

    table: int | None = Field(None, ge=1, examples=[2])
    sheet: str | None = Field(None, examples=["Q1"])
    row: int | None = Field(None, ge=1, examples=[3])
    column: int | None = Field(None, ge=1, examples=[4])
    address: str | None = Field(None, examples=["B4"])


class CitationIn(_Shape):
    """One structured citation; ``doc_hash`` or ``doc_id`` names the document."""

    anchor: int = Field(ge=0, examples=[1])
    span: SpanIn
    doc_hash: DigestText | None = None
    doc_id: str | None = Field(None, examples=["supply-agreement"])
    extraction_id: DigestText | None = None
    extraction_pipeline: str | None = None
    pdf_locator: LocatorIn | None = None
    cell: CellIn | None = None
    chunk_id: str | None = None
    doc_title: str | None = None
    doc_url: str | None = None
    retrieval_score: Number | None = None
    retrieval_method: str | None = Field(None, examples=["hybrid:bm25+dense"])
    embedding_model: str | None = None
    index_version: str | None = None

    @model_validator(mode="after")
    def _check_document_named(self) -> Self:
        if self.doc_hash is None and not self.doc_id:
            msg = "doc_hash or doc_id"
            raise ValueError(msg)
        return self


class RetrievedIn(_Shape):
    """One chunk that the retriever returned, frozen with the answer.

    A ``text`` whose document is not kept is a source by itself, and ``[n]`` without a citation
    names the n-th chunk. With a ``text`` the chunk needs no ``chunk_id``.
    """

    chunk_id: str | None = None
    doc_id: str | None = None
    doc_hash: DigestText | None = None
    text: str | None = None
    char_start: int | None = None
    char_end: int | None = None
    score: Number | None = None
    rank: int | None = None
    page: int | None = Field(None, ge=1, description="Where the text stands, from 1.")

    @model_validator(mode="after")
    def _check_named(self) -> Self:
        if self.chunk_id is None and not self.text:
            msg = "chunk_id or text"
            raise ValueError(msg)
        return self

    @model_validator(mode="after")
    def _check_offsets(self) -> Self:
        start, end = self.char_start, self.char_end
        if start is not None and end is not None and not 0 <= start <= end:
            msg = "char_start first, char_end after"
            raise ValueError(msg)
        return self


class GeneratorIn(_Shape):
    """What wrote the answer."""

    model: str | None = None
    prompt_id: str | None = None
    prompt_sha256: str | None = None


class AnswerIn(_Shape):
    """An answer with ``[n]`` anchors and one structured citation for each."""

    answer: str = Field(examples=["Goods are replaced within four business days [1]."])
    citations: Sequence[CitationIn]
    answer_id: str | None = None
    question: str | None = None
    answer_kind: Literal["answer", "clarifying_question", "abstention", "refusal"] | None = "answer"
    generator: GeneratorIn | None = None
    generated_at: Moment | None = None
    session_id: str | None = None
    trace_id: str | None = None
    labels: dict[str, str] | None = None
    documents: list[DocumentRef] | None = Field(None, description="A doc_hash or doc_id each.")
    retrieved: Sequence[RetrievedIn] | None = None
    context: Any = None
    policy: PolicyName | None = None


EXAMPLE: dict[str, Any] = {
    "answer": "Defective goods are replaced within four business days [1].",
    "citations": [
        {
            "anchor": 1,
            "doc_id": "supply-agreement",
            "doc_hash": "sha256:b18072d3857977dc9463a96d93e37ab0dcab90fbb00a7baa0c7191be1d274ceb",
            "span": {
                "char_start": 29,
                "char_end": 54,
                "text": "within four business days",
                "unit": "codepoint",
            },
            "pdf_locator": {"page": 1, "bbox": [218.1, 88.2, 341.0, 103.3]},
        }
    ],
    "policy": "balanced",
    "answer_id": "5d2f7c5e-0c0b-4b52-9f6e-6a9ad2b0c9f1",
}
