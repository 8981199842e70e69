"""The claims behind a label, and who took which answer to review."""

from __future__ import annotations

from alembic import op

from spanproof.store.samples.tables import ReviewAssignmentRow, ReviewSheetRow
from spanproof.store.triggers import make_triggers

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both tables, empty."""
    connection = op.get_bind()
    tables = [
        ReviewSheetRow.__table__,  # type: ignore[attr-defined]
        ReviewAssignmentRow.__table__,  # type: ignore[attr-defined]
    ]
    for table in tables:
        table.create(connection)
    make_triggers(connection, tables)
