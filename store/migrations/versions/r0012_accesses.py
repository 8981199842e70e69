"""The access log of evidence."""

from __future__ import annotations

from alembic import op

from spanproof.store.accesses.tables import AccessRemovalRow, AccessRow
from spanproof.store.triggers import make_triggers

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables; no earlier release kept a line."""
    removals = AccessRemovalRow.__table__  # type: ignore[attr-defined]
    tables = [removals, AccessRow.__table__]  # type: ignore[attr-defined]
    for table in tables:
        table.create(op.get_bind())
    make_triggers(op.get_bind(), tables)
