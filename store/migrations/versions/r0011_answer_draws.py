"""Draws of submitted answers by the signature of a witness."""

from __future__ import annotations

from alembic import op

from spanproof.store.samples.tables import AnswerDrawRow
from spanproof.store.triggers import make_triggers

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; no earlier release drew an answer later than it came in."""
    table = AnswerDrawRow.__table__  # type: ignore[attr-defined]
    table.create(op.get_bind())
    make_triggers(op.get_bind(), [table])
