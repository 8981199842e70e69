"""The rows of webhooks; see ``store.tables``. Their secrets are in files of the home."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index, Text
from sqlmodel import Field

from spanproof.store.database.columns import WITHOUT_ROWID, AnyText, Row, UtcDateTime


class WebhookRow(Row, table=True):
    """An address, and the types of events that it wants, joined by spaces."""

    __tablename__ = "webhook"
    __table_args__ = WITHOUT_ROWID

    webhook_id: str = Field(primary_key=True, sa_type=AnyText)
    url: str = Field(sa_type=AnyText)
    events: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=UtcDateTime)


class WebhookStateRow(Row, table=True):
    """That a webhook was enabled, disabled or removed; the last position counts."""

    __tablename__ = "webhook_state"
    __table_args__ = WITHOUT_ROWID

    webhook_id: str = Field(primary_key=True, sa_type=AnyText, foreign_key="webhook.webhook_id")
    position: int = Field(primary_key=True, sa_type=BigInteger)
    state: str = Field(sa_type=Text)
    reason: str = Field(sa_type=AnyText)
    since: datetime = Field(sa_type=UtcDateTime)


class WebhookMessageRow(Row, table=True):
    """An event as it is sent, byte for byte; ids and figures, never a document's text."""

    __tablename__ = "webhook_message"
    __table_args__ = WITHOUT_ROWID

    message_id: str = Field(primary_key=True, sa_type=AnyText)
    event_type: str = Field(sa_type=Text)
    body: str = Field(sa_type=AnyText)
    occurred_at: datetime = Field(sa_type=UtcDateTime)


class WebhookTryRow(Row, table=True):
    """One try to deliver: how it ended, with which status, and when the next one is due."""

    __tablename__ = "webhook_try"
    __table_args__ = (Index("webhook_try_by_time", "webhook_id", "tried_at"), WITHOUT_ROWID)

    message_id: str = Field(
        primary_key=True, sa_type=AnyText, foreign_key="webhook_message.message_id"
    )
    webhook_id: str = Field(primary_key=True, sa_type=AnyText, foreign_key="webhook.webhook_id")
    attempt: int = Field(primary_key=True, sa_type=BigInteger)
    tried_at: datetime = Field(sa_type=UtcDateTime)
    milliseconds: int = Field(sa_type=BigInteger)
    outcome: str = Field(sa_type=Text)
    status: int | None = Field(sa_type=BigInteger)
    next_at: datetime | None = Field(sa_type=UtcDateTime)
