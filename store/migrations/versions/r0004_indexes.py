"""Versions of indexes, the chunks that citations name, and where spans stand in another text."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

#: Each table with its unique keys, as in the first revision.
_UNIQUE_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "index_manifest": (("index_name", "version"), ("index_name", "position")),
    "verdict_chunk": (("verification_id", "position"),),
    "reanchor": (("verification_id", "position", "target_id", "algorithm"),),
}


def upgrade() -> None:
    """Create the tables, with the triggers that refuse every change."""
    _create_tables()
    if op.get_bind().dialect.name == "postgresql":
        _refuse_changes_on_postgresql()
    else:
        _refuse_changes_on_sqlite()


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable, autoincrement=False)


def _create_tables() -> None:
    op.create_table(
        "index_manifest",
        _text("index_name"),
        _text("version"),
        _number("position"),
        _text("manifest_sha256"),
        _number("byte_length"),
        _text("facts_sha256"),
        _number("rows"),
        _number("rows_with_offsets"),
        _text("header_json", nullable=True),
        sa.Column("registered_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("index_name", "version"),
        sa.UniqueConstraint("index_name", "position"),
        sqlite_with_rowid=False,
    )
    verdict = sa.ForeignKeyConstraint(
        ["verification_id", "position"], ["verdict.verification_id", "verdict.position"]
    )
    op.create_table(
        "verdict_chunk",
        _text("verification_id"),
        _number("position"),
        _text("chunk_id"),
        sa.PrimaryKeyConstraint("verification_id", "position"),
        verdict,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reanchor",
        _text("verification_id"),
        _number("position"),
        _text("target_id"),
        _text("algorithm"),
        _text("source_id"),
        _number("source_start"),
        _number("source_end"),
        _text("status"),
        _text("channels"),
        _text("reason", nullable=True),
        _number("char_start", nullable=True),
        _number("char_end", nullable=True),
        _text("detail_json"),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("verification_id", "position", "target_id", "algorithm"),
        sa.ForeignKeyConstraint(
            ["verification_id", "position"], ["verdict.verification_id", "verdict.position"]
        ),
        sa.ForeignKeyConstraint(["source_id"], ["extraction.extraction_id"]),
        sa.ForeignKeyConstraint(["target_id"], ["extraction.extraction_id"]),
        sqlite_with_rowid=False,
    )


def _refuse_changes_on_sqlite() -> None:
    for table, keys in _UNIQUE_KEYS.items():
        for verb in ("update", "delete"):
            op.execute(
                f"CREATE TRIGGER {table}_refuses_{verb} BEFORE {verb.upper()} ON {table}"
                f" BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        # As in the first revision: neither REPLACE nor an upsert may reach a row that is there.
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
    for table in _UNIQUE_KEYS:
        for verb in ("update", "delete", "truncate"):
            op.execute(
                f"CREATE TRIGGER {table}_refuses_{verb} BEFORE {verb.upper()} ON {table}"
                " FOR EACH STATEMENT EXECUTE FUNCTION spanproof_refuse_change()"
            )
