"""Configuration that changes at run time: requests and responses."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

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
