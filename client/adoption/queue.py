"""The queue between an application and the service: it drops the answers that do not fit.

Handing in an answer costs the application one lock and no wait, and never raises: people switch off
an audit that breaks their application. The queue counts and logs every answer that it drops.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import uuid
import weakref
from collections import deque
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

from spanproof.client import calls
from spanproof.core.errors import SpanproofError
from spanproof.core.shown import show_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.client import Client, VerifiedAnswer
    from spanproof.client.adoption.submission import Submission

LOG = logging.getLogger("spanproof.adoption")
MAX_ANSWERS = 1000
#: What waits is held in memory: so many bytes of it at most.
MAX_BYTES = 64 * 1024**2
#: How long the end of an application waits for what it still holds, in seconds.
CLOSE_SECONDS = 5.0
#: Losses are logged at once, and then at most this often, in seconds.
_LOG_EVERY = 60.0
#: Names are compared with those of so many documents, the newest.
MOST_DOCUMENTS = 200
#: ``SNIPPET``: the text came with the answer, so it was judged, but no document stands behind it.
_UNKNOWN = frozenset({"UNKNOWN_DOCUMENT", "SNIPPET"})


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueCounts:
    """Answers so far: ``submitted`` reached the service, ``waiting`` are still to go.

    ``dropped`` found the queue full or closed, ``failed`` were refused by the service or did not
    reach it, ``skipped`` were no answers, ``unreadable`` could not be read.
    """

    submitted: int = 0
    waiting: int = 0
    dropped: int = 0
    failed: int = 0
    skipped: int = 0
    unreadable: int = 0


@dataclass(frozen=True, slots=True)
class _Item:
    read: Callable[[], Submission | None]
    size: int


class AnswerQueue:
    """Hands answers to the service from a thread of its own; safe for several threads.

    The thread begins with the first answer, also in a process that was forked since.

    ``verify_all`` is for development: each answer is verified when its turn comes, no sampling
    decides, and ``on_verified`` is given each result in the queue's thread (``print`` will do). The
    first answer with a document that the service does not know is logged with its id.
    """

    def __init__(
        self,
        client: Client,
        *,
        max_answers: int = MAX_ANSWERS,
        max_bytes: int = MAX_BYTES,
        verify_all: bool = False,
        on_verified: Callable[[VerifiedAnswer], object] | None = None,
    ) -> None:
        if on_verified is not None and not verify_all:
            msg = "on_verified: expected verify_all=True beside it, got False"
            raise ValueError(msg)
        self._client = client
        self._max_answers, self._max_bytes = max_answers, max_bytes
        self._verify_all, self._on_verified = verify_all, on_verified
        self._has_logged_unknown = False
        self._begin()
        # Weak: a queue without other references may go.
        atexit.register(_close, weakref.ref(self))
        os.register_at_fork(after_in_child=partial(_begin_in_child, weakref.ref(self)))

    def _begin(self) -> None:
        """Empty, without a thread: at the start, and in a forked child, which has no threads."""
        self._counts = dict.fromkeys(QueueCounts.__dataclass_fields__, 0)
        self._logged_at: dict[str, float] = {}
        self._changed = threading.Condition()
        self._items: deque[_Item] = deque()
        self._bytes = 0
        self._busy = False
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def counts(self) -> QueueCounts:
        """What became of the answers so far."""
        with self._changed:
            waiting = len(self._items) + self._busy
            return QueueCounts(**self._counts | {"waiting": waiting})

    def put(self, submission: Submission) -> bool:
        """Take an answer; False where it was dropped."""
        return self.put_deferred(lambda: submission, size=len(submission.payload))

    def put_deferred(self, read: Callable[[], Submission | None], *, size: int) -> bool:
        """Take what ``read`` will make an answer of, in the queue's thread; False: dropped.

        ``size`` is in bytes, of what it holds in memory until then.
        """
        with self._changed:
            full = len(self._items) >= self._max_answers or self._bytes + size > self._max_bytes
            if not (full or self._closed):
                self._items.append(_Item(read, size))
                self._bytes += size
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._run, name="spanproof-answers", daemon=True
                    )
                    self._thread.start()
                self._changed.notify_all()
                return True
            self._counts["dropped"] += 1
            count = self._counts["dropped"]
        self._notify("dropped", count, "the queue is full" if full else "the queue is closed")
        return False

    def note_unreadable(self, error: Exception) -> None:
        """Count an answer that could not be read; of the error only its kind is logged."""
        with self._changed:
            self._counts["unreadable"] += 1
            count = self._counts["unreadable"]
        self._notify("unreadable", count, type(error).__name__)

    def note_skipped(self) -> None:
        """Count what passed by and was no answer that can be taken."""
        with self._changed:
            self._counts["skipped"] += 1

    def flush(self, timeout: float = CLOSE_SECONDS) -> bool:
        """Wait until nothing waits, at most ``timeout`` seconds; whether that came."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._items and not self._busy, timeout)

    def close(self, timeout: float = CLOSE_SECONDS) -> QueueCounts:
        """Take no more answers, send waiting ones within ``timeout`` seconds, and drop the rest."""
        with self._changed:
            was_closed, self._closed = self._closed, True
            self._changed.notify_all()
        self.flush(0 if was_closed else timeout)
        with self._changed:
            left = len(self._items)
            self._items.clear()
            self._bytes = 0
            self._counts["dropped"] += left
            count = self._counts["dropped"]
        if left:
            self._notify("dropped", count, "the application ended", at_once=True)
        return self.counts

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._items or self._closed)
                if not self._items:
                    return
                item = self._items.popleft()
                self._bytes -= item.size
                self._busy = True
            try:
                self._send(item)
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()

    def _send(self, item: _Item) -> None:
        try:
            submission = item.read()
        except Exception as error:  # noqa: BLE001 - the application's own reader; counted and logged
            self.note_unreadable(error)
            return
        if submission is None:
            self.note_skipped()
            return
        try:
            self._hand_in(submission)
        except SpanproofError as error:
            problem = getattr(error, "problem", None)
            reason = error.code if problem is None else problem.code
        except Exception as error:  # noqa: BLE001 - the thread must live; counted and logged
            reason = type(error).__name__
        else:
            with self._changed:
                self._counts["submitted"] += 1
            return
        with self._changed:
            self._counts["failed"] += 1
            count = self._counts["failed"]
        self._notify("failed", count, reason)

    def _hand_in(self, submission: Submission) -> None:
        payload, named = submission.payload, submission.format
        key = str(uuid.uuid4()) if submission.is_repeatable else None
        if not self._verify_all:
            self._client.submit_answer(payload, format=named, idempotency_key=key)
            return
        verified = self._client.verify(payload, format=named, idempotency_key=key)
        if not self._has_logged_unknown:
            self._has_logged_unknown = _log_unknown(self._client, verified)
        if self._on_verified is not None:
            self._on_verified(verified)

    def _notify(self, what: str, count: int, reason: str, *, at_once: bool = False) -> None:
        now = time.monotonic()
        if at_once or now - self._logged_at.get(what, -_LOG_EVERY) >= _LOG_EVERY:
            self._logged_at[what] = now
            LOG.warning("answers_%s count=%d reason=%s", what, count, reason)


def _close(reference: weakref.ref[AnswerQueue]) -> None:
    queue = reference()
    if queue is not None:
        queue.close()


def _begin_in_child(reference: weakref.ref[AnswerQueue]) -> None:
    queue = reference()
    if queue is not None:
        queue._begin()  # noqa: SLF001 - its own module


def _log_unknown(client: Client, verified: VerifiedAnswer) -> bool:
    """Log one line about the first citation of a document that is not known; True if there was."""
    name = next(_find_unknown(verified), None)
    if name is None:
        return False
    try:
        listed = client.send(calls.list_documents(limit=MOST_DOCUMENTS))
    except SpanproofError:
        # The answer is verified all the same; the caller may not be allowed to list documents.
        listed = []
    known = [doc_id for row in listed for doc_id in row["doc_ids"]]
    near = get_close_matches(name, known, n=3, cutoff=0.3)
    LOG.warning(
        "answer_document_unknown id=%s nearest=%s of %d documents: ingest the document under this"
        " id, or give its metadata a doc_id that is known",
        show_value(name),
        ", ".join(map(show_value, near)) or "none",
        len(listed),
    )
    return True


def _find_unknown(verified: VerifiedAnswer) -> Iterator[str]:
    citations = verified.raw["citations"]
    for verdict in verified.block["verdicts"]:
        if verdict["identity"]["status"] not in _UNKNOWN:
            continue
        cited = citations[verdict["citation"]] if verdict["citation"] < len(citations) else {}
        yield str(cited.get("doc_id") or cited.get("doc_hash") or verdict["identity"]["doc_hash"])
