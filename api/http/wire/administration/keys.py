"""API keys, as they are asked for and told."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

ScopeName = Literal["ingest", "verify", "read", "audit", "admin"]
_DIGEST = "sha256:" + "3f" * 32


class AccessKeyIn(BaseModel):
    """A key to be made."""

    scopes: list[ScopeName] = Field(description="What it may do; at least one.")
    expires_at: str | None = Field(
        None, description="Until when it counts (ISO 8601); 90 days from now without it."
    )
    label: str | None = Field(None, description="A note for people.")


class AccessKeyOut(BaseModel):
    """A key, without its secret. ``digest`` is what the tenant's log says of it."""

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
    """A key that was just made; ``key`` is shown this once, null where it is told again."""

    key: str | None


class AccessKeyListOut(BaseModel):
    """The tenant's keys, the oldest first."""

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
