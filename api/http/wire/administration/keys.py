"""API keys: requests and responses."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

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
