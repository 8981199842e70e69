"""Answers of production, who was chosen, and what people said about them."""

from __future__ import annotations

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables, with the triggers that refuse every change."""
