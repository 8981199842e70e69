"""What the service sends out: webhooks, the events they want, and each try to deliver."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

#: Each table with its unique keys, as in the first revision.
_UNIQUE_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "webhook": (("webhook_id",),),
    "webhook_state": (("webhook_id", "position"),),
    "webhook_message": (("message_id",),),
    "webhook_try": (("message_id", "webhook_id", "attempt"),),
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


def _moment(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _create_tables() -> None:
    op.create_table(
        "webhook",
        _text("webhook_id"),
        _text("url"),
        _text("events"),
        _moment("created_at"),
        sa.PrimaryKeyConstraint("webhook_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "webhook_state",
        _text("webhook_id"),
        _number("position"),
        _text("state"),
        _text("reason"),
        _moment("since"),
        sa.PrimaryKeyConstraint("webhook_id", "position"),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhook.webhook_id"]),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "webhook_message",
        _text("message_id"),
        _text("event_type"),
        _text("body"),
        _moment("occurred_at"),
        sa.PrimaryKeyConstraint("message_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "webhook_try",
        _text("message_id"),
        _text("webhook_id"),
        _number("attempt"),
        _moment("tried_at"),
        _number("milliseconds"),
        _text("outcome"),
        _number("status", nullable=True),
        _moment("next_at", nullable=True),
        sa.PrimaryKeyConstraint("message_id", "webhook_id", "attempt"),
        sa.ForeignKeyConstraint(["message_id"], ["webhook_message.message_id"]),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhook.webhook_id"]),
        sqlite_with_rowid=False,
    )
    op.create_index("webhook_try_by_time", "webhook_try", ["webhook_id", "tried_at"])


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
