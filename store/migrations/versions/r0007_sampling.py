"""Answers of production, who was chosen, and what people said about them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

#: Each table with its unique keys, as in the first revision.
_UNIQUE_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "sampling_epoch": (("epoch",), ("position",)),
    "sampling_epoch_step": (("epoch", "step"),),
    "submitted_answer": (("answer_id",), ("number",)),
    "submitted_payload": (("answer_id",),),
    "sampled_verification": (("answer_id",), ("number",)),
    "sampling_incident": (("answer_id", "position"),),
    "sampling_version": (("stratum", "version"),),
    "sampling_alarm_state": (("stratum", "version", "samples"),),
    "sampling_alarm": (("stratum", "version", "kind", "samples"),),
    "review_item": (("answer_id",),),
    "review_label": (("answer_id", "position"),),
}


def upgrade() -> None:
    """Create the tables, with the triggers that refuse every change."""
    _create_epochs()
    _create_answers()
    _create_outcomes()
    _create_alarms()
    _create_reviews()
    if op.get_bind().dialect.name == "postgresql":
        _refuse_changes_on_postgresql()
    else:
        _refuse_changes_on_sqlite()


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable, autoincrement=False)


def _real(name: str, *, nullable: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=nullable)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(create_constraint=False), nullable=False)


def _bytes(name: str) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary(), nullable=False)


def _moment(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _create_epochs() -> None:
    op.create_table(
        "sampling_epoch",
        _text("epoch"),
        _number("position"),
        _bytes("key"),
        _text("commitment"),
        _text("plan_json"),
        _text("plan_sha256"),
        _moment("prepared_at"),
        sa.PrimaryKeyConstraint("epoch"),
        sa.UniqueConstraint("position"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sampling_epoch_step",
        _text("epoch"),
        _text("step"),
        _text("log_origin", nullable=True),
        _number("log_index", nullable=True),
        _moment("at"),
        sa.PrimaryKeyConstraint("epoch", "step"),
        sa.ForeignKeyConstraint(["epoch"], ["sampling_epoch.epoch"]),
        sqlite_with_rowid=False,
    )


def _create_answers() -> None:
    op.create_table(
        "submitted_answer",
        _text("answer_id"),
        _number("number"),
        _text("epoch"),
        _moment("received_at"),
        _moment("given_at", nullable=True),
        _text("payload_sha256"),
        _number("byte_length"),
        _text("format"),
        _text("policy", nullable=True),
        _text("tenant"),
        _text("model", nullable=True),
        _text("index_version", nullable=True),
        _text("stratum"),
        _text("trace_id", nullable=True),
        _text("trace_state", nullable=True),
        _text("source"),
        _text("randomness"),
        _text("threshold"),
        _flag("is_sampled"),
        sa.PrimaryKeyConstraint("answer_id"),
        sa.UniqueConstraint("number"),
        sa.ForeignKeyConstraint(["epoch"], ["sampling_epoch.epoch"]),
        sqlite_with_rowid=False,
    )
    op.create_index("submitted_answer_by_epoch", "submitted_answer", ["epoch", "number"])
    op.create_index("submitted_answer_by_choice", "submitted_answer", ["is_sampled", "number"])
    op.create_table(
        "submitted_payload",
        _text("answer_id"),
        _bytes("raw"),
        sa.PrimaryKeyConstraint("answer_id"),
        sa.ForeignKeyConstraint(["answer_id"], ["submitted_answer.answer_id"]),
        sqlite_with_rowid=False,
    )


def _create_outcomes() -> None:
    op.create_table(
        "sampled_verification",
        _text("answer_id"),
        _number("number"),
        _text("verification_id", nullable=True),
        _text("answer_kind"),
        _text("result"),
        _flag("is_flagged"),
        _number("cited"),
        _number("failed"),
        _real("share", nullable=True),
        _text("problem_code", nullable=True),
        _moment("verified_at"),
        sa.PrimaryKeyConstraint("answer_id"),
        sa.UniqueConstraint("number"),
        sa.ForeignKeyConstraint(["answer_id"], ["submitted_answer.answer_id"]),
        sa.ForeignKeyConstraint(["verification_id"], ["verification.verification_id"]),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sampling_incident",
        _text("answer_id"),
        _number("position"),
        _text("kind"),
        _text("status"),
        _moment("raised_at"),
        sa.PrimaryKeyConstraint("answer_id", "position"),
        sa.ForeignKeyConstraint(["answer_id"], ["sampled_verification.answer_id"]),
        sqlite_with_rowid=False,
    )


def _create_alarms() -> None:
    op.create_table(
        "sampling_version",
        _text("stratum"),
        _number("version"),
        _text("model", nullable=True),
        _text("index_version", nullable=True),
        _real("budget"),
        _real("alpha"),
        _real("gap"),
        _moment("at"),
        sa.PrimaryKeyConstraint("stratum", "version"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sampling_alarm_state",
        _text("stratum"),
        _number("version"),
        _number("samples"),
        _number("number"),
        _real("total_share"),
        _text("budget_logs"),
        _text("change_logs"),
        _real("log_e_value"),
        _real("log_statistic", nullable=True),
        _flag("is_budget_raised"),
        _moment("at"),
        sa.PrimaryKeyConstraint("stratum", "version", "samples"),
        sa.ForeignKeyConstraint(
            ["stratum", "version"], ["sampling_version.stratum", "sampling_version.version"]
        ),
        sqlite_with_rowid=False,
    )
    op.create_index("sampling_alarm_state_by_number", "sampling_alarm_state", ["number"])
    op.create_table(
        "sampling_alarm",
        _text("stratum"),
        _number("version"),
        _text("kind"),
        _number("samples"),
        _number("number"),
        _real("log_value"),
        _real("log_limit"),
        _moment("raised_at"),
        sa.PrimaryKeyConstraint("stratum", "version", "kind", "samples"),
        sqlite_with_rowid=False,
    )


def _create_reviews() -> None:
    op.create_table(
        "review_item",
        _text("answer_id"),
        _flag("is_flagged"),
        _text("randomness"),
        _text("threshold"),
        _moment("queued_at"),
        sa.PrimaryKeyConstraint("answer_id"),
        sa.ForeignKeyConstraint(["answer_id"], ["sampled_verification.answer_id"]),
        sqlite_with_rowid=False,
    )
    op.create_index("review_item_by_randomness", "review_item", ["randomness"])
    op.create_table(
        "review_label",
        _text("answer_id"),
        _number("position"),
        _text("label"),
        _text("reviewer"),
        _text("note", nullable=True),
        _moment("labelled_at"),
        sa.PrimaryKeyConstraint("answer_id", "position"),
        sa.ForeignKeyConstraint(["answer_id"], ["review_item.answer_id"]),
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
