"""Post-hoc attribution: the request, and the references found."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from spanproof.api.http.wire.answer import (
    DigestText,
    DocumentRef,
    PolicyName,
    RetrievedIn,
    Unit,
)

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

_DOC_HASH = "sha256:a6e74d71f8e13377d0580aef97ae9cdaf4fb0bbcb9446e6eb9b85c59f254ed23"
_EXTRACTION_ID = "sha256:1a0a9216f37526038c61cc1a77ee16e35040aa3841bf8e8c4f0fabc3497486e4"
_EXAMPLE_SPAN = {
    "source": _DOC_HASH,
    "extraction_id": _EXTRACTION_ID,
    "char_start": 0,
    "char_end": 55,
    "quote": "Defective goods are replaced within four business days.",
    "page": None,
    "p_entailment": 0.97,
    "context": "bare",
    "evidence_scope": "snippet",
    "sources": ["s1"],
    "view_url": f"/view/{_DOC_HASH}/{_EXTRACTION_ID}/0/55",
}
EXAMPLE_OUT: dict[str, Any] = {
    "references": [
        {
            "index": 1,
            "start": 0,
            "end": 55,
            "text": "Defective goods are replaced within four business days.",
            **_EXAMPLE_SPAN,
            "spans": [_EXAMPLE_SPAN],
        }
    ],
    "unattributed": [],
    "excluded": [],
    "unextracted": [
        {
            "tool_request_id": "call-2",
            "tool_name": "calculator",
            "reason": "no_extractor",
            "pointer": "",
        }
    ],
    "unresolved": [],
    "unsearched": [],
    "skipped": None,
    "sources": [
        {
            "id": "s1",
            "type": "web_search",
            "tool_name": "web_search",
            "tool_request_id": "call-1",
            "uri": "https://www.example.com/terms",
            "title": "Terms of supply",
            "domain": "example.com",
            "snippet": "Defective goods are replaced within four business days.",
            "page_number": None,
            "chunk_id": None,
            "doc_hash": _DOC_HASH,
            "evidence_scope": "snippet",
        }
    ],
    "unit": "codepoint",
    "policy": "balanced",
    "model": "example",
    "codes": [],
}


class ToolResultIn(BaseModel):
    """The unchanged result of one tool."""

    model_config = ConfigDict(extra="allow")

    tool_name: str = Field(examples=["web_search"])
    output: Any
    tool_request_id: str | None = None
    parameters: dict[str, Any] | None = None


class AttributionIn(BaseModel):
    """An answer without citations, and its possible sources."""

    model_config = ConfigDict(extra="allow")

    answer: str | None = Field(None, description="The prose; 'response' is accepted too.")
    question: str | None = None
    tool_results: list[ToolResultIn] | None = None
    documents: list[DocumentRef] | None = Field(None, description="A doc_hash or doc_id each.")
    retrieved: list[RetrievedIn] | None = None
    policy: PolicyName | None = None


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
    view_url: str | None = Field(description="null where it made the report too long.")


class ReferenceOut(EntailingSpanOut):
    """A sentence of the answer (``text == answer[start:end]``) and its best span."""

    index: int = Field(ge=1)
    start: int
    end: int
    text: str
    spans: list[EntailingSpanOut] = Field(description="Every entailing span, best first.")


class UnattributedOut(BaseModel):
    """A sentence that no source entails, the reason, and the nearest source."""

    start: int
    end: int
    text: str
    reason: str
    nearest: EntailingSpanOut | None


class ExcludedOut(BaseModel):
    """A part of the answer that makes no claim."""

    start: int
    end: int
    reason: str = Field(examples=["code", "heading", "question"])


class UnextractedOut(BaseModel):
    """A tool's result, or the part at ``pointer``, that was not used as a source."""

    tool_request_id: str | None
    tool_name: str
    reason: str
    pointer: str


class UnresolvedOut(BaseModel):
    """A supplied document or chunk that is not stored here."""

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


class AttributionReportOut(BaseModel):
    """References, sentences without one, the sources, and results that were not used."""

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
    codes: list[str] = Field(
        description="DETAIL_LEFT_OUT: 'spans', 'nearest' and 'view_url' may lack."
    )


class CompactReferenceOut(BaseModel):
    """A sentence by its place in the answer, and the ids of its sources."""

    index: int = Field(ge=1)
    startIndex: int  # noqa: N815 - the stored form's own name
    endIndex: int  # noqa: N815 - the stored form's own name
    sourceIds: list[str]  # noqa: N815 - the stored form's own name


class CompactAttributionOut(BaseModel):
    """The compact form for storage with an answer."""

    model_config = ConfigDict(extra="forbid")

    sources: list[SourceOut]
    references: list[CompactReferenceOut]


class AttributedOut(RootModel[AttributionReportOut | CompactAttributionOut]):
    """The whole report; with ``compact`` only the compact form."""
