"""The transparency log: its leaves, tiles, heads, notes, statements, and the receipts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

#: Each table with its unique keys, as in the first revision.
_UNIQUE_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "log": (("log_id",), ("origin",)),
    "log_leaf": (("log_id", "idx"),),
    "log_tile": (("log_id", "level", "n", "width"),),
    "log_tree": (("log_id", "size"),),
    "log_checkpoint": (("log_id", "size"),),
    "log_cosignature": (("log_id", "size", "witness"),),
    "log_statement": (("log_id", "idx"), ("log_id", "intake_idx")),
    "log_freeze": (("log_id",),),
    "receipt": (("verification_id",), ("log_id", "idx")),
}
#: What makes a row no follower of the last one. The row before it must be there, and none of its
#: own number: by induction the numbers are 0, 1, 2 … A head may skip sizes, never go back.
_GAPS = {
    "log": "NEW.log_id < 0 OR NEW.log_id > 0"
    " AND NOT EXISTS (SELECT 1 FROM log WHERE log_id = NEW.log_id - 1)",
    "log_leaf": "NEW.idx < 0 OR NEW.idx > 0 AND NOT EXISTS"
    " (SELECT 1 FROM log_leaf WHERE log_id = NEW.log_id AND idx = NEW.idx - 1)",
    "log_tree": "EXISTS (SELECT 1 FROM log_tree WHERE log_id = NEW.log_id AND size >= NEW.size)"
    " OR NEW.size > 0 AND NOT EXISTS"
    " (SELECT 1 FROM log_leaf WHERE log_id = NEW.log_id AND idx = NEW.size - 1)",
}
_FROZEN = "EXISTS (SELECT 1 FROM log_freeze WHERE log_id = NEW.log_id)"


def upgrade() -> None:
    """Create the tables, and the triggers that refuse every change, gap and late leaf."""
    _create_log_tables()
    _create_head_tables()
    _create_statement_tables()
    if op.get_bind().dialect.name == "postgresql":
        _refuse_changes_on_postgresql()
    else:
        _refuse_changes_on_sqlite()


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable, autoincrement=False)


def _bytes(name: str) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary(), nullable=False)


def _create_table(name: str, *items: sa.schema.SchemaItem) -> None:
    op.create_table(name, *items, sqlite_with_rowid=False)


def _create_log_tables() -> None:
    _create_table(
        "log",
        _number("log_id"),
        _text("origin"),
        _text("vkey", nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("log_id"),
        sa.UniqueConstraint("origin"),
    )
    _create_table(
        "log_leaf",
        _number("log_id"),
        _number("idx"),
        _bytes("leaf_hash"),
        _bytes("entry"),
        sa.PrimaryKeyConstraint("log_id", "idx"),
        sa.ForeignKeyConstraint(["log_id"], ["log.log_id"]),
        sa.CheckConstraint("idx >= 0 AND length(leaf_hash) = 32 AND length(entry) <= 65535"),
    )
    _create_table(
        "log_tile",
        _number("log_id"),
        _number("level"),
        _number("n"),
        _number("width"),
        _bytes("hashes"),
        sa.PrimaryKeyConstraint("log_id", "level", "n", "width"),
        sa.ForeignKeyConstraint(["log_id"], ["log.log_id"]),
        sa.CheckConstraint("width BETWEEN 1 AND 256 AND length(hashes) = 32 * width"),
    )


def _create_head_tables() -> None:
    _create_table(
        "log_tree",
        _number("log_id"),
        _number("size"),
        _bytes("root"),
        sa.PrimaryKeyConstraint("log_id", "size"),
        sa.ForeignKeyConstraint(["log_id"], ["log.log_id"]),
        sa.CheckConstraint("size >= 0 AND length(root) = 32"),
    )
    _create_table(
        "log_checkpoint",
        _number("log_id"),
        _number("size"),
        _bytes("root"),
        _text("note"),
        sa.PrimaryKeyConstraint("log_id", "size"),
        sa.ForeignKeyConstraint(["log_id", "size"], ["log_tree.log_id", "log_tree.size"]),
        sa.CheckConstraint("length(root) = 32"),
    )
    _create_table(
        "log_cosignature",
        _number("log_id"),
        _number("size"),
        _text("witness"),
        _text("line"),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("log_id", "size", "witness"),
        sa.ForeignKeyConstraint(
            ["log_id", "size"], ["log_checkpoint.log_id", "log_checkpoint.size"]
        ),
    )
    _create_table(
        "log_freeze",
        _number("log_id"),
        _number("size"),
        _bytes("root"),
        _text("reason"),
        _text("successor"),
        sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("log_id"),
        sa.ForeignKeyConstraint(["log_id"], ["log.log_id"]),
        sa.CheckConstraint("size >= 0 AND length(root) = 32"),
    )


def _create_statement_tables() -> None:
    _create_table(
        "log_statement",
        _number("log_id"),
        _number("idx"),
        _text("kind"),
        _text("subject"),
        _text("payload_type"),
        _bytes("payload"),
        _bytes("signature"),
        _number("intake_idx", nullable=True),
        sa.PrimaryKeyConstraint("log_id", "idx"),
        sa.ForeignKeyConstraint(["log_id", "idx"], ["log_leaf.log_id", "log_leaf.idx"]),
        sa.ForeignKeyConstraint(["log_id", "intake_idx"], ["log_leaf.log_id", "log_leaf.idx"]),
        sa.UniqueConstraint("log_id", "intake_idx"),
    )
    op.create_index("log_statement_by_subject", "log_statement", ["subject"])
    op.create_index("log_statement_by_kind", "log_statement", ["log_id", "kind", "idx"])
    _create_table(
        "receipt",
        _text("verification_id"),
        _number("log_id"),
        _number("idx"),
        _bytes("bundle"),
        _text("bundle_sha256"),
        sa.PrimaryKeyConstraint("verification_id"),
        sa.ForeignKeyConstraint(["log_id", "idx"], ["log_leaf.log_id", "log_leaf.idx"]),
        sa.UniqueConstraint("log_id", "idx"),
    )


def _refuse_changes_on_sqlite() -> None:
    def refuse(name: str, event: str, table: str, why: str, when: str = "") -> None:
        op.execute(
            f"CREATE TRIGGER {table}_refuses_{name} BEFORE {event} ON {table}{when}"
            f" BEGIN SELECT RAISE(ABORT, '{table} {why}'); END"
        )

    for table, keys in _UNIQUE_KEYS.items():
        for verb in ("update", "delete"):
            refuse(verb, verb.upper(), table, "is append-only")
        # As in the first revision: neither REPLACE nor an upsert may reach a row that is there.
        taken = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table} WHERE {_to_same_key(key)})"  # noqa: S608 - our own names
            for key in keys
        )
        refuse("replace", "INSERT", table, "is append-only", f" WHEN {taken}")
    for table, gap in _GAPS.items():
        refuse("gap", "INSERT", table, "is append-only: a gap", f" WHEN {gap}")
    refuse("late", "INSERT", "log_leaf", "is append-only: frozen", f" WHEN {_FROZEN}")


def _to_same_key(columns: tuple[str, ...]) -> str:
    return " AND ".join(f"{column} = NEW.{column}" for column in columns)


def _refuse_changes_on_postgresql() -> None:
    for table in _UNIQUE_KEYS:
        for verb in ("update", "delete", "truncate"):
            op.execute(
                f"CREATE TRIGGER {table}_refuses_{verb} BEFORE {verb.upper()} ON {table}"
                " FOR EACH STATEMENT EXECUTE FUNCTION spanproof_refuse_change()"
            )
    refused = {(table, "gap"): gap for table, gap in _GAPS.items()}
    refused["log_leaf", "late"] = _FROZEN
    for (table, name), condition in refused.items():
        # A condition of the trigger itself may hold no query, so the function asks.
        op.execute(
            f"CREATE FUNCTION spanproof_{table}_refuses_{name}() RETURNS trigger"
            f" LANGUAGE plpgsql AS $$ BEGIN IF {condition} THEN"
            " RAISE EXCEPTION '% is append-only', TG_TABLE_NAME"
            " USING ERRCODE = 'restrict_violation'; END IF; RETURN NEW; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_refuses_{name} BEFORE INSERT ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION spanproof_{table}_refuses_{name}()"
        )
