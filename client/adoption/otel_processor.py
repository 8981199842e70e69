"""A span processor that hands in the answers of GenAI spans. Needs ``opentelemetry-sdk``."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from opentelemetry.sdk.trace import SpanProcessor

from spanproof.client.adoption.otel import OPERATIONS, AnswerReader, Record

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

    from spanproof.client.adoption.queue import AnswerQueue


class AnswerSpanProcessor(SpanProcessor):
    """``provider.add_span_processor(AnswerSpanProcessor(queue))``; ended spans are read."""

    def __init__(self, queue: AnswerQueue, *, operations: frozenset[str] = OPERATIONS) -> None:
        self._queue = queue
        self._reader = AnswerReader(operations=operations)
        self._lock = threading.Lock()

    def on_end(self, span: ReadableSpan) -> None:
        """Note the retrieved documents, and hand in the answers."""
        context = span.context
        if context is None:
            return
        record = Record(
            trace_id=f"{context.trace_id:032x}",
            span_id=f"{context.span_id:016x}",
            attributes=dict(span.attributes or {}),
            time=span.end_time or 0,
        )
        try:
            with self._lock:
                self._reader.note(record)
                submission = self._reader.read(record)
        except Exception as error:  # noqa: BLE001 - the application's own span; counted and logged
            self._queue.note_unreadable(error)
            return
        if submission is not None:
            self._queue.put(submission)

    def shutdown(self) -> None:
        """Send what waits, as long as the queue's end may take."""
        self._queue.close()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Wait until nothing waits."""
        return self._queue.flush(timeout_millis / 1000)
