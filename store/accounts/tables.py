"""The rows of API keys and of requests that may be sent twice; see ``spanproof.store.tables``."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index, Text
from sqlmodel import Field

from spanproof.store.database.columns import WITHOUT_ROWID, AnyText, Row, UtcDateTime


class AccessKeyRow(Row, table=True):
    """An API key: of its secret only a keyed digest. Kept in the home's own database for all."""

    __tablename__ = "access_key"
    __table_args__ = (Index("access_key_by_tenant", "tenant", "created_at"), WITHOUT_ROWID)

    key_id: str = Field(primary_key=True, sa_type=AnyText)
    tenant: str = Field(sa_type=Text)
    scopes: str = Field(sa_type=Text)
    label: str | None = Field(sa_type=AnyText)
    secret_digest: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime | None = Field(sa_type=UtcDateTime)
    replaces: str | None = Field(sa_type=AnyText, foreign_key="access_key.key_id")


class AccessKeyEndRow(Row, table=True):
    """That a key ends at a moment, and why; the earliest moment counts."""

    __tablename__ = "access_key_end"
    __table_args__ = WITHOUT_ROWID

    key_id: str = Field(primary_key=True, sa_type=AnyText, foreign_key="access_key.key_id")
    position: int = Field(primary_key=True, sa_type=BigInteger)
    kind: str = Field(sa_type=Text)
    ends_at: datetime = Field(sa_type=UtcDateTime)
    added_at: datetime = Field(sa_type=UtcDateTime)


class RequestClaimRow(Row, table=True):
    """A process works on the request under an idempotency key.

    ``request`` is a digest of route and key, ``fingerprint`` of all that was asked, ``reference``
    the name under which the result will be kept. A later position: the one before came to nothing.
    """

    __tablename__ = "request_claim"
    __table_args__ = WITHOUT_ROWID

    request: str = Field(primary_key=True, sa_type=Text)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    fingerprint: str = Field(sa_type=Text)
    reference: str = Field(sa_type=Text)
    process: str = Field(sa_type=Text)
    claimed_at: datetime = Field(sa_type=UtcDateTime)


class RequestAnswerRow(Row, table=True):
    """How a claim ended: with the status of its answer; None: with nothing, so ask again."""

    __tablename__ = "request_answer"
    __table_args__ = (
        ForeignKeyConstraint(
            ["request", "position"], ["request_claim.request", "request_claim.position"]
        ),
        WITHOUT_ROWID,
    )

    request: str = Field(primary_key=True, sa_type=Text)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    status: int | None = Field(sa_type=BigInteger)
    answered_at: datetime = Field(sa_type=UtcDateTime)
