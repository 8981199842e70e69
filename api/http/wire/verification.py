"""A verification with its block and receipt, lists of them, and what there is to mend."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from spanproof.api.http.wire.answer import AnswerIn
from spanproof.api.http.wire.receipt import ReceiptOut  # noqa: TC001 - pydantic reads annotations
from spanproof.core.verdicts.block_shapes import BlockOut  # noqa: TC001 - pydantic reads annotations
from spanproof.core.verdicts.verdict_shapes import OutcomeText


class VerificationOut(AnswerIn):
    """The payload as it was given, plus the ids, the block and its receipt.

    ``receipt`` is null for what was verified before there were receipts, and where the log took
    no leaf for the result.
    """

    # Set as ``extra``, it would hold for the parts of the block too.
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": True})

    answer_id: str
    verification_id: str
    verification: BlockOut
    receipt: ReceiptOut | None


class VerificationRowOut(BaseModel):
    """One verification in a list."""

    verification_id: str
    answer_id: str
    verified_at: str
    result: OutcomeText
    level: str
    verdicts: int
    generator_model: str | None
    prompt_id: str | None
    excerpt: str


class VerificationListOut(BaseModel):
    """One page of verifications, newest first."""

    verifications: list[VerificationRowOut]
    next_cursor: str | None


class ListedCitationOut(BaseModel):
    """A verdict in a list; offsets are code points of the extraction's text."""

    verdict: int
    citation: int
    doc_hash: str | None
    extraction_id: str | None
    char_start: int | None
    char_end: int | None
    pages: list[int]
    outcome: OutcomeText
    codes: list[str]
    index_version: str | None
    chunk_id: str | None


class AnswerRowOut(VerificationRowOut):
    """One answer by its newest verification, with the citations that the filter means."""

    citations: list[ListedCitationOut]


class AnswerListOut(BaseModel):
    """One page of answers, the last verified first."""

    answers: list[AnswerRowOut]
    next_cursor: str | None


class FeedbackItemOut(BaseModel):
    """One fault of an answer; offsets are null where it stands nowhere in the prose."""

    kind: Literal["failed_citation", "orphan_anchor", "unused_citation", "uncited_sentence"]
    anchor: int | None
    start: int | None
    end: int | None
    text: str | None
    codes: list[str]
    action: str


class FeedbackOut(BaseModel):
    """What a regeneration of the answer has to mend."""

    verification_id: str
    result: OutcomeText
    items: list[FeedbackItemOut]
