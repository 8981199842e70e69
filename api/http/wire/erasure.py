"""Erasing on the wire; ``docs/how-to/erasing.md`` says what goes and what stays."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanproof.api.http.wire.receipt import EXAMPLE as RECEIPT
from spanproof.api.http.wire.receipt import ReceiptOut

_HASH = "sha256:" + "3f" * 32
_SUBJECT = "The whole doc_hash of a document, a verification_id or an answer_id; no doc_id."
ERASURE_IN: dict[str, Any] = {
    "kind": "document",
    "subject": _HASH,
    "reason": "asked for by its author",
    "with_verifications": False,
}
ERASED: dict[str, Any] = {
    "erased": [
        {
            "kind": "document",
            "subject": _HASH,
            "reason": "asked for by its author",
            "erased_at": "2026-11-22T09:00:00Z",
            "tombstone": {"origin": "log.example.com", "index": 41},
            "removed": 4,
            "contents": [_HASH],
            "shared": [],
            "still_quoted_by": ["0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11"],
            "bundle": RECEIPT,
        }
    ]
}


class ErasureIn(BaseModel):
    """What is to go, named whole, and why: the reason stays for ever."""

    model_config = ConfigDict(strict=True, extra="forbid")

    kind: Literal["document", "verification", "answer"]
    subject: str = Field(min_length=1, max_length=200, description=_SUBJECT, examples=[_HASH])
    reason: str = Field(
        min_length=1, max_length=500, description="A few words that name nobody: they stay."
    )
    with_verifications: bool = Field(
        default=False, description="Also the words of every verification that cites the document."
    )


class TombstonePlaceOut(BaseModel):
    """The leaf that says so."""

    origin: str
    index: int


class ErasedOut(BaseModel):
    """One thing that is gone; ``removed`` counts the parts that were still there."""

    kind: Literal["document", "verification", "answer"]
    subject: str
    reason: str
    erased_at: str
    tombstone: TombstonePlaceOut
    removed: int
    contents: list[str]
    shared: list[str] = Field(description="Digests that something else has too: they stay.")
    still_quoted_by: list[str] = Field(description="Verifications that may repeat its words.")
    bundle: ReceiptOut | None = Field(
        description="The tombstone for 'audit verify --tombstone'; null where its log was closed."
    )


class ErasedListOut(BaseModel):
    """What was asked for first, then the verifications and answers that went with it."""

    erased: list[ErasedOut]
