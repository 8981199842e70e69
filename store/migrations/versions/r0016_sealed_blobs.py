"""Which blobs of documents are sealed; those that are kept stay readable."""

from __future__ import annotations

from alembic import op

from spanproof.store.sealing.document_blobs import SealedBlobRow
from spanproof.store.triggers import make_triggers

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, empty."""
    table = SealedBlobRow.__table__  # type: ignore[attr-defined]
    table.create(op.get_bind())
    make_triggers(op.get_bind(), [table])
