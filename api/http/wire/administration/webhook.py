"""Webhooks on the wire; ``docs/how-to/webhooks.md`` says what each field means."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_ID = "wh_5f0c6d0a4c0e4f3b"
_MESSAGE = "msg_5f0c6d0a4c0e4f3b9d5a3f1f0f6f2b11"
WEBHOOK_IN: dict[str, Any] = {
    "url": "https://hooks.example.org/spanproof",
    "events": ["alarm.raised", "incident.span_mismatch"],
}
WEBHOOK: dict[str, Any] = {
    "webhook_id": _ID,
    "url": WEBHOOK_IN["url"],
    "events": WEBHOOK_IN["events"],
    "state": "enabled",
    "reason": "created",
    "since": "2026-11-22T09:00:00Z",
    "created_at": "2026-11-22T09:00:00Z",
}
WEBHOOK_MADE: dict[str, Any] = WEBHOOK | {"secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}
WEBHOOK_LIST: dict[str, Any] = {"webhooks": [WEBHOOK]}
TRY_LIST: dict[str, Any] = {
    "tries": [
        {
            "message_id": _MESSAGE,
            "webhook_id": _ID,
            "attempt": 0,
            "tried_at": "2026-11-22T09:00:01Z",
            "milliseconds": 84,
            "outcome": "status",
            "status": 500,
            "next_at": "2026-11-22T09:00:06Z",
        }
    ]
}
ROTATED: dict[str, Any] = {"webhook_id": _ID, "secret": WEBHOOK_MADE["secret"]}


class WebhookIn(BaseModel):
    """An address and its events; default: all events."""

    model_config = ConfigDict(strict=True, extra="forbid")

    url: str = Field(max_length=2000, examples=[WEBHOOK_IN["url"]])
    events: list[str] = Field(["*"], max_length=50, examples=[WEBHOOK_IN["events"]])


class WebhookOut(BaseModel):
    """The current state of a webhook."""

    webhook_id: str = Field(examples=[_ID])
    url: str
    events: list[str]
    state: Literal["enabled", "disabled"]
    reason: str
    since: str
    created_at: str


class WebhookMadeOut(WebhookOut):
    """A webhook and its secret, which is shown only once."""

    secret: str


class WebhookListOut(BaseModel):
    """The webhooks in order of creation."""

    webhooks: list[WebhookOut]


class SecretOut(BaseModel):
    """The new secret, shown only once; the old one still signs for a day."""

    webhook_id: str
    secret: str


class TryOut(BaseModel):
    """One attempt to deliver a message."""

    message_id: str
    webhook_id: str
    attempt: int
    tried_at: str
    milliseconds: int
    outcome: Literal["delivered", "status", "redirect", "timeout", "unreachable", "fenced"]
    status: int | None
    next_at: str | None


class TryListOut(BaseModel):
    """Tries, newest first."""

    tries: list[TryOut]
