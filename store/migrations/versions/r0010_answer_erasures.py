"""Erasures of submitted answers: of those too that nobody has verified, or that were refused."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_KINDS = "kind IN ('document', 'verification', 'answer')"
#: The one change that a row takes: emptied, where the erasure of its answer or of the verification
#: that the answer came to is recorded.
_ALLOWED = (
    "NEW.raw = {empty} AND NEW.answer_id {same} OLD.answer_id AND EXISTS (SELECT 1 FROM erasure"
    " WHERE (kind = 'answer' AND subject = OLD.answer_id) OR (kind = 'verification' AND subject ="
    " (SELECT verification_id FROM sampled_verification WHERE answer_id = OLD.answer_id)))"
)


def upgrade() -> None:
    """Let an erasure be of an answer, and let it open the row of the answer's bytes."""
    if op.get_bind().dialect.name == "postgresql":
        _ease_on_postgresql()
    else:
        _ease_on_sqlite()


def _ease_on_postgresql() -> None:
    op.drop_constraint("erasure_kind_check", "erasure", type_="check")
    op.create_check_constraint("erasure_kind_check", "erasure", _KINDS)
    schema = op.get_bind().scalar(sa.text("SELECT quote_ident(current_schema())"))
    allowed = _ALLOWED.format(empty="''::bytea", same="IS NOT DISTINCT FROM")
    op.execute(
        "CREATE OR REPLACE FUNCTION spanproof_guard_submitted_payload() RETURNS trigger"
        f" LANGUAGE plpgsql SET search_path = {schema}, pg_temp AS $$ "
        f"BEGIN IF {allowed} THEN RETURN NEW; END IF;"
        " RAISE EXCEPTION '% is append-only', TG_TABLE_NAME"
        " USING ERRCODE = 'restrict_violation'; END $$"
    )


def _ease_on_sqlite() -> None:
    # SQLite changes no constraint: the table is made anew, and the triggers that read it with it.
    connection = op.get_bind()
    triggers = connection.execute(
        sa.text(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            " AND (tbl_name = 'erasure' OR sql LIKE '%FROM erasure%') ORDER BY name"
        )
    ).all()
    for name, _ in triggers:
        op.execute(f"DROP TRIGGER {name}")
    op.execute("ALTER TABLE erasure RENAME TO erasure_before")
    op.create_table(
        "erasure",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("log_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("idx", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject"),
        sa.ForeignKeyConstraint(["log_id", "idx"], ["log_leaf.log_id", "log_leaf.idx"]),
        sa.CheckConstraint(_KINDS),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO erasure SELECT * FROM erasure_before")
    op.execute("DROP TABLE erasure_before")
    for name, written in triggers:
        if name != "submitted_payload_refuses_update":
            connection.exec_driver_sql(written)
    allowed = _ALLOWED.format(empty="x''", same="IS")
    op.execute(
        "CREATE TRIGGER submitted_payload_refuses_update BEFORE UPDATE ON submitted_payload"
        f" WHEN NOT ({allowed})"
        " BEGIN SELECT RAISE(ABORT, 'submitted_payload is append-only'); END"
    )
