"""The plan, and the group commit of answers: one thread writes what came since its last write."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import structlog

from spanproof.core.errors import InputError, MalformedTrustError, SettingsError, SpanproofError
from spanproof.core.verdicts.hash_only import HASH_ONLY
from spanproof.monitor.sampling_plan import Draw, parse_plan
from spanproof.operations.errors import ServiceBusyError, Work
from spanproof.operations.keeping.words import find_words
from spanproof.operations.sampling.epochs import EpochKeeper
from spanproof.operations.sampling.intake_leaves import log_submissions
from spanproof.operations.sampling.jobs import JobStarter
from spanproof.receipt.witness.cosignature import parse_cosigner_key
from spanproof.store.errors import StoreUnavailableError
from spanproof.store.log.refusal import copy_error
from spanproof.store.samples.answers import EpochClosedError
from spanproof.store.samples.records import SubmittedAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.errors import ConflictError
    from spanproof.monitor.sampling_plan import MonitoringPlan
    from spanproof.operations.context import Context
    from spanproof.operations.sampling.submission import Submission
    from spanproof.operations.settings import Settings
    from spanproof.store.samples.records import Epoch


def load_plan(settings: Settings) -> MonitoringPlan:
    """The plan; raise SettingsError for an unreadable file or another content."""
    if settings.sampling_plan is None:
        return _with_draw(parse_plan(json.dumps({"default": settings.sampling_rate})))
    try:
        raw = settings.sampling_plan.read_bytes()
    except OSError as error:
        msg = (
            f"Expected a plan in {str(settings.sampling_plan)!r}, got "
            f"{error.strerror or type(error).__name__}."
        )
        raise SettingsError(msg, hint="Set SPANPROOF_SAMPLING_PLAN to a file of yours.") from error
    try:
        return _with_draw(parse_plan(raw))
    except InputError as error:
        raise SettingsError(error.message, hint=error.hint) from error


def _with_draw(plan: MonitoringPlan) -> MonitoringPlan:
    """The plan with its draw: one that an earlier version kept has none."""
    if plan.draw is None:
        return replace(plan, draw=Draw())
    if plan.draw.witness is not None:
        try:
            parse_cosigner_key(plan.draw.witness)
        except MalformedTrustError as error:
            msg = f"Expected a witness's verifier key in the plan: {error.message}"
            raise SettingsError(msg, hint="Copy what 'spanproof log witness' prints.") from error
    return plan


#: One transaction's answers: enough for a synchronisation to cost each little.
MAX_BATCH = 256
#: Answers that may wait to be written: further callers must come again.
MAX_WAITING = 4096
#: Their bytes together; one larger answer is taken where nothing else waits.
MAX_WAITING_BYTES = 64 * 1024 * 1024
#: While answers still come, the next transaction waits so long for more, so many times at most: it
#: costs as much for one as for some dozens.
GATHER_SECONDS = 0.002
MAX_GATHERS = 8
#: An epoch may be closed by another process between two looks at it, hardly three times.
_TRIES = 3
_Waiting = tuple["Submission", "Future[SubmittedAnswer]"]


class Sampler:
    """Takes answers of one tenant; safe for several threads.

    Nothing is answered before it is kept, and before a leaf of the log says that it came in.

    The plan is read once: another one holds from the next start on.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._keeper = EpochKeeper(context, load_plan(context.settings))
        self._changed = threading.Condition()
        self._waiting: list[_Waiting] = []
        self._waiting_bytes = 0
        self._is_closed = False
        # Kept answers whose leaf is not logged yet: what failed is logged with the next.
        self._unlogged: dict[int, SubmittedAnswer] = {}
        # Only one thread may ask the keeper: the writer, or who closes an epoch by hand.
        self._turn = threading.Lock()
        # Queueing a job may take long, and no answer may wait for it.
        self._starter = JobStarter(context)
        self._thread = threading.Thread(target=self._run, name="spanproof-sampler", daemon=True)
        self._thread.start()

    @property
    def plan(self) -> MonitoringPlan:
        """The plan of this process."""
        return self._keeper.plan

    def submit(self, submission: Submission) -> Future[SubmittedAnswer]:
        """The answer's row, once it is durable; ConflictError where its id has other bytes.

        Raises ServiceBusyError where too many wait, and StoreUnavailableError where the service is
        being stopped.
        """
        future: Future[SubmittedAnswer] = Future()
        size = len(submission.raw)
        with self._changed:
            is_full = len(self._waiting) >= MAX_WAITING or (
                self._waiting_bytes > 0 and self._waiting_bytes + size > MAX_WAITING_BYTES
            )
            if self._is_closed:
                msg = "Expected a service that takes answers, got one that stops."
                raise StoreUnavailableError(msg, hint="Send it again in a few seconds.")
            if is_full:
                msg = f"Expected room for another answer, got {len(self._waiting)} that wait."
                raise ServiceBusyError(msg, work=Work.SUBMIT.value)
            self._waiting.append((submission, future))
            self._waiting_bytes += size
            self._changed.notify()
        return future

    def close_epoch(self) -> Epoch | None:
        """Close the open epoch and disclose its key; None without an open epoch."""
        with self._turn:
            return self._keeper.close_current()

    def close(self) -> None:
        """Write what waits, and end the thread; the epoch stays open."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()
        self._starter.close()

    def _run(self) -> None:
        is_alone = True
        while True:
            with self._changed:
                while not self._waiting and not self._is_closed:
                    self._changed.wait()
            # A client that sends one answer after the other must not wait for a batch.
            if not is_alone:
                self._gather()
            with self._changed:
                batch = self._waiting[:MAX_BATCH]
                del self._waiting[:MAX_BATCH]
                self._waiting_bytes -= sum(len(each.raw) for each, _ in batch)
            if not batch:
                return
            is_alone = len(batch) == 1
            self._write(batch)

    def _gather(self) -> None:
        """Wait for more answers while there come more."""
        for _ in range(MAX_GATHERS):
            count = len(self._waiting)
            if count >= MAX_BATCH or self._is_closed:
                return
            time.sleep(GATHER_SECONDS)
            if len(self._waiting) == count:
                return

    def _write(self, batch: list[_Waiting]) -> None:
        # A caller that went away takes its answer back; from here on none can be cancelled.
        batch = [each for each in batch if each[1].set_running_or_notify_cancel()]
        if not batch:
            return
        try:
            with self._turn:
                found, moment = self._record([submission for submission, _ in batch])
        except Exception as error:  # noqa: BLE001 - each caller is told, and the thread lives on
            for _, future in batch:
                future.set_exception(_to_answer(error))
            return
        for (_, future), each in zip(batch, found, strict=True):
            if isinstance(each, SubmittedAnswer):
                future.set_result(each)
            else:
                future.set_exception(each)
        kept = [each for each in found if isinstance(each, SubmittedAnswer)]
        # A repeated answer was started when it first came.
        self._follow([each for each in kept if each.received_at == moment])

    def _follow(self, new: list[SubmittedAnswer]) -> None:
        try:
            metrics = self._context.metrics.sampling
            for each in new:
                metrics.count_answer(each.stratum, is_sampled=each.is_sampled)
            self._starter.add([each.number for each in new if each.is_sampled])
        except Exception as error:  # noqa: BLE001 - they are kept, and the thread lives on
            structlog.get_logger().warning("sampled_answers_wait", error=type(error).__name__)

    def _record(
        self, submissions: list[Submission]
    ) -> tuple[list[SubmittedAnswer | ConflictError], datetime]:
        answers = self._context.store.samples.answers
        is_stale = False
        for _ in range(_TRIES):
            epoch = self._keeper.find_current(is_stale=is_stale)
            mode = find_words(self._context).mode
            decided = [
                each.decide(
                    self.plan, epoch.key, tenant=self._context.tenant, keeps_words=mode != HASH_ONLY
                )
                for each in submissions
            ]
            try:
                now = datetime.now(UTC)
                found = answers.add_all(
                    decided, epoch=epoch.epoch, received_at=now, seals=mode == "encrypted"
                )
            except EpochClosedError:
                is_stale = True
                continue
            kept = (each for each in found if isinstance(each, SubmittedAnswer))
            self._log(kept, epoch.epoch)
            return found, now
        msg = f"Expected an epoch that takes answers, got {_TRIES} that were closed."
        raise StoreUnavailableError(msg, hint="Send it again in a few seconds.")

    def _log(self, kept: Iterable[SubmittedAnswer], epoch: str) -> None:
        """Log what came in, and what came again: a killed process may have left it without a leaf.

        An earlier epoch takes no more answers, and logs its own when it ends.
        """
        self._unlogged |= {each.number: each for each in kept}
        waiting = (each for each in self._unlogged.values() if each.epoch == epoch)
        log_submissions(self._context, sorted(waiting, key=lambda each: each.number))
        self._unlogged = {}


def _to_answer(error: Exception) -> Exception:
    """The error for one of several callers, each with a traceback of its own."""
    return copy_error(error) if isinstance(error, SpanproofError) else error
