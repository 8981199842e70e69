"""API keys, and what was asked under an idempotency key."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

#: Each table with its unique keys, as in the first revision.
_UNIQUE_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "access_key": (("key_id",),),
    "access_key_end": (("key_id", "position"),),
    "request_claim": (("request", "position"),),
    "request_answer": (("request", "position"),),
}


def upgrade() -> None:
    """Create the tables, with the triggers that refuse every change."""
    _create_keys()
    _create_requests()
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


def _create_keys() -> None:
    op.create_table(
        "access_key",
        _text("key_id"),
        _text("tenant"),
        _text("scopes"),
        _text("label", nullable=True),
        _text("secret_digest"),
        _moment("created_at"),
        _moment("expires_at", nullable=True),
        _text("replaces", nullable=True),
        sa.PrimaryKeyConstraint("key_id"),
        sa.ForeignKeyConstraint(["replaces"], ["access_key.key_id"]),
        sqlite_with_rowid=False,
    )
    op.create_index("access_key_by_tenant", "access_key", ["tenant", "created_at"])
    op.create_table(
        "access_key_end",
        _text("key_id"),
        _number("position"),
        _text("kind"),
        _moment("ends_at"),
        _moment("added_at"),
        sa.PrimaryKeyConstraint("key_id", "position"),
        sa.ForeignKeyConstraint(["key_id"], ["access_key.key_id"]),
        sqlite_with_rowid=False,
    )


def _create_requests() -> None:
    op.create_table(
        "request_claim",
        _text("request"),
        _number("position"),
        _text("fingerprint"),
        _text("reference"),
        _text("process"),
        _moment("claimed_at"),
        sa.PrimaryKeyConstraint("request", "position"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "request_answer",
        _text("request"),
        _number("position"),
        _number("status", nullable=True),
        _moment("answered_at"),
        sa.PrimaryKeyConstraint("request", "position"),
        sa.ForeignKeyConstraint(
            ["request", "position"], ["request_claim.request", "request_claim.position"]
        ),
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
