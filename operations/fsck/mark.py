"""The high-water mark against the log: whether what was signed is still held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import SpanproofError
from spanproof.operations.log.opening import to_log_mark
from spanproof.receipt.check.finding import Findings
from spanproof.store.log.mark import HighWaterMark
from spanproof.store.log.reading import list_logs

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.store.log.reading import LogReader


def check_mark(services: Context, reader: LogReader) -> Findings:
    """Whether the log holds what its high-water mark says was signed.

    A mark that is not here says nothing: the service that writes the log may be elsewhere.
    """
    findings, place = Findings(), "high-water mark"
    # Before the rows: the mark is raised only after them.
    mark = HighWaterMark(to_log_mark(services.settings)).read()
    if mark is None or not mark.size:
        return findings
    if mark.origin != reader.origin:
        known = {state.origin for state in list_logs(services.store.database)}
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
