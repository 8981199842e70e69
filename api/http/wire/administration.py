"""Shapes of the routes about the service itself: state, configuration, keys and webhooks."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class HealthCheckOut(BaseModel):
    """One part of the service."""

    name: str
    status: Literal["ok", "warning", "failed"]
    code: str | None
    detail: str
    hint: str | None


class HealthOut(BaseModel):
    """Liveness."""

    status: Literal["ok"]


class ReadyOut(BaseModel):
    """Readiness."""

    ready: Literal[True]
    checks: list[HealthCheckOut]


class VersionOut(BaseModel):
    """Version."""

    version: str
    api: str
    procedure: int
    details: dict[str, Any]


HEALTH: dict[str, Any] = {"status": "ok"}
READY: dict[str, Any] = {
    "ready": True,
    "checks": [
        {"name": "database", "status": "ok", "code": None, "detail": "reachable", "hint": None},
        {"name": "blobs", "status": "ok", "code": None, "detail": "writable", "hint": None},
        {"name": "policy", "status": "ok", "code": None, "detail": "balanced 3", "hint": None},
        {"name": "model", "status": "ok", "code": None, "detail": "example", "hint": None},
        {
            "name": "log",
            "status": "ok",
            "code": None,
            "detail": "t-7132e8242f03.spanproof.internal takes leaves",
            "hint": None,
        },
    ],
}
VERSION: dict[str, Any] = {
    "version": "0.1.0",
    "api": "v1",
    "procedure": 1,
    "details": {
        "python": "3.11.9",
        "pymupdf": "1.26.4",
        "torch": "2.8.0",
        "transformers": "4.56.0",
    },
}


ModeName = Literal["off", "observe", "enforce"]
MODE_EXAMPLE_IN: dict[str, Any] = {"mode": "observe"}
CITATION_MODE: dict[str, Any] = {
    "grammar": "chunk",
    "environment": "production",
    "mode": "observe",
    "since": "2026-11-20T18:09:23Z",
    "actor": {"key_id": "sp_k3v7m2qhx4za", "oidc_sub_hash": None},
}
CITATION_MODE_LIST: dict[str, Any] = {"citations": [CITATION_MODE]}


class CitationModeIn(BaseModel):
    """The mode to set."""

    model_config = ConfigDict(strict=True, extra="forbid")

    mode: ModeName


class ActorOut(BaseModel):
    """Who set it; both null without keys."""

    key_id: str | None
    oidc_sub_hash: str | None


class CitationModeOut(BaseModel):
    """Whether a grammar's citations are requested (unless off) and acted on (enforce)."""

    grammar: str
    environment: str = Field(description="The value of SPANPROOF_ENVIRONMENT.")
    mode: ModeName
    since: str | None = Field(description="null if never set.")
    actor: ActorOut


class CitationModeListOut(BaseModel):
    """The modes of all grammars in this environment."""

    citations: list[CitationModeOut]


WordsName = Literal["kept", "encrypted", "hash-only"]
WORDS_EXAMPLE_IN: dict[str, Any] = {"mode": "hash-only"}
WORDS_MODE: dict[str, Any] = {
    "mode": "hash-only",
    "since": "2026-11-23T18:09:23Z",
    "actor": {"key_id": "sp_k3v7m2qhx4za", "oidc_sub_hash": None},
}


class WordsModeIn(BaseModel):
    """The mode to set."""

    model_config = ConfigDict(strict=True, extra="forbid")

    mode: WordsName


class WordsModeOut(BaseModel):
    """How the words of answers are kept."""

    mode: WordsName
    since: str | None = Field(description="null if never set.")
    actor: ActorOut


ScopeName = Literal["ingest", "verify", "read", "audit", "admin"]
_DIGEST = "sha256:" + "3f" * 32


class AccessKeyIn(BaseModel):
    """The request for a key."""

    scopes: list[ScopeName] = Field(description="Scopes; at least one.")
    expires_at: str | None = Field(
        None, description="End of its validity (ISO 8601); default: in 90 days."
    )
    label: str | None = Field(None, description="A note for people.")


class AccessKeyOut(BaseModel):
    """A key without its secret. ``digest`` is its entry in the tenant's log."""

    key_id: str
    tenant: str
    scopes: list[ScopeName]
    label: str | None
    state: Literal["active", "expired", "rotated", "revoked"]
    created_at: str
    expires_at: str | None
    ends_at: str | None
    replaces: str | None
    digest: str


class NewAccessKeyOut(AccessKeyOut):
    """A new key; ``key`` is shown only once, null in a repeated answer."""

    key: str | None


class AccessKeyListOut(BaseModel):
    """List the keys, the oldest first."""

    keys: list[AccessKeyOut]


EXAMPLE_IN: dict[str, Any] = {"scopes": ["verify", "read"], "label": "answers of the help desk"}
KEY: dict[str, Any] = {
    "key_id": "sp_k3v7m2qhx4za",
    "tenant": "default",
    "scopes": ["verify", "read"],
    "label": "answers of the help desk",
    "state": "active",
    "created_at": "2026-11-20T14:00:00.000Z",
    "expires_at": "2027-02-18T14:00:00.000Z",
    "ends_at": "2027-02-18T14:00:00.000Z",
    "replaces": None,
    "digest": _DIGEST,
}
NEW_KEY: dict[str, Any] = {"key": f"sp_k3v7m2qhx4za.{'A' * 43}"} | KEY
KEY_LIST: dict[str, Any] = {"keys": [KEY]}


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
