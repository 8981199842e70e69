"""The text index; the searches for texts fill it for the documents that are kept already."""

from __future__ import annotations

from alembic import op

from spanproof.store.documents.tables import IndexedTextRow, TextFingerprintRow
from spanproof.store.triggers import make_triggers

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, empty."""
    indexed = IndexedTextRow.__table__  # type: ignore[attr-defined]
    tables = [indexed, TextFingerprintRow.__table__]  # type: ignore[attr-defined]
    for table in tables:
        table.create(op.get_bind())
    make_triggers(op.get_bind(), tables)
