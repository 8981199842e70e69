"""Erasing; ``docs/how-to/erasing.md`` says what goes and what stays."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanproof.api.http.wire.receipt import EXAMPLE as RECEIPT
from spanproof.api.http.wire.receipt import ReceiptOut

_HASH = "sha256:" + "3f" * 32
_SUBJECT = "The whole doc_hash of a document, a verification_id or an answer_id; not a doc_id."
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
    """What to erase, and why: the reason is kept permanently."""

    model_config = ConfigDict(strict=True, extra="forbid")

    kind: Literal["document", "verification", "answer"]
    subject: str = Field(min_length=1, max_length=200, description=_SUBJECT, examples=[_HASH])
    reason: str = Field(
        min_length=1,
        max_length=500,
        description="Reason, without personal data: it is kept permanently.",
    )
    with_verifications: bool = Field(
        default=False,
        description="Also erase the texts of all verifications that cite the document.",
    )


class TombstonePlaceOut(BaseModel):
    """The log's leaf with the tombstone."""

    origin: str
    index: int


class ErasedOut(BaseModel):
    """One erased item; ``removed`` counts the parts removed now."""

    kind: Literal["document", "verification", "answer"]
    subject: str
    reason: str
    erased_at: str
    tombstone: TombstonePlaceOut
    removed: int
    contents: list[str]
    shared: list[str] = Field(description="Digests of content that other items share: it stays.")
    still_quoted_by: list[str] = Field(description="Verifications that may quote its text.")
    bundle: ReceiptOut | None = Field(
        description="The tombstone for 'audit verify --tombstone'; null if its log is closed."
    )


class ErasedListOut(BaseModel):
    """The requested item first, then the verifications and answers erased with it."""

    erased: list[ErasedOut]
