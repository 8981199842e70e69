"""What was said of the documents: their states now or at a moment, read from the log."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import IntegrityError
from spanproof.core.moment import write_moment, write_signed_moment
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import SourceChange
from spanproof.receipt.statement.issuance import actor_to_json
from spanproof.store.log.reading import list_events

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Library
    from spanproof.core.documents.source_state import SourceState
    from spanproof.operations.context import Context


def list_changes(context: Context, doc_hash: Digest) -> tuple[SourceChange, ...]:
    """Everything that was said of a document, the oldest first."""
    return tuple(_read_changes(context, [doc_hash]))


def find_states(
    context: Context, doc_hashes: Iterable[Digest], *, until: datetime | None = None
) -> dict[Digest, SourceState]:
    """What holds of these documents, or held at a moment; none for one of which nothing was said.

    One query by index.
    """
    wanted = list(dict.fromkeys(doc_hashes))
    return {
        change.doc_hash: change.state
        for change in _read_changes(context, wanted)
        if until is None or change.time <= until
    }


def with_states(context: Context, library: Library, *, until: datetime) -> Library:
    """The library with what was said of its documents by a moment."""
    hashes = [each.document.doc_hash for each in library.sources if not each.is_snippet]
    states = find_states(context, hashes, until=until) if hashes else {}
    if not states:
        return library
    sources = tuple(
        replace(each, state=states.get(each.document.doc_hash)) for each in library.sources
    )
    return replace(library, sources=sources)


def state_to_json(state: SourceState | None) -> dict[str, Any] | None:
    """A state as it is sent; None where nothing was said."""
    if state is None:
        return None
    return {
        name: write_moment(value)
        if isinstance(value, datetime)
        else (value if value is None else str(value))
        for name, value in asdict(state).items()
    }


def change_to_json(change: SourceChange) -> dict[str, Any]:
    """A change as it is sent."""
    return {
        "doc_hash": str(change.doc_hash),
        "action": change.action,
        "reason": change.reason,
        "time": write_signed_moment(change.time),
        "actor": actor_to_json(change.actor),
        "source_state": state_to_json(change.state),
    }


def _read_changes(context: Context, doc_hashes: list[Digest]) -> list[SourceChange]:
    stored = list_events(
        context.store.database, SourceChange.KIND, [name_changes(each) for each in doc_hashes]
    )
    found = [parse_event(each.statement.payload) for each in stored]
    if not all(isinstance(each, SourceChange) for each in found):
        msg = "Expected statements of source changes in the log, got another."
        raise IntegrityError(msg, hint="Run 'spanproof audit fsck'.")
    return [each for each in found if isinstance(each, SourceChange)]


def name_changes(doc_hash: Digest) -> str:
    """The subject of a document's changes in the log."""
    return f"{SourceChange.KIND}:{doc_hash}"
