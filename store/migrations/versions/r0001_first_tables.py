"""The first tables: documents, extractions, verifications; every one of them append-only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import op

if TYPE_CHECKING:
    from datetime import datetime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

#: Each table with its unique keys: an INSERT that meets a row of the same key is refused by name.
_UNIQUE_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "document": (("doc_hash",),),
    "document_title": (("doc_hash", "position"),),
    "document_name": (("doc_id", "position"),),
    "pipeline": (("pipeline_digest",),),
    "extraction": (("extraction_id",), ("doc_hash", "position")),
    "verification": (("verification_id",),),
    "verification_payload": (("verification_id",),),
    "verdict": (("verification_id", "position"),),
    "verdict_code": (("verification_id", "position", "code"),),
    "verdict_page": (("verification_id", "position", "page"),),
}


def upgrade() -> None:
    """Create the tables, their indexes and the triggers that refuse every change."""
    _create_document_tables()
    _create_extraction_tables()
    _create_verification_tables()
    _create_verdict_tables()
    if op.get_bind().dialect.name == "postgresql":
        _refuse_changes_on_postgresql()
    else:
        _refuse_changes_on_sqlite()


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable, autoincrement=False)


def _moment(name: str) -> sa.Column[datetime]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def _create_table(name: str, *items: sa.schema.SchemaItem) -> None:
    op.create_table(name, *items, sqlite_with_rowid=False)


def _create_document_tables() -> None:
    _create_table(
        "document",
        _text("doc_hash"),
        _text("media_type"),
        _number("byte_length"),
        _moment("added_at"),
        sa.PrimaryKeyConstraint("doc_hash"),
    )
    op.create_index("document_by_time", "document", ["added_at", "doc_hash"])
    _create_table(
        "document_title",
        _text("doc_hash"),
        _number("position"),
        _text("title"),
        _moment("since"),
        sa.PrimaryKeyConstraint("doc_hash", "position"),
        sa.ForeignKeyConstraint(["doc_hash"], ["document.doc_hash"]),
    )
    _create_table(
        "document_name",
        _text("doc_id"),
        _number("position"),
        _text("doc_hash"),
        _moment("since"),
        sa.PrimaryKeyConstraint("doc_id", "position"),
        sa.ForeignKeyConstraint(["doc_hash"], ["document.doc_hash"]),
    )
    op.create_index("document_name_by_document", "document_name", ["doc_hash"])


def _create_extraction_tables() -> None:
    _create_table(
        "pipeline",
        _text("pipeline_digest"),
        _text("config_json"),
        sa.PrimaryKeyConstraint("pipeline_digest"),
    )
    _create_table(
        "extraction",
        _text("extraction_id"),
        _text("doc_hash"),
        _number("position"),
        _text("pipeline_name"),
        _text("pipeline_digest"),
        _text("meta_sha256"),
        _text("text_sha256"),
        _text("layout_sha256", nullable=True),
        _number("characters"),
        _number("pages"),
        _text("text_source"),
        _text("flags_json"),
        _text("status"),
        _text("problem_code", nullable=True),
        _text("problem_detail", nullable=True),
        _text("problem_hint", nullable=True),
        _moment("added_at"),
        sa.PrimaryKeyConstraint("extraction_id"),
        sa.ForeignKeyConstraint(["doc_hash"], ["document.doc_hash"]),
        sa.ForeignKeyConstraint(["pipeline_digest"], ["pipeline.pipeline_digest"]),
    )
    op.create_index("extraction_by_document", "extraction", ["doc_hash", "position"], unique=True)


def _create_verification_tables() -> None:
    _create_table(
        "verification",
        _text("verification_id"),
        _text("answer_id"),
        _moment("verified_at"),
        _text("result"),
        _text("level"),
        _number("verdicts"),
        _text("generator_model", nullable=True),
        _text("prompt_id", nullable=True),
        _text("excerpt"),
        sa.PrimaryKeyConstraint("verification_id"),
    )
    op.create_index("verification_by_time", "verification", ["verified_at", "verification_id"])
    op.create_index("verification_by_answer", "verification", ["answer_id"])
    op.create_index("verification_by_generator", "verification", ["generator_model", "verified_at"])
    _create_table(
        "verification_payload",
        _text("verification_id"),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        _text("raw_sha256"),
        sa.Column("block", sa.LargeBinary(), nullable=False),
        _text("block_sha256"),
        sa.PrimaryKeyConstraint("verification_id"),
        sa.ForeignKeyConstraint(["verification_id"], ["verification.verification_id"]),
    )


def _create_verdict_tables() -> None:
    _create_table(
        "verdict",
        _text("verification_id"),
        _number("position"),
        _number("citation"),
        _text("doc_hash", nullable=True),
        _text("extraction_id", nullable=True),
        _text("outcome"),
        _number("char_start", nullable=True),
        _number("char_end", nullable=True),
        _text("index_version", nullable=True),
        sa.PrimaryKeyConstraint("verification_id", "position"),
        sa.ForeignKeyConstraint(["verification_id"], ["verification.verification_id"]),
    )
    op.create_index("verdict_by_document", "verdict", ["doc_hash", "char_start"])
    op.create_index("verdict_by_index", "verdict", ["index_version"])
    for table, column in (("verdict_code", _text("code")), ("verdict_page", _number("page"))):
        _create_table(
            table,
            _text("verification_id"),
            _number("position"),
            column,
            sa.PrimaryKeyConstraint("verification_id", "position", column.name),
            sa.ForeignKeyConstraint(
                ["verification_id", "position"], ["verdict.verification_id", "verdict.position"]
            ),
        )
    op.create_index("verdict_code_by_code", "verdict_code", ["code"])


def _refuse_changes_on_sqlite() -> None:
    for table, keys in _UNIQUE_KEYS.items():
        for verb in ("update", "delete"):
            op.execute(
                f"CREATE TRIGGER {table}_refuses_{verb} BEFORE {verb.upper()} ON {table}"
                f" BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        # INSERT OR REPLACE deletes a row without firing the trigger on DELETE, and an upsert is no
        # UPDATE of its own: an INSERT that meets a row of its key is stopped before either.
        taken = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table} WHERE {_to_same_key(key)})"  # noqa: S608 - our own names
            for key in keys
        )
        op.execute(
            f"CREATE TRIGGER {table}_refuses_replace BEFORE INSERT ON {table} WHEN {taken}"
            f" BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _to_same_key(columns: tuple[str, ...]) -> str:
    return " AND ".join(f"{column} = NEW.{column}" for column in columns)


def _refuse_changes_on_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION spanproof_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ "
        "BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME"
        " USING ERRCODE = 'restrict_violation'; END $$"
    )
    for table in _UNIQUE_KEYS:
        for verb in ("update", "delete", "truncate"):
            op.execute(
                f"CREATE TRIGGER {table}_refuses_{verb} BEFORE {verb.upper()} ON {table}"
                " FOR EACH STATEMENT EXECUTE FUNCTION spanproof_refuse_change()"
            )
