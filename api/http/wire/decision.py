"""Decisions of people on citations; ``docs/how-to/decisions.md`` says what each means."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanproof.api.http.wire.administration import ActorOut
from spanproof.api.http.wire.answer import DigestText

Action = Literal["accept", "reject", "waive", "confirm", "withdraw"]
_ID = "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11"
_DECISION_ID = "019aa1b2-c3d4-7e5f-8a6b-0c1d2e3f4a5b"
ACCEPT_IN: dict[str, Any] = {"action": "accept", "citation": 0, "reason": "read on page 14"}
CONFIRM_IN: dict[str, Any] = {
    "action": "confirm",
    "about": _DECISION_ID,
    "reason": "the second edition is on its way",
}
DECISION: dict[str, Any] = {
    "decision_id": _DECISION_ID,
    "verification_id": _ID,
    "citation": 0,
    "action": "accept",
    "about": None,
    "expires": None,
    "reason": "read on page 14",
    "time": "2026-11-23T09:00:00Z",
    "actor": {"key_id": "sp_aaaaaaaaaaaa", "oidc_sub_hash": None},
    "verdicts_digest": "sha256:" + "3f" * 32,
    "log": {"origin": "log.example.com", "index": 41},
}
DECISION_LIST: dict[str, Any] = {
    "decisions": [DECISION],
    "standing": [{"citation": 0, "word": "accepted", "decision_id": _DECISION_ID, "expires": None}],
}


class DecisionIn(BaseModel):
    """A decision: accept, reject and waive need ``citation``, confirm and withdraw ``about``."""

    model_config = ConfigDict(extra="forbid")

    action: Action
    reason: str = Field(
        min_length=1,
        max_length=500,
        description="Reason, without personal data: it is kept permanently.",
    )
    citation: int | None = Field(None, ge=0, description="Index of the citation, from 0.")
    about: str | None = Field(None, max_length=100, description="The decision_id it is about.")
    expires: datetime | None = Field(None, description="When a waiver ends: within 366 days.")


class DecisionLeafOut(BaseModel):
    """The leaf of a decision in the log."""

    origin: str
    index: int


class DecisionOut(BaseModel):
    """One decision, as the log states it; the verdicts that it is about never change."""

    decision_id: str
    verification_id: str
    citation: int
    action: Action
    about: str | None
    expires: str | None
    reason: str
    time: str
    actor: ActorOut
    verdicts_digest: DigestText
    log: DecisionLeafOut


class StandingOut(BaseModel):
    """What holds of a citation: the newest decision on it that was not withdrawn."""

    citation: int
    word: Literal["accepted", "rejected", "waived", "proposed", "expired"]
    decision_id: str
    expires: str | None


class DecisionListOut(BaseModel):
    """Every decision on a verification, the oldest first, and what holds now."""

    decisions: list[DecisionOut]
    standing: list[StandingOut]
