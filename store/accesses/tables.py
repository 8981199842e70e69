"""The rows of the access log; a day's lines may be emptied once their removal is recorded."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKeyConstraint, Text
from sqlmodel import Field

from spanproof.store.database.columns import WITHOUT_ROWID, AnyText, Row


class AccessRow(Row, table=True):
    """One line of a day (UTC), as JSON; its digest stays when the line is emptied."""

    __tablename__ = "access_line"
    __table_args__ = WITHOUT_ROWID

    day: str = Field(primary_key=True, sa_type=Text)
    number: int = Field(primary_key=True, sa_type=BigInteger)
    line: str = Field(sa_type=AnyText)
    line_sha256: str = Field(sa_type=Text)


class AccessRemovalRow(Row, table=True):
    """A day whose lines were let go, and the leaf that says so."""

    __tablename__ = "access_removal"
    __table_args__ = (
        ForeignKeyConstraint(["log_id", "idx"], ["log_leaf.log_id", "log_leaf.idx"]),
        WITHOUT_ROWID,
    )

    day: str = Field(primary_key=True, sa_type=Text)
    log_id: int = Field(sa_type=BigInteger)
    idx: int = Field(sa_type=BigInteger)
