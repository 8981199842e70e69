"""Facts of answers, and the index of their words; both are filled for the answers that are kept."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from alembic import op
from sqlalchemy import select

from spanproof.core.verdicts.hash_only import KEPT
from spanproof.store.database.columns import Row
from spanproof.store.facts.intake import add_facts, list_answer_words, to_fact_row
from spanproof.store.facts.tables import AnswerFactRow
from spanproof.store.facts.words import make_words_index
from spanproof.store.triggers import make_triggers

if TYPE_CHECKING:
    from sqlalchemy import Connection

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_BATCH = 500


def upgrade() -> None:
    """Add the table and the index, and fill both, the oldest answer first.

    An answer in a provider's own format is found by its claims: its words are its importer's.
    """
    connection = op.get_bind()
    table = AnswerFactRow.__table__  # type: ignore[attr-defined]
    table.create(connection)
    make_triggers(connection, [table])
    make_words_index(connection)
    rows = Row.metadata.tables["verification"]
    ordered = select(rows.c.verification_id).order_by(rows.c.verified_at, rows.c.verification_id)
    kept = list(connection.execute(ordered).scalars())
    for start in range(0, len(kept), _BATCH):
        _fill(connection, kept[start : start + _BATCH])


def _fill(connection: Connection, kept: list[str]) -> None:
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for name in ("verification", "verification_payload", "verdict", "verdict_code"):
        table = Row.metadata.tables[name]
        mine = found[name] = defaultdict(list)
        query = select(table).where(table.c.verification_id.in_(kept))
        for row in connection.execute(query).mappings():
            mine[row["verification_id"]].append(dict(row))
    for verification_id in kept:
        (verification,) = found["verification"][verification_id]
        stored = found["verification_payload"][verification_id]
        block = _read(stored[0]["block"]) if stored else {}
        payload = _read(stored[0]["raw"]) if stored else {}
        others = {name: found[name][verification_id] for name in ("verdict", "verdict_code")}
        facts = to_fact_row(verification, others, block, payload)
        # An answer that was kept without its words has none to find it by.
        words = "" if KEPT in block else list_answer_words(block, payload)
        add_facts(connection, facts, words)


def _read(content: bytes) -> dict[str, Any]:
    """The object in these bytes; empty for one that was erased or is no JSON of ours."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
