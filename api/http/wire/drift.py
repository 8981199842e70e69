"""Drift looked at by a job, and what it touched verified again, as they are asked for."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from spanproof.api.http.wire.answer import DigestText

DRIFT_CHECK_IN: dict[str, Any] = {
    "index": "contracts",
    "from": "2026-11-13",
    "to": "2026-11-20",
    "budget": 0.001,
}
EXTRACTION_CHECK_IN: dict[str, Any] = {
    "from_extraction": "sha256:" + "3f" * 32,
    "to_extraction": "sha256:" + "a1" * 32,
}
REVERIFICATION_IN: dict[str, Any] = {
    "index": "contracts",
    "from": "2026-11-13",
    "to": "2026-11-20",
}
_INDEX = "An index; with from_extraction and to_extraction none."


class ReverificationIn(BaseModel):
    """Two versions of an index, its newest two without any."""

    model_config = ConfigDict(strict=True, extra="forbid")

    index: str = Field(min_length=1, description="The index's name.")
    old: str | None = Field(None, alias="from", description="The version before; with to.")
    new: str | None = Field(None, alias="to", description="The version after; with from.")


class DriftCheckIn(BaseModel):
    """Two versions of an index, its newest two without any; or two extractions."""

    model_config = ConfigDict(strict=True, extra="forbid")

    index: str | None = Field(None, min_length=1, description=_INDEX)
    old: str | None = Field(None, alias="from", description="The version before; with to.")
    new: str | None = Field(None, alias="to", description="The version after; with from.")
    from_extraction: DigestText | None = Field(None, description="The extraction that is cited.")
    to_extraction: DigestText | None = Field(None, description="Where citations are looked for.")
    budget: float = Field(0.001, ge=0, le=1, description="The share that may be lost.")
