"""The words of submitted answers may go in a store that keeps none."""

from __future__ import annotations

from alembic import op

from spanproof.store.samples.tables import SubmittedPayloadRow
from spanproof.store.triggers import remake_triggers

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the triggers of their table again: one condition more opens a row."""
    remake_triggers(op.get_bind(), SubmittedPayloadRow.__table__)  # type: ignore[attr-defined]
