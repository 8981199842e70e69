"""What only the second engine reads of a document."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; empty in reports that did not look for it."""
    for name, kind in (
        ("extra", sa.BigInteger()),
        ("extra_spaces", sa.BigInteger()),
        ("extra_pages_json", sa.Text()),
    ):
        op.add_column("witness_report", sa.Column(name, kind))
