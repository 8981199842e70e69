"""What an operator says of a document; ``docs/how-to/sources.md`` says what it changes."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanproof.api.http.wire.administration import ActorOut
from spanproof.api.http.wire.answer import DigestText

_HASH = "sha256:" + "3f" * 32
_ID = "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11"
CHANGE_IN: dict[str, Any] = {"action": "withdraw", "reason": "recalled by its publisher"}
DATES_IN: dict[str, Any] = {
    "action": "set",
    "reason": "dates of the contract",
    "valid_from": "2026-01-01T00:00:00Z",
    "valid_until": "2027-01-01T00:00:00Z",
    "confidentiality": "internal",
}
_STATE: dict[str, Any] = {
    "withdrawn_from": "2026-11-23T09:00:00Z",
    "amended_from": None,
    "amended_by": None,
    "valid_from": None,
    "valid_until": None,
    "licence": None,
    "confidentiality": "internal",
}
CHANGED: dict[str, Any] = {
    "doc_hash": _HASH,
    "action": "withdraw",
    "reason": "recalled by its publisher",
    "time": "2026-11-23T09:00:00.000Z",
    "actor": {"key_id": "sp_aaaaaaaaaaaa", "oidc_sub_hash": None},
    "source_state": _STATE,
}
CHANGE_LIST: dict[str, Any] = {"changes": [CHANGED]}
AFFECTED: dict[str, Any] = {
    "affected": [
        {
            "verification_id": _ID,
            "answer_id": "answer-7",
            "verified_at": "2026-11-20T14:00:00Z",
            "generated_at": "2026-11-20T13:59:58Z",
            "result": "pass",
            "codes": ["SOURCE_WITHDRAWN"],
        }
    ],
    "looked_at": 1,
    "next_cursor": None,
}


class SourceChangeIn(BaseModel):
    """A change. ``set`` changes the dates and labels that are given; null removes one."""

    model_config = ConfigDict(extra="forbid")

    action: Literal["withdraw", "reinstate", "amend", "set"]
    reason: str = Field(
        min_length=1,
        max_length=500,
        description="Reason, without personal data: it is kept permanently.",
    )
    since: datetime | None = Field(
        None, description="From when a withdrawal or an amendment counts; now by default."
    )
    by: str | None = Field(
        None, max_length=4000, description="The document that amends it: doc_hash or doc_id."
    )
    valid_from: datetime | None = Field(None, description="In force from this moment on.")
    valid_until: datetime | None = Field(None, description="No longer in force from then on.")
    licence: str | None = Field(None, max_length=100)
    confidentiality: str | None = Field(None, max_length=100)


class SourceStateOut(BaseModel):
    """What holds of a document; null where nothing was said."""

    withdrawn_from: str | None
    amended_from: str | None
    amended_by: DigestText | None
    valid_from: str | None
    valid_until: str | None
    licence: str | None
    confidentiality: str | None


class SourceChangeOut(BaseModel):
    """One change, as the log states it, and what holds since."""

    doc_hash: DigestText
    action: Literal["withdraw", "reinstate", "amend", "set"]
    reason: str
    time: str
    actor: ActorOut
    source_state: SourceStateOut


class SourceChangeListOut(BaseModel):
    """Every change of one document, the oldest first."""

    changes: list[SourceChangeOut]


class AffectedAnswerOut(BaseModel):
    """A kept verification; ``codes`` are those that a new verification would add."""

    verification_id: str
    answer_id: str
    verified_at: str
    generated_at: str | None
    result: str
    codes: list[str]


class AffectedListOut(BaseModel):
    """One page; it may have fewer rows than asked for, also none, and still lead to another."""

    affected: list[AffectedAnswerOut]
    looked_at: int = Field(description="Verifications of this page that cite the document.")
    next_cursor: str | None
