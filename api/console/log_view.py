"""The log's page: its newest signed head, its last growth, and how to check it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import NotFoundError
from spanproof.operations.log.resources import open_reader, read_cosigned_head
from spanproof.receipt.forms.signed_note import parse_note

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.store.log.reading import LogReader


@dataclass(frozen=True, slots=True, kw_only=True)
class LogView:
    """The head; ``signers`` are the names that signed it, ``grown_at`` its newest leaf's time."""

    origin: str
    size: int
    root: str
    note: str
    signers: tuple[str, ...]
    grown_at: str | None
    is_closed: bool


def make_log_view(context: Context) -> LogView | None:
    """The view of this store's log; None before its first signed head."""
    try:
        reader = open_reader(context)
        head, note = read_cosigned_head(context, reader)
    except NotFoundError:
        return None
    return LogView(
        origin=head.origin,
        size=head.size,
        root=head.root.hex(),
        note=note,
        signers=tuple(dict.fromkeys(each.name for each in parse_note(note).signatures)),
        grown_at=_find_time(reader, head.size - 1),
        is_closed=reader.find_freeze() is not None,
    )


def _find_time(reader: LogReader, index: int) -> str | None:
    """The time in the newest leaf's statement, or None."""
    stored = reader.find_statement(index) if index >= 0 else None
    if stored is None:
        return None
    predicate = json.loads(stored.statement.payload).get("predicate", {})
    found = predicate.get("time_issued", predicate.get("time"))
    return found if isinstance(found, str) else None
