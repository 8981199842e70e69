"""What the service sends out: webhooks, and each try to deliver."""

from __future__ import annotations

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables, with the triggers that refuse every change."""
