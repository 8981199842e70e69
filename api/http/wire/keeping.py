"""Legal holds and retention; ``docs/how-to/erasing.md`` says what they keep and let go."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanproof.api.http.wire.administration import ActorOut
from spanproof.api.http.wire.answer import DigestText

_ID = "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11"
_REASON = "Reason, without personal data: it is kept permanently."
HOLD_IN: dict[str, Any] = {"kind": "label", "subject": "matter=4711", "reason": "matter 4711"}
RELEASE_IN: dict[str, Any] = {"reason": "the matter is closed"}
RETENTION_IN: dict[str, Any] = {"limit": 1000}
HOLD: dict[str, Any] = {
    "hold_id": _ID,
    "kind": "label",
    "subject": "matter=4711",
    "reason": "matter 4711",
    "placed_at": "2026-11-23T09:00:00Z",
    "actor": {"key_id": "sp_aaaaaaaaaaaa", "oidc_sub_hash": None},
    "released_at": None,
}
HOLD_LIST: dict[str, Any] = {"holds": [HOLD]}
DUE: dict[str, Any] = {
    "plan": "sha256:" + "3f" * 32,
    "erased": [],
    "due": [
        {
            "kind": "verification",
            "subject": _ID,
            "since": "2025-01-20T14:00:00Z",
            "rule": "answers of support",
            "fate": "due",
            "why": "retention rule 'answers of support': older than 400 days",
        }
    ],
}


class HoldIn(BaseModel):
    """What to hold, and why."""

    model_config = ConfigDict(strict=True, extra="forbid")

    kind: Literal["answer", "document", "label"]
    subject: str = Field(
        min_length=1,
        max_length=4000,
        description="A verification_id or submitted answer_id, a doc_hash or doc_id, or "
        "name=value.",
    )
    reason: str = Field(min_length=1, max_length=500, description=_REASON)


class ReleaseIn(BaseModel):
    """Why a hold ends."""

    model_config = ConfigDict(strict=True, extra="forbid")

    reason: str = Field(min_length=1, max_length=500, description=_REASON)


class RetentionIn(BaseModel):
    """How much to erase with this request."""

    model_config = ConfigDict(strict=True, extra="forbid")

    limit: int = Field(ge=1, le=1000, description="Most things to erase; ask again for the rest.")


class HoldOut(BaseModel):
    """A hold; ``released_at`` is null while it counts."""

    hold_id: str
    kind: Literal["answer", "document", "label"]
    subject: str
    reason: str
    placed_at: str
    actor: ActorOut
    released_at: str | None


class HoldListOut(BaseModel):
    """The tenant's holds, the oldest first."""

    holds: list[HoldOut]


class DueOut(BaseModel):
    """Something that a rule lets go; ``held`` and ``cited`` stay for now."""

    kind: Literal["document", "verification", "answer", "accesses"]
    subject: str
    since: str
    rule: str
    fate: Literal["due", "held", "cited"]
    why: str


class RetentionOut(BaseModel):
    """What went, and what is due or kept."""

    plan: DigestText = Field(description="Digest of the plan; the log names it before it counts.")
    erased: list[DueOut]
    due: list[DueOut]
