"""Rows of bulk verification; ``docs/how-to/bulk.md`` explains each column."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, Field

PAIR_IN: dict[str, Any] = {
    "pair_id": 1,
    "doc_hash": "sha256:" + "3f" * 32,
    "char_start": 23,
    "char_end": 49,
    "span_text": "within four business days",
    "claim": "Goods are replaced within four business days.",
}
PAIR_LINE = json.dumps(PAIR_IN) + "\n"
BULK_ROW: dict[str, Any] = {
    "pair_id": 1,
    "verdict_key": "5f0c6d0a4c0e4f3b9d5a3f1f0f6f2b115f0c6d0a4c0e4f3b9d5a3f1f0f6f2b11",
    "extraction_id": "sha256:" + "a1" * 32,
    "identity_status": "MATCH",
    "existence_status": "EXACT",
    "char_start": 23,
    "char_end": 49,
    "support_status": "ENTAILED",
    "support_reason": None,
    "p_entailment": 0.98,
    "p_neutral": 0.015,
    "p_contradiction": 0.005,
    "logits": [4.5, -0.5, -1.5],
    "outcome": "pass",
    "codes": [],
    "verifier_version": "spanproof@0.1.0 procedure@5 …",
}


class BulkRowOut(BaseModel):
    """The verdict of one pair."""

    pair_id: int | str
    verdict_key: str = Field(description="Equal keys have equal verdicts.")
    extraction_id: str | None
    identity_status: str
    existence_status: str
    char_start: int | None
    char_end: int | None
    support_status: str
    support_reason: str | None
    p_entailment: float | None
    p_neutral: float | None
    p_contradiction: float | None
    logits: list[float]
    outcome: str
    codes: list[str]
    verifier_version: str
