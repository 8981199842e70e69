"""Configuration that is changed while the service runs: each change a row, the newest counts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TABLE = "configuration_value"


def upgrade() -> None:
    """Create the table, with the triggers that refuse every change."""
    op.create_table(
        _TABLE,
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("actor_key_id", sa.Text(), nullable=True),
        sa.Column("actor_sub", sa.Text(), nullable=True),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", "position"),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "postgresql":
        for verb in ("update", "delete", "truncate"):
            op.execute(
                f"CREATE TRIGGER {_TABLE}_refuses_{verb} BEFORE {verb.upper()} ON {_TABLE}"
                " FOR EACH STATEMENT EXECUTE FUNCTION spanproof_refuse_change()"
            )
        return
    for verb in ("update", "delete"):
        op.execute(
            f"CREATE TRIGGER {_TABLE}_refuses_{verb} BEFORE {verb.upper()} ON {_TABLE}"
            f" BEGIN SELECT RAISE(ABORT, '{_TABLE} is append-only'); END"
        )
    op.execute(
        "CREATE TRIGGER configuration_value_refuses_replace BEFORE INSERT ON configuration_value"
        " WHEN EXISTS (SELECT 1 FROM configuration_value"
        " WHERE name = NEW.name AND position = NEW.position)"
        " BEGIN SELECT RAISE(ABORT, 'configuration_value is append-only'); END"
    )
