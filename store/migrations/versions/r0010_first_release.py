"""The tables of 0.1.0, the first release: no store is older, so there is nothing to change."""

from __future__ import annotations

revision = "0010"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing: a store of 0.1.0 has these tables, a new one is made with the newest."""
