"""Post-hoc attribution on the wire: what is sent, and the references that come back."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.wire.answer import DigestText, DocumentRef, RetrievedIn, Unit

Scope = Literal["full", "snippet"]
EXAMPLE_IN: dict[str, Any] = {
    "answer": "Defective goods are replaced within four business days.",
    "question": "When are defective goods replaced?",
    "tool_results": [
        {
            "tool_request_id": "call-1",
            "tool_name": "web_search",
            "parameters": {"query": "supply agreement defective goods"},
            "output": {
                "results": [
                    {
                        "url": "https://www.example.com/terms",
                        "title": "Terms of supply",
                        "snippet": "Defective goods are replaced within four business days.",
                    }
                ]
            },
        },
        {"tool_request_id": "call-2", "tool_name": "calculator", "output": 4},
    ],
}


class ToolResultIn(BaseModel):
    """What one tool gave back, as it came."""

    model_config = ConfigDict(extra="allow")

    tool_name: str = Field(examples=["web_search"])
    output: Any
    tool_request_id: str | None = None
    parameters: dict[str, Any] | None = None


class AttributionIn(BaseModel):
    """An answer without citations and where it may have got its words."""

    model_config = ConfigDict(extra="allow")

    answer: str | None = Field(None, description="The prose; 'response' is taken too.")
    question: str | None = None
    tool_results: list[ToolResultIn] | None = None
    documents: list[DocumentRef] | None = Field(None, description="A doc_hash or doc_id each.")
    retrieved: list[RetrievedIn] | None = None
    policy: str | None = None


class EntailingSpanOut(BaseModel):
    """A span of a source that entails a sentence; offsets are code points of the canonical text."""

    source: DigestText = Field(description="doc_hash of the document that holds the span.")
    extraction_id: DigestText
    char_start: int
    char_end: int
    quote: str
    page: int | None
    p_entailment: float | None
    context: Literal["bare", "headers", "question"]
    evidence_scope: Scope
    sources: list[str]
    view_url: str


class ReferenceOut(EntailingSpanOut):
    """A sentence of the answer (``text == answer[start:end]``) and its best span."""

    index: int = Field(ge=1)
    start: int
    end: int
    text: str
    spans: list[EntailingSpanOut] = Field(description="Every entailing span, best first.")


class UnattributedOut(BaseModel):
    """A sentence that no source entails, why, and what came nearest."""

    start: int
    end: int
    text: str
    reason: str
    nearest: EntailingSpanOut | None


class ExcludedOut(BaseModel):
    """A part of the answer that claims nothing."""

    start: int
    end: int
    reason: Literal["code", "heading", "question", "lead_in"]


class UnextractedOut(BaseModel):
    """A tool's output, or the part of it at ``pointer``, that became no source."""

    tool_request_id: str | None
    tool_name: str
    reason: str
    pointer: str


class UnresolvedOut(BaseModel):
    """A supplied document or chunk that is not kept here."""

    reference: str
    reason: str


class SourceOut(BaseModel):
    """One source of the answer."""

    id: str
    type: str
    tool_name: str | None
    tool_request_id: str | None
    uri: str | None
    title: str | None
    domain: str | None
    snippet: str | None
    page_number: int | None
    chunk_id: str | None
    doc_hash: DigestText
    evidence_scope: Scope


class AttributionOut(BaseModel):
    """References, sentences without one, and every source with what became none."""

    references: list[ReferenceOut]
    unattributed: list[UnattributedOut]
    excluded: list[ExcludedOut]
    unextracted: list[UnextractedOut]
    unresolved: list[UnresolvedOut]
    unsearched: list[str]
    skipped: str | None
    sources: list[SourceOut]
    unit: Unit
    policy: str | None
    model: str | None
