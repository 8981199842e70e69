"""Tenants and API keys, and what was answered under an idempotency key."""

from __future__ import annotations

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables, with the triggers that refuse every change."""
