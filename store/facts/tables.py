"""The rows of facts: one an answer's verification, for counts over all of them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index, Text, UniqueConstraint
from sqlmodel import Field

from spanproof.store.database.columns import WITHOUT_ROWID, AnyText, Row, UtcDateTime


class AnswerFactRow(Row, table=True):
    """A verification as counts see it; ``number`` counts all from 1 in the order of their commits.

    What ends in ``_json`` is a sorted list without repetition; ``labels_json`` has ``name=value``.
    ``failed`` counts the verdicts that fail. Everything is derived from the block and the payload.
    """

    __tablename__ = "answer_fact"
    __table_args__ = (
        UniqueConstraint("verification_id"),
        Index("answer_fact_by_time", "verified_at", "number"),
        WITHOUT_ROWID,
    )

    number: int = Field(primary_key=True, sa_type=BigInteger)
    verification_id: str = Field(sa_type=AnyText, foreign_key="verification.verification_id")
    verified_at: datetime = Field(sa_type=UtcDateTime)
    result: str = Field(sa_type=Text)
    verdicts: int = Field(sa_type=BigInteger)
    failed: int = Field(sa_type=BigInteger)
    generator_model: str | None = Field(sa_type=AnyText)
    prompt_id: str | None = Field(sa_type=AnyText)
    policy: str | None = Field(sa_type=AnyText)
    index_versions_json: str = Field(sa_type=AnyText)
    documents_json: str = Field(sa_type=Text)
    outcomes_json: str = Field(sa_type=Text)
    codes_json: str = Field(sa_type=AnyText)
    labels_json: str = Field(sa_type=AnyText)
