"""The rows of the text index: which extractions it has, and their fingerprints."""

from __future__ import annotations

from sqlalchemy import BigInteger, LargeBinary, Text, UniqueConstraint
from sqlmodel import Field

from spanproof.store.database.columns import WITHOUT_ROWID, Row


class IndexedTextRow(Row, table=True):
    """An extraction whose fingerprints are kept, by a number that its id and the method give."""

    __tablename__ = "indexed_text"
    __table_args__ = (UniqueConstraint("extraction_id", "method"), WITHOUT_ROWID)

    number: int = Field(primary_key=True, sa_type=BigInteger)
    extraction_id: str = Field(sa_type=Text, foreign_key="extraction.extraction_id")
    method: str = Field(sa_type=Text)


class TextFingerprintRow(Row, table=True):
    """The fingerprints of a text in one bucket, four bytes each; empty once it is erased."""

    __tablename__ = "text_fingerprint"
    __table_args__ = WITHOUT_ROWID

    bucket: int = Field(primary_key=True, sa_type=BigInteger)
    number: int = Field(primary_key=True, sa_type=BigInteger, foreign_key="indexed_text.number")
    fingerprints: bytes = Field(sa_type=LargeBinary)
