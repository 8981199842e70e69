"""The access log; ``docs/how-to/access.md`` says what it holds."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from spanproof.api.http.wire.answer import DigestText
from spanproof.operations.accesses import AccessKind

ACCESS: dict[str, Any] = {
    "at": "2026-11-23T09:00:00.000Z",
    "door": "api",
    "kind": "answer",
    "subject": "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11",
    "key_id": "sp_aaaaaaaaaaaa",
    "oidc_sub_hash": None,
    "user": None,
}
ACCESS_LIST: dict[str, Any] = {"accesses": [ACCESS]}
DAY_LIST: dict[str, Any] = {
    "days": [
        {
            "day": "2026-11-23",
            "accesses": 1,
            "digest": "sha256:" + "3f" * 32,
            "is_logged": False,
            "is_erased": False,
        }
    ]
}


class AccessOut(BaseModel):
    """Somebody asked for evidence; the answer may have been that there is none."""

    at: str
    door: Literal["api", "console", "command"]
    kind: AccessKind
    subject: str = Field(description="An id; for a list of answers, its query without words.")
    key_id: str | None
    oidc_sub_hash: str | None
    user: str | None = Field(description="The machine's account, of commands.")


class AccessListOut(BaseModel):
    """The lines of a UTC day, in their order."""

    accesses: list[AccessOut]


class AccessDayOut(BaseModel):
    """A day; ``is_logged`` once the log has the digest over its lines."""

    day: str
    accesses: int
    digest: DigestText
    is_logged: bool
    is_erased: bool


class AccessDayListOut(BaseModel):
    """The days that have lines, the oldest first."""

    days: list[AccessDayOut]
