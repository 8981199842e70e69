"""Epochs: a key is committed to in the log before its first answer, and disclosed after its last.

A crash can cut off each step, and the next start continues it:

1. the store keeps the key and the plan (``sampling_epoch``), still unused;
2. the leaf that commits to the key is logged, and a signed head above it;
3. ``opened`` is recorded: from here on answers are taken;
4. ``closing`` is recorded: none is taken any more;
5. the leaf that discloses the key and counts the answers is logged, and a signed head above it;
6. ``closed`` is recorded.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.monitor.sampling import KEY_BYTES, commit
from spanproof.monitor.sampling_plan import parse_plan
from spanproof.operations.sampling.drawing import draw_waiting, list_drawn_late
from spanproof.operations.sampling.intake_leaves import log_missing
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import EpochClosed, EpochOpened
from spanproof.store.samples.answers import digest_rows
from spanproof.store.samples.records import Epoch

if TYPE_CHECKING:
    from spanproof.monitor.sampling_plan import MonitoringPlan
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.events import Event
    from spanproof.store.log.reading import LogReader

#: What a configuration change calls the plan.
PLAN = "sampling-plan"


class EpochKeeper:
    """The epoch that takes answers now. Only one thread of a process may ask it."""

    def __init__(self, context: Context, plan: MonitoringPlan) -> None:
        self._context = context
        self.plan = plan
        self._digest = plan.digest
        self._current: Epoch | None = None

    def find_current(self, *, is_stale: bool = False) -> Epoch:
        """The current epoch; open one if none is open. ``is_stale``: look again.

        Raises LogError or KeyUnavailableError where the commitment cannot be logged.
        """
        now = datetime.now(UTC)
        if self._current is None or is_stale or self._is_over(self._current, now):
            self._current = self._turn(now)
        return self._current

    def close_current(self) -> Epoch | None:
        """Close the open epoch and disclose its key; None without an open epoch.

        Where a witness still has to draw it takes no more answers, and its key stays secret.
        """
        epochs = self._context.store.samples.epochs
        with epochs.database_lock():
            last = epochs.find_last()
            if last is None or last.opened is None or last.closed is not None:
                return None
            close_ended(self._context)
            if last.closing is None:
                close_epoch(self._context, last)
            self._current = None
            return epochs.load(last.epoch)

    def _is_over(self, epoch: Epoch, now: datetime) -> bool:
        opened = epoch.opened
        # A clock that went back makes no epoch shorter.
        hours = _read_hours(epoch.plan_json)
        # Divided, not added: an epoch that never ends is beyond the calendar.
        is_spent = opened is not None and (now - opened.at) / timedelta(hours=1) >= hours
        return is_spent or epoch.plan_digest != self._digest

    def _turn(self, now: datetime) -> Epoch:
        epochs = self._context.store.samples.epochs
        with epochs.database_lock():
            last = epochs.find_last()
            if last is not None and last.closed is None:
                if last.opened is None:
                    open_epoch(self._context, last)
                    last = epochs.load(last.epoch)
                if last.closing is not None or self._is_over(last, now):
                    close_epoch(self._context, last)
                else:
                    return last
            position = 1 if last is None else last.position + 1
            prepared = _prepare(position, self.plan, now)
            epochs.add(prepared)
            open_epoch(self._context, prepared)
            return epochs.load(prepared.epoch)


@lru_cache(maxsize=16)
def _read_hours(plan_json: str) -> float:
    return parse_plan(plan_json).epoch_hours


def _prepare(position: int, plan: MonitoringPlan, now: datetime) -> Epoch:
    name, key = f"epoch-{position}", os.urandom(KEY_BYTES)
    return Epoch(
        epoch=name,
        position=position,
        key=key,
        commitment=Digest(commit(key, name).hex()),
        plan_json=plan.dumps(),
        plan_digest=plan.digest,
        prepared_at=now,
    )


def open_epoch(context: Context, epoch: Epoch) -> None:
    """Steps 2 and 3; a leaf that is logged already is not logged again."""
    issuer = context.issuer
    issuer.record_configuration({PLAN: epoch.plan_digest})
    event = EpochOpened(
        **issuer.make_head(),
        epoch=epoch.epoch,
        commitment=epoch.commitment,
        plan_digest=epoch.plan_digest,
    )
    leaf = _log_commitment(context, event, epoch.epoch)
    now = datetime.now(UTC)
    context.store.samples.epochs.add_step(epoch.epoch, "opened", at=now, leaf=leaf)


def advance_draws(context: Context) -> list[int]:
    """Draw what a witness's signature covers by now; the numbers of the chosen answers.

    Epochs that waited for it alone are closed.
    """
    if not list_drawn_late(context):
        return []
    with context.store.samples.epochs.database_lock():
        chosen = draw_waiting(context)
        close_ended(context)
    return chosen


def close_ended(context: Context) -> None:
    """Close the epochs that take no answers any more and waited for the draw of some."""
    for each in context.store.samples.epochs.list():
        if each.closing is not None and each.closed is None:
            close_epoch(context, each)


def close_epoch(context: Context, epoch: Epoch) -> None:
    """Steps 4 to 6; after step 4 the answers of the epoch do not change, so neither does 5.

    An epoch whose answers a witness draws stays at step 4 until all of them are drawn: the key is
    no secret afterwards. Others open meanwhile.
    """
    samples, now = context.store.samples, datetime.now(UTC)
    epochs = samples.epochs
    epochs.add_step(epoch.epoch, "closing", at=now)
    if parse_plan(epoch.plan_json).draw is not None:
        log_missing(context, epoch.epoch)
        draw_waiting(context)
        if samples.draws.list_waiting(epoch.epoch, limit=1):
            return
    answers, chosen, rows = digest_rows(context.store.samples.answers.iterate(epoch.epoch))
    event = EpochClosed(
        **context.issuer.make_head(),
        epoch=epoch.epoch,
        commitment=epoch.commitment,
        key=epoch.key,
        answers=answers,
        chosen=chosen,
        rows_digest=rows,
    )
    leaf = _log_commitment(context, event, epoch.epoch)
    epochs.add_step(epoch.epoch, "closed", at=datetime.now(UTC), leaf=leaf)


def list_events(
    context: Context, epoch: str, *, log: LogReader | None = None
) -> list[tuple[int, Event]]:
    """What a log (by default, the one in use) says of an epoch: the leaf's index, the event."""
    found = (log or context.log).find_statements(epoch)
    return [(each.index, parse_event(each.statement.payload)) for each in found]


def _log_commitment(
    context: Context, event: EpochOpened | EpochClosed, epoch: str
) -> tuple[str, int]:
    origin = context.log.origin
    for index, known in list_events(context, epoch):
        if type(known) is type(event) and known.subjects == event.subjects:
            # The process that logged it may have stopped before it signed a head above it.
            context.log.publish()
            return origin, index
    leaf = context.issuer.log_event(event, subject=epoch)
    # A head that anybody may have seen: the commitment cannot be exchanged for another.
    context.log.publish()
    return leaf.origin, leaf.index
