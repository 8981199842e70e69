"""What a second engine read of a whole document, and how far the parser was confined."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TABLE = "witness_report"
_KEY = ("extraction_id", "pipeline_digest")


def upgrade() -> None:
    """Add the column and the table, with the triggers that refuse every change of it."""
    # What was read before this revision was read under limits alone, which no row recorded.
    op.add_column(
        "extraction", sa.Column("sandbox", sa.Text(), nullable=False, server_default="none")
    )
    op.create_table(
        _TABLE,
        sa.Column("extraction_id", sa.Text(), nullable=False),
        sa.Column("pipeline_digest", sa.Text(), nullable=False),
        sa.Column("pipeline_name", sa.Text(), nullable=False),
        sa.Column("characters", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("agreeing", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("disagreements_json", sa.Text(), nullable=False),
        sa.Column("unread_json", sa.Text(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint(*_KEY),
        sa.ForeignKeyConstraint(["extraction_id"], ["extraction.extraction_id"]),
        sa.ForeignKeyConstraint(["pipeline_digest"], ["pipeline.pipeline_digest"]),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "postgresql":
        _refuse_changes_on_postgresql()
    else:
        _refuse_changes_on_sqlite()


def _refuse_changes_on_sqlite() -> None:
    for verb in ("update", "delete"):
        op.execute(
            f"CREATE TRIGGER {_TABLE}_refuses_{verb} BEFORE {verb.upper()} ON {_TABLE}"
            f" BEGIN SELECT RAISE(ABORT, '{_TABLE} is append-only'); END"
        )
    # As in the first revision: neither REPLACE nor an upsert may reach a row that is there.
    same = " AND ".join(f"{column} = NEW.{column}" for column in _KEY)
    taken = f"EXISTS (SELECT 1 FROM {_TABLE} WHERE {same})"  # noqa: S608 - our own names
    op.execute(
        f"CREATE TRIGGER {_TABLE}_refuses_replace BEFORE INSERT ON {_TABLE} WHEN {taken}"
        f" BEGIN SELECT RAISE(ABORT, '{_TABLE} is append-only'); END"
    )


def _refuse_changes_on_postgresql() -> None:
    for verb in ("update", "delete", "truncate"):
        op.execute(
            f"CREATE TRIGGER {_TABLE}_refuses_{verb} BEFORE {verb.upper()} ON {_TABLE}"
            " FOR EACH STATEMENT EXECUTE FUNCTION spanproof_refuse_change()"
        )
