"""The rows of configuration; see ``spanproof.store.tables``."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Text
from sqlmodel import Field

from spanproof.store.database.columns import WITHOUT_ROWID, Row, UtcDateTime


class ConfigurationValueRow(Row, table=True):
    """The value of a name from a moment on, and who set it; the last position counts."""

    __tablename__ = "configuration_value"
    __table_args__ = WITHOUT_ROWID

    name: str = Field(primary_key=True, sa_type=Text)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    value: str = Field(sa_type=Text)
    actor_key_id: str | None = Field(sa_type=Text)
    actor_sub: str | None = Field(sa_type=Text)
    since: datetime = Field(sa_type=UtcDateTime)
