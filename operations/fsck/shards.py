"""Whether every log that this store ever had is still there, and each continues a closed one.

A log that was closed says which one follows; leaf 0 of that one says what it follows, and how that
stood. So a log cannot be taken out of a store without a trace, nor another history put before one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import SpanproofError
from spanproof.operations.log.opening import to_log_mark
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Shard
from spanproof.store.log.mark import HighWaterMark
from spanproof.store.log.reading import LogReader, list_logs

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.store.database.session import Database
    from spanproof.store.log.records import LogState


def check_shards(database: Database) -> Findings:
    """The faults in the row of logs; ``--origin`` checks a single log."""
    findings = Findings()
    states = list_logs(database)
    for position, state in enumerate(states):
        place = f"log {state.origin}"
        if state.log_id != position:
            message = f"Expected the log numbered {position}, got {state.log_id}: one is gone."
            findings.add(code="LOG_MISSING", place=place, message=message)
            return findings
        follower = states[position + 1] if position + 1 < len(states) else None
        _check_closing(state, follower, findings)
        if position:
            _check_opening(database, states[position - 1], state, findings)
    return findings


def _check_closing(state: LogState, follower: LogState | None, findings: Findings) -> None:
    place, freeze = f"log {state.origin}", state.freeze
    if freeze is None:
        if follower is not None:
            message = f"Expected a closed log before {follower.origin!r}, got one that is open."
            findings.add(code="LOG_MISSING", place=place, message=message)
        return
    if follower is None or follower.origin != freeze.successor:
        got = "none" if follower is None else repr(follower.origin)
        message = f"Expected the log {freeze.successor!r} after it, got {got}."
        findings.add(code="LOG_MISSING", place=place, message=message)
    if (freeze.size, freeze.root) != (state.size, state.root):
        message = f"Expected the {freeze.size} leaves with which it was closed, got {state.size}."
        findings.add(code="LOG_SHRUNK", place=place, message=message)


def _check_opening(database: Database, old: LogState, state: LogState, findings: Findings) -> None:
    """Leaf 0's statement; that it is that leaf's, the check of this log says."""
    try:
        stored = LogReader.find(database, state.origin).find_statement(0)
        event = None if stored is None else parse_event(stored.statement.payload)
    except SpanproofError:
        event = None
    named = (event.old_origin, event.old_size, event.old_root) if isinstance(event, Shard) else None
    if old.freeze is None or named != (old.origin, old.freeze.size, old.freeze.root):
        message = f"Expected leaf 0 to name the log {old.origin!r} as it was closed, got another."
        findings.add(code="LOG_FORKED", place=f"log {state.origin}", message=message)


def check_mark(context: Context, reader: LogReader) -> Findings:
    """Whether the log holds what its high-water mark says was signed.

    A mark that is not here says nothing: the service that writes the log may be elsewhere.
    """
    findings, place = Findings(), "high-water mark"
    # Before the rows: the mark is raised only after them.
    mark = HighWaterMark(to_log_mark(context.settings)).read()
    if mark is None or not mark.size:
        return findings
    if mark.origin != reader.origin:
        known = {state.origin for state in list_logs(context.store.database)}
        if mark.origin not in known:
            message = f"Expected the log {mark.origin!r} of {mark.size} leaves, got none."
            findings.add(code="LOG_SHRUNK", place=place, message=message)
        return findings
    size = reader.head().size
    if size < mark.size:
        message = f"Expected at least the {mark.size} leaves that were signed, got {size}."
        findings.add(code="LOG_SHRUNK", place=place, message=message)
        return findings
    try:
        root = reader.read_root(mark.size)
    except SpanproofError as error:
        findings.add(code="CHECKPOINT_NOT_COMPARED", place=place, message=error.message)
        return findings
    if root != mark.root:
        message = (
            f"Expected the root {mark.root.hex()} that was signed for {mark.size} leaves, "
            f"got {root.hex()}: the log shows another history."
        )
        findings.add(code="LOG_FORKED", place=place, message=message)
    return findings
