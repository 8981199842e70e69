"""Draw answers by the signature of a witness: no one who took them in could foresee it.

1. The answer's leaf is the first one that names it.
2. The head is the smallest above that leaf which the plan's witness cosigned, in the leaf's log.
3. The bits are a keyed hash of the answer's id, under the epoch's key and the witness's signature.

Answers are drawn in the order of their numbers, so that the alarms pass none over: the first one
that cannot be drawn yet stops those behind it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanproof.core.errors import LogDamagedError
from spanproof.monitor.sampling import draw_late
from spanproof.monitor.sampling_plan import parse_plan
from spanproof.operations.sampling.erased import drop_used_words
from spanproof.operations.sampling.intake_leaves import list_leaves
from spanproof.receipt.forms.signed_note import parse_lines, parse_note
from spanproof.receipt.witness.cosignature import parse_cosigner_key
from spanproof.store.log.cosignatures import Cosignatures
from spanproof.store.log.reading import LogReader, list_logs
from spanproof.store.samples.records import AnswerDraw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.monitor.sampling_plan import MonitoringPlan
    from spanproof.operations.context import Context
    from spanproof.operations.sampling.intake_leaves import Place, SubmissionLeaf
    from spanproof.store.database.session import Database
    from spanproof.store.samples.draws import WaitingAnswer
    from spanproof.store.samples.records import Epoch

#: Answers of one transaction.
_PAGE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawingHead:
    """A head that the witness cosigned: its log, its size, and the time and signature below it."""

    origin: str
    size: int
    cosignature: bytes


class WitnessDraw:
    """The draw of one epoch by its plan's witness, from what the logs hold now."""

    def __init__(self, context: Context, epoch: Epoch, witness: str) -> None:
        database = context.store.database
        self._leaves = _sort_leaves(list_leaves(context, epoch.epoch))
        self._heads = {
            each.log_id: _list_heads(
                database, LogReader(database, each.log_id, each.origin), witness
            )
            for each in list_logs(database)
        }

    def find_head(self, number: int) -> DrawingHead | None:
        """The head whose signature draws the answer of this number; None: there is none yet."""
        place = self.find_leaf(number)
        if place is None:
            return None
        log_id, index = place
        heads = self._heads.get(log_id, [])
        at = bisect_right(heads, index, key=lambda each: each.size)
        return heads[at] if at < len(heads) else None

    def find_leaf(self, number: int) -> Place | None:
        """The first leaf that names the answer, in the order of the logs."""
        firsts, leaves, longest = self._leaves
        at = bisect_right(firsts, number)
        found = [
            each.place
            for each in leaves[max(bisect_right(firsts, number - longest), 0) : at]
            if number < each.end
        ]
        return min(found, default=None)


def draw_waiting(context: Context) -> list[int]:
    """Draw what can be drawn, oldest first; the numbers of those that are chosen.

    Raises LogDamagedError where a kept signature is not the witness's.
    """
    chosen: list[int] = []
    for name in list_drawn_late(context):
        chosen += draw_epoch(context, context.store.samples.epochs.load(name))
        if context.store.samples.draws.list_waiting(name, limit=1):
            break
    return chosen


def draw_epoch(context: Context, epoch: Epoch) -> list[int]:
    """Draw the answers of one epoch that a signature covers; the numbers of the chosen ones."""
    witness, draws = find_witness(parse_plan(epoch.plan_json)), context.store.samples.draws
    waiting = draws.list_waiting(epoch.epoch, limit=_PAGE)
    if witness is None or not waiting:
        return []
    source = WitnessDraw(context, epoch, witness)
    chosen: list[int] = []
    while waiting:
        made = _make_draws(epoch, source, waiting)
        strata = {each.number: each.stratum for each in waiting}
        for each in draws.add_all(made, at=datetime.now(UTC)):
            if each.is_sampled:
                chosen.append(each.number)
                context.metrics.sampling.count_chosen(strata[each.number])
        if len(made) < len(waiting):
            break
        waiting = draws.list_waiting(epoch.epoch, limit=_PAGE)
    drop_used_words(context)
    return chosen


def list_drawn_late(context: Context) -> list[str]:
    """The epochs, oldest first, that are not closed and whose answers a witness draws."""
    return [
        each.epoch
        for each in context.store.samples.epochs.list()
        if each.opened and not each.closed and find_witness(parse_plan(each.plan_json))
    ]


def find_witness(plan: MonitoringPlan) -> str | None:
    """The verifier key of the witness that draws; None where the epoch's key does."""
    return None if plan.draw is None else plan.draw.witness


def _make_draws(
    epoch: Epoch, source: WitnessDraw, waiting: Sequence[WaitingAnswer]
) -> list[AnswerDraw]:
    made = []
    for each in waiting:
        head = source.find_head(each.number)
        if head is None:
            break
        bits = draw_late(epoch.key, head.cosignature, each.answer_id).value
        made.append(
            AnswerDraw(
                answer_id=each.answer_id,
                number=each.number,
                randomness=bits,
                is_sampled=bits >= each.threshold,
                log_origin=head.origin,
                size=head.size,
            )
        )
    return made


def _sort_leaves(
    leaves: Sequence[SubmissionLeaf],
) -> tuple[list[int], list[SubmissionLeaf], int]:
    ordered = sorted(leaves, key=lambda each: each.event.first)
    longest = max((each.event.answers for each in ordered), default=0)
    return [each.event.first for each in ordered], ordered, longest


def _list_heads(database: Database, log: LogReader, witness: str) -> list[DrawingHead]:
    """The heads of a log that the witness cosigned, the smallest first, each line verified."""
    key = parse_cosigner_key(witness)
    heads = []
    for kept in Cosignatures(database, log.log_id).list_of(witness):
        (line,) = parse_lines(kept.line)
        if not key.verify(parse_note(log.note(kept.size)).text, line.content):
            msg = f"Expected a signature of {key.name!r} below {kept.size} leaves, got a false one."
            raise LogDamagedError(msg, hint="Run 'spanproof audit fsck': it names what is wrong.")
        heads.append(DrawingHead(origin=log.origin, size=kept.size, cosignature=line.content))
    return heads
