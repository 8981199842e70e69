"""The rows. Nothing is ever updated or deleted: what changes is a new row that is newer.

Every table is without SQLite's hidden row number, by which ``INSERT OR REPLACE`` could reach a row
past its key.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
)
from sqlmodel import Field

from spanproof.store import configuration as _configuration  # noqa: F401 - for what it registers

# Row must list every table, those of the log included.
from spanproof.store.accesses import tables as _access_tables  # noqa: F401 - for what it registers
from spanproof.store.accounts import tables as _account_tables  # noqa: F401 - for what it registers
from spanproof.store.database.columns import WITHOUT_ROWID as _WITHOUT_ROWID
from spanproof.store.database.columns import AnyText, UtcDateTime
from spanproof.store.database.columns import Row as Row  # noqa: PLC0414 - the name under which the store imports it
from spanproof.store.deliveries import tables as _delivery_tables  # noqa: F401 - for what it registers
from spanproof.store.documents import tables as _index_tables  # noqa: F401 - for what it registers
from spanproof.store.erasing import tables as _erasing_tables  # noqa: F401 - for what it registers
from spanproof.store.facts import tables as _fact_tables  # noqa: F401 - for what it registers
from spanproof.store.log import tables as _log_tables  # noqa: F401 - for what it registers
from spanproof.store.samples import tables as _sample_tables  # noqa: F401 - for what it registers


class DocumentRow(Row, table=True):
    """Source bytes; the blob of the same digest holds them."""

    __tablename__ = "document"
    __table_args__ = (Index("document_by_time", "added_at", "doc_hash"), _WITHOUT_ROWID)

    doc_hash: str = Field(primary_key=True, sa_type=Text)
    media_type: str = Field(sa_type=AnyText)
    byte_length: int = Field(sa_type=BigInteger)
    added_at: datetime = Field(sa_type=UtcDateTime)


class DocumentTitleRow(Row, table=True):
    """A title that was given to a document; the last position is the one shown."""

    __tablename__ = "document_title"
    __table_args__ = _WITHOUT_ROWID

    doc_hash: str = Field(primary_key=True, sa_type=Text, foreign_key="document.doc_hash")
    position: int = Field(primary_key=True, sa_type=BigInteger)
    title: str = Field(sa_type=AnyText)
    since: datetime = Field(sa_type=UtcDateTime)


class DocumentNameRow(Row, table=True):
    """A ``doc_id`` and a document that it named from a moment on: its history by position."""

    __tablename__ = "document_name"
    __table_args__ = (Index("document_name_by_document", "doc_hash"), _WITHOUT_ROWID)

    doc_id: str = Field(primary_key=True, sa_type=AnyText)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    doc_hash: str = Field(sa_type=Text, foreign_key="document.doc_hash")
    since: datetime = Field(sa_type=UtcDateTime)


class PipelineRow(Row, table=True):
    """The whole configuration of an extraction pipeline, by its digest."""

    __tablename__ = "pipeline"
    __table_args__ = _WITHOUT_ROWID

    pipeline_digest: str = Field(primary_key=True, sa_type=Text)
    config_json: str = Field(sa_type=AnyText)


class ExtractionRow(Row, table=True):
    """An extraction: the digests of the blobs that hold it, and a summary for listing.

    The text's blob is the one of ``text_sha256``. ``position`` counts a document's extractions in
    the order in which they came.
    """

    __tablename__ = "extraction"
    __table_args__ = (
        Index("extraction_by_document", "doc_hash", "position", unique=True),
        _WITHOUT_ROWID,
    )

    extraction_id: str = Field(primary_key=True, sa_type=Text)
    doc_hash: str = Field(sa_type=Text, foreign_key="document.doc_hash")
    position: int = Field(sa_type=BigInteger)
    pipeline_name: str = Field(sa_type=AnyText)
    pipeline_digest: str = Field(sa_type=Text, foreign_key="pipeline.pipeline_digest")
    meta_sha256: str = Field(sa_type=Text)
    text_sha256: str = Field(sa_type=Text)
    layout_sha256: str | None = Field(sa_type=Text)
    characters: int = Field(sa_type=BigInteger)
    pages: int = Field(sa_type=BigInteger)
    text_source: str = Field(sa_type=Text)
    flags_json: str = Field(sa_type=Text)
    status: str = Field(sa_type=Text)
    problem_code: str | None = Field(sa_type=Text)
    problem_detail: str | None = Field(sa_type=AnyText)
    problem_hint: str | None = Field(sa_type=AnyText)
    added_at: datetime = Field(sa_type=UtcDateTime)
    sandbox: str = Field(sa_type=Text, sa_column_kwargs={"server_default": "none"})


class CrossCheckReportRow(Row, table=True):
    """What a second engine read of a whole document, beside an extraction of it."""

    __tablename__ = "witness_report"
    __table_args__ = _WITHOUT_ROWID

    extraction_id: str = Field(
        primary_key=True, sa_type=Text, foreign_key="extraction.extraction_id"
    )
    pipeline_digest: str = Field(
        primary_key=True, sa_type=Text, foreign_key="pipeline.pipeline_digest"
    )
    pipeline_name: str = Field(sa_type=AnyText)
    characters: int = Field(sa_type=BigInteger)
    agreeing: int = Field(sa_type=BigInteger)
    disagreements_json: str = Field(sa_type=Text)
    unread_json: str = Field(sa_type=Text)
    added_at: datetime = Field(sa_type=UtcDateTime)
    extra: int | None = Field(default=None, sa_type=BigInteger)
    extra_spaces: int | None = Field(default=None, sa_type=BigInteger)
    extra_pages_json: str | None = Field(default=None, sa_type=Text)


class VerificationRow(Row, table=True):
    """What a list of verifications shows and filters by; the payload appears beside it."""

    __tablename__ = "verification"
    __table_args__ = (
        Index("verification_by_time", "verified_at", "verification_id"),
        Index("verification_by_answer", "answer_id"),
        Index("verification_by_generator", "generator_model", "verified_at"),
        _WITHOUT_ROWID,
    )

    verification_id: str = Field(primary_key=True, sa_type=AnyText)
    answer_id: str = Field(sa_type=AnyText)
    verified_at: datetime = Field(sa_type=UtcDateTime)
    result: str = Field(sa_type=Text)
    level: str = Field(sa_type=Text)
    verdicts: int = Field(sa_type=BigInteger)
    generator_model: str | None = Field(sa_type=AnyText)
    prompt_id: str | None = Field(sa_type=AnyText)
    excerpt: str = Field(sa_type=AnyText)


class PayloadRow(Row, table=True):
    """The unchanged payload and the block as JSON, each with its digest."""

    __tablename__ = "verification_payload"
    __table_args__ = _WITHOUT_ROWID

    verification_id: str = Field(
        primary_key=True, sa_type=AnyText, foreign_key="verification.verification_id"
    )
    raw: bytes = Field(sa_type=LargeBinary)
    raw_sha256: str = Field(sa_type=Text)
    block: bytes = Field(sa_type=LargeBinary)
    block_sha256: str = Field(sa_type=Text)


class VerdictRow(Row, table=True):
    """One verdict of a block, for filters; ``doc_hash`` may be of a document that is not kept."""

    __tablename__ = "verdict"
    __table_args__ = (
        Index("verdict_by_document", "doc_hash", "char_start"),
        Index("verdict_by_index", "index_version"),
        _WITHOUT_ROWID,
    )

    verification_id: str = Field(
        primary_key=True, sa_type=AnyText, foreign_key="verification.verification_id"
    )
    position: int = Field(primary_key=True, sa_type=BigInteger)
    citation: int = Field(sa_type=BigInteger)
    doc_hash: str | None = Field(sa_type=Text)
    extraction_id: str | None = Field(sa_type=Text)
    outcome: str = Field(sa_type=Text)
    char_start: int | None = Field(sa_type=BigInteger)
    char_end: int | None = Field(sa_type=BigInteger)
    index_version: str | None = Field(sa_type=AnyText)


class VerdictCodeRow(Row, table=True):
    """One code of a verdict."""

    __tablename__ = "verdict_code"
    __table_args__ = (
        ForeignKeyConstraint(
            ["verification_id", "position"], ["verdict.verification_id", "verdict.position"]
        ),
        Index("verdict_code_by_code", "code"),
        _WITHOUT_ROWID,
    )

    verification_id: str = Field(primary_key=True, sa_type=AnyText)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    code: str = Field(primary_key=True, sa_type=AnyText)


class VerdictPageRow(Row, table=True):
    """One page on which a verdict's span appears."""

    __tablename__ = "verdict_page"
    __table_args__ = (
        ForeignKeyConstraint(
            ["verification_id", "position"], ["verdict.verification_id", "verdict.position"]
        ),
        _WITHOUT_ROWID,
    )

    verification_id: str = Field(primary_key=True, sa_type=AnyText)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    page: int = Field(primary_key=True, sa_type=BigInteger)


class VerdictChunkRow(Row, table=True):
    """The chunk that a verdict's citation names, where it names one."""

    __tablename__ = "verdict_chunk"
    __table_args__ = (
        ForeignKeyConstraint(
            ["verification_id", "position"], ["verdict.verification_id", "verdict.position"]
        ),
        _WITHOUT_ROWID,
    )

    verification_id: str = Field(primary_key=True, sa_type=AnyText)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    chunk_id: str = Field(sa_type=AnyText)


class IndexManifestRow(Row, table=True):
    """A version of an index; blobs hold its manifest and the records it is compared by."""

    __tablename__ = "index_manifest"
    __table_args__ = (UniqueConstraint("index_name", "position"), _WITHOUT_ROWID)

    index_name: str = Field(primary_key=True, sa_type=AnyText)
    version: str = Field(primary_key=True, sa_type=AnyText)
    position: int = Field(sa_type=BigInteger)
    manifest_sha256: str = Field(sa_type=Text)
    byte_length: int = Field(sa_type=BigInteger)
    facts_sha256: str = Field(sa_type=Text)
    rows: int = Field(sa_type=BigInteger)
    rows_with_offsets: int = Field(sa_type=BigInteger)
    header_json: str | None = Field(sa_type=AnyText)
    registered_at: datetime = Field(sa_type=UtcDateTime)


class ReanchorRow(Row, table=True):
    """Where a verdict's span appears in another extraction; the verdict stays as it was."""

    __tablename__ = "reanchor"
    __table_args__ = (
        ForeignKeyConstraint(
            ["verification_id", "position"], ["verdict.verification_id", "verdict.position"]
        ),
        _WITHOUT_ROWID,
    )

    verification_id: str = Field(primary_key=True, sa_type=AnyText)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    target_id: str = Field(primary_key=True, sa_type=Text, foreign_key="extraction.extraction_id")
    algorithm: str = Field(primary_key=True, sa_type=Text)
    source_id: str = Field(sa_type=Text, foreign_key="extraction.extraction_id")
    source_start: int = Field(sa_type=BigInteger)
    source_end: int = Field(sa_type=BigInteger)
    status: str = Field(sa_type=Text)
    channels: str = Field(sa_type=Text)
    reason: str | None = Field(sa_type=Text)
    char_start: int | None = Field(sa_type=BigInteger)
    char_end: int | None = Field(sa_type=BigInteger)
    detail_json: str = Field(sa_type=Text)
    added_at: datetime = Field(sa_type=UtcDateTime)
