"""Erasures: the one change that rows of answers take, and only behind a leaf that says so.

An answer's words can be emptied where an erasure of it is recorded; digests, names and everything
else in the row stay, and no other statement changes anything.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

#: Of each table whose rows hold words of an answer: what may become empty, and what must stay.
_EMPTIED: dict[str, dict[str, str]] = {
    "verification_payload": {"raw": "x''", "block": "x''"},
    "verification": {"excerpt": "''"},
    "reanchor": {"detail_json": "'{}'"},
    "submitted_payload": {"raw": "x''"},
}
_STAYING: dict[str, tuple[str, ...]] = {
    "verification_payload": ("verification_id", "raw_sha256", "block_sha256"),
    "verification": (
        "verification_id",
        "answer_id",
        "verified_at",
        "result",
        "level",
        "verdicts",
        "generator_model",
        "prompt_id",
    ),
    "reanchor": (
        "verification_id",
        "position",
        "target_id",
        "algorithm",
        "source_id",
        "source_start",
        "source_end",
        "status",
        "channels",
        "reason",
        "char_start",
        "char_end",
        "added_at",
    ),
    "submitted_payload": ("answer_id",),
}
#: Which erasure a row goes with, where it does not name its verification itself.
_SUBJECTS = {
    "submitted_payload": (
        "(SELECT verification_id FROM sampled_verification WHERE answer_id = OLD.answer_id)"
    )
}


def upgrade() -> None:
    """Create the table, with the triggers that refuse every change, and ease four that stand."""
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
        sa.CheckConstraint("kind IN ('document', 'verification')"),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "postgresql":
        _guard_on_postgresql()
    else:
        _guard_on_sqlite()


def _guard_on_sqlite() -> None:
    for verb in ("update", "delete"):
        op.execute(
            f"CREATE TRIGGER erasure_refuses_{verb} BEFORE {verb.upper()} ON erasure"
            " BEGIN SELECT RAISE(ABORT, 'erasure is append-only'); END"
        )
    op.execute(
        "CREATE TRIGGER erasure_refuses_replace BEFORE INSERT ON erasure WHEN EXISTS"
        " (SELECT 1 FROM erasure WHERE kind = NEW.kind AND subject = NEW.subject)"
        " BEGIN SELECT RAISE(ABORT, 'erasure is append-only'); END"
    )
    for table in _EMPTIED:
        op.execute(f"DROP TRIGGER {table}_refuses_update")
        op.execute(
            f"CREATE TRIGGER {table}_refuses_update BEFORE UPDATE ON {table}"
            f" WHEN NOT ({_to_allowed(table, same='IS')})"
            f" BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _guard_on_postgresql() -> None:
    for verb in ("update", "delete", "truncate"):
        op.execute(
            f"CREATE TRIGGER erasure_refuses_{verb} BEFORE {verb.upper()} ON erasure"
            " FOR EACH STATEMENT EXECUTE FUNCTION spanproof_refuse_change()"
        )
    # Else whoever may make temporary tables brings an ``erasure`` of his own.
    schema = op.get_bind().scalar(sa.text("SELECT quote_ident(current_schema())"))
    for table in _EMPTIED:
        allowed = _to_allowed(table, same="IS NOT DISTINCT FROM").replace("x''", "''::bytea")
        op.execute(
            f"CREATE FUNCTION spanproof_guard_{table}() RETURNS trigger LANGUAGE plpgsql"
            f" SET search_path = {schema}, pg_temp AS $$ "
            f"BEGIN IF {allowed} THEN RETURN NEW; END IF;"
            " RAISE EXCEPTION '% is append-only', TG_TABLE_NAME"
            " USING ERRCODE = 'restrict_violation'; END $$"
        )
        op.execute(f"DROP TRIGGER {table}_refuses_update ON {table}")
        op.execute(
            f"CREATE TRIGGER {table}_refuses_update BEFORE UPDATE ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION spanproof_guard_{table}()"
        )


def _to_allowed(table: str, *, same: str) -> str:
    """The change that a row takes: emptied, everything else as it was, its erasure recorded."""
    emptied = [f"NEW.{column} = {empty}" for column, empty in _EMPTIED[table].items()]
    staying = [f"NEW.{column} {same} OLD.{column}" for column in _STAYING[table]]
    subject = _SUBJECTS.get(table, "OLD.verification_id")
    recorded = (
        "EXISTS (SELECT 1 FROM erasure WHERE kind = 'verification'"  # noqa: S608 - our own names
        f" AND subject = {subject})"
    )
    return " AND ".join((*emptied, *staying, recorded))
