"""Changes of the policy on the wire: what would flip, and what two keys have approved."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

#: More are a night's work: 'spanproof rehearse' has no such limit.
MOST_REHEARSED = 200
REHEARSAL_IN: dict[str, Any] = {"policy": "strict", "limit": 100}
PIN_IN: dict[str, Any] = {"policy": "strict"}
_ID = "0192f5a4-7d3e-7c52-9f7a-1f0a3a6f2f10"
PIN: dict[str, Any] = {
    "grammar": "chunk",
    "environment": "production",
    "policy": "strict",
    "approved_by": ["sp_k3v7m2qhx4za", "sp_w5n4t2yd6qcb"],
    "proposed": None,
    "proposed_by": None,
}
PIN_LIST: dict[str, Any] = {"policies": [PIN]}
_RATE: dict[str, Any] = {
    "n": 97,
    "count": 2,
    "estimate": 0.020619,
    "low": 0.005671,
    "high": 0.072092,
    "confidence": 0.95,
    "method": "wilson",
}
REHEARSAL: dict[str, Any] = {
    "policy": {"name": "strict 9", "digest": "sha256:" + "3f" * 32},
    "model": "spanproof-nli",
    "kept": 5120,
    "judged": 97,
    "left_out": {"VERIFICATION_ERASED": 3},
    "rates": {
        "flipped": _RATE | {"better": "neither"},
        "worse": _RATE | {"better": "less"},
        "pass_before": _RATE | {"better": "neither"},
        "pass_now": _RATE | {"better": "neither"},
    },
    "flips": [
        {
            "verification_id": _ID,
            "verified_at": "2026-11-20T14:00:00Z",
            "before": "pass",
            "now": "fail",
            "direction": "worse",
            "reasons": ["[1] pass -> fail: weighed otherwise: EXISTENCE_MOVED"],
        }
    ],
}


class RehearsalIn(BaseModel):
    """What to try on kept answers."""

    model_config = ConfigDict(strict=True, extra="forbid")

    policy: str | None = Field(None, description="A shipped policy; default: that of each answer.")
    limit: int = Field(100, ge=1, le=MOST_REHEARSED, description="Most answers, drawn by chance.")


class PolicyPinIn(BaseModel):
    """The policy to propose, or to approve as the second key."""

    model_config = ConfigDict(strict=True, extra="forbid")

    policy: str


class PolicyPinOut(BaseModel):
    """What holds for a grammar (null: the setting), and what waits for a second key."""

    grammar: str
    environment: str = Field(description="The value of SPANPROOF_ENVIRONMENT.")
    policy: str | None
    approved_by: list[str] = Field(description="Ids of the keys that approved it.")
    proposed: str | None
    proposed_by: str | None


class PolicyPinListOut(BaseModel):
    """The pins of all grammars in this environment."""

    policies: list[PolicyPinOut]


class RehearsedPolicyOut(BaseModel):
    """The policy that was tried; its digest is empty where each answer kept its own."""

    name: str
    digest: str


class FlipOut(BaseModel):
    """An answer that comes to another result, and why."""

    verification_id: str
    verified_at: str
    before: Literal["pass", "review", "fail", "error"]
    now: Literal["pass", "review", "fail", "error"]
    direction: Literal["better", "worse"]
    reasons: list[str]


class RehearsalOut(BaseModel):
    """What the change does to the drawn answers; nothing is kept or logged."""

    policy: RehearsedPolicyOut
    model: str
    kept: int = Field(description="Verifications in the store.")
    judged: int
    left_out: dict[str, int] = Field(description="Those that cannot be judged again, by code.")
    rates: dict[str, Any] = Field(description="Shares with Wilson intervals of 95 %, by name.")
    flips: list[FlipOut]
