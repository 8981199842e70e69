"""Recompute from the disclosed key which answers to choose, and compare with the store.

An auditor checks, in this order:

1. one leaf commits to the key of the epoch and names the plan, and no other leaf does;
2. one leaf discloses a key, and it is the one that was committed to;
3. the answers are those that the second leaf counts and digests;
4. each leaf of submitted answers has its answers, all of them, and each answer has such a leaf;
5. each answer's stratum, bits, threshold and decision follow from key, plan and its own row;
6. of each stratum, model and index version as many were chosen as chance allows (an exact test);
7. each verification of a chosen answer says so in what it signed, behind the commitment;
8. each answer that was drawn for people should have been, and none is missing.

Leaves are read from every log that is kept here: 'log recover' closes one and opens another, and
the epochs of the closed one stay what they were.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError
from spanproof.core.moment import write_moment
from spanproof.monitor.fit import fit_rates
from spanproof.monitor.sampling import check_commitment, draw_late
from spanproof.monitor.sampling_plan import parse_plan
from spanproof.operations.sampling.audit_report import Difference, SampleAudit
from spanproof.operations.sampling.draw_counts import DrawCounts, describe_claim, describe_group
from spanproof.operations.sampling.drawing import WitnessDraw, find_witness
from spanproof.operations.sampling.epochs import list_events
from spanproof.operations.sampling.intake_leaves import list_leaves, weigh
from spanproof.operations.sampling.submission import draw_answer
from spanproof.operations.sampling.verification import (
    describe_sampling,
    draw_review,
    find_review_threshold,
)
from spanproof.receipt.statement.events import EpochClosed, EpochOpened
from spanproof.store.erasing.refusal import ANSWER
from spanproof.store.log.reading import LogReader, list_logs
from spanproof.store.samples.answers import digest_rows
from spanproof.store.samples.records import ERASED, SubmittedAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.monitor.fit import Fit
    from spanproof.monitor.sampling import Randomness
    from spanproof.monitor.sampling_plan import MonitoringPlan
    from spanproof.operations.context import Context
    from spanproof.operations.sampling.drawing import DrawingHead
    from spanproof.operations.sampling.intake_leaves import Place
    from spanproof.receipt.witness.cosigned_list import CosignedList
    from spanproof.store.samples.records import Epoch, EpochStep

Claimed = TypeVar("Claimed", EpochOpened, EpochClosed)
#: So many differences are named, the rest counted.
MAX_NAMED = 1000
_DIGESTED = {True: "as it was logged", False: "something else"}


class _Auditor:
    def __init__(self, context: Context, epoch: Epoch, lists: Sequence[CosignedList]) -> None:
        self._context = context
        self._epoch = epoch
        self._named: list[Difference] = []
        self._count = 0
        self._logs = [
            LogReader(context.store.database, each.log_id, each.origin)
            for each in list_logs(context.store.database)
        ]
        witness = find_witness(parse_plan(epoch.plan_json))
        self._lists = {each.origin: each for each in lists}
        self._compared: set[Place] = set()
        self._witness = None if witness is None else WitnessDraw(context, epoch, witness)
        #: Its log's number and its index; logs are numbered in the order in which they were opened.
        self._opened_at = (-1, -1)

    def audit(self) -> SampleAudit:
        samples = self._context.store.samples
        name = self._epoch.epoch
        self._check_opening()
        closing = self._check_closing()
        answers = chosen = verified = reviews = leaves = 0
        fits: tuple[Fit, ...] = ()
        plan = parse_plan(self._epoch.plan_json)
        if closing is not None:
            answers, chosen, digest = digest_rows(samples.answers.iterate(name))
            self._compare(None, "answers", closing.answers, answers)
            self._compare(None, "chosen", closing.chosen, chosen)
            self._compare(None, "digest of the answers", closing.rows_digest, digest)
            self._compare(None, "digest of the plan", self._epoch.plan_digest, plan.digest)
            if plan.draw is not None:
                leaves = self._check_submissions()
            counts = DrawCounts()
            for each in samples.answers.iterate(name):
                self._check_answer(each, plan, closing.key, counts)
            fits = self._check_rates(counts)
            verified, reviews = self._check_outcomes(closing.key)
        return SampleAudit(
            epoch=name,
            is_disclosed=closing is not None,
            answers=answers,
            chosen=chosen,
            verified=verified,
            waiting=chosen - verified,
            reviews=reviews,
            differences=self._count,
            named=tuple(self._named),
            claim=describe_claim(plan, has_list=bool(self._lists)),
            leaves=leaves,
            fits=fits,
        )

    def _list_events(
        self, kind: type[Claimed], step: EpochStep | None
    ) -> list[tuple[Place, Claimed]]:
        """The leaves of a kind: those of the step's log, of others those that say something else.

        The same is logged again where a crash came between leaf and row, and then another log.
        """
        own: list[tuple[Place, Claimed]] = []
        others: list[tuple[Place, Claimed]] = []
        for log in self._logs:
            is_own = step is None or step.origin == log.origin
            for index, each in list_events(self._context, self._epoch.epoch, log=log):
                if isinstance(each, kind):
                    (own if is_own else others).append(((log.log_id, index), each))
        said = [each.subjects for _, each in own]
        return own + [(place, each) for place, each in others if each.subjects not in said]

    def _check_opening(self) -> None:
        found = self._list_events(EpochOpened, self._epoch.opened)
        self._compare(None, "leaves that open the epoch", 1, len(found))
        for place, each in found[:1]:
            self._opened_at = place
            self._compare(None, "commitment", each.commitment, self._epoch.commitment)
            plan = Digest.of(self._epoch.plan_json.encode("utf-8"))
            self._compare(None, "plan", each.plan_digest, plan)

    def _check_closing(self) -> EpochClosed | None:
        found = [each for _, each in self._list_events(EpochClosed, self._epoch.closed)]
        if not found:
            return None
        self._compare(None, "leaves that close the epoch", 1, len(found))
        closing = found[0]
        commitment = self._epoch.commitment
        self._compare(None, "commitment at the end", commitment, closing.commitment)
        is_bound = check_commitment(bytes.fromhex(commitment.hex), closing.key, self._epoch.epoch)
        self._compare(None, "the disclosed key is the committed one", expected=True, got=is_bound)
        return closing

    def _check_submissions(self) -> int:
        """Every submission that the log names must be here to be weighed, and no other."""
        leaves = list_leaves(self._context, self._epoch.epoch)
        for each in weigh(leaves, self._context.store.samples.answers.iterate(self._epoch.epoch)):
            if isinstance(each, SubmittedAnswer):
                self._compare(each.answer_id, "named by a leaf", expected=True, got=False)
                continue
            event, (_, index) = each.leaf.event, each.leaf.place
            name = f"the {event.answers} answers from number {event.first} on, of leaf {index}"
            self._compare(None, name, event.answers, each.kept)
            if each.kept == event.answers:
                what = f"what came in, of leaf {index}"
                self._compare(None, what, "as it was logged", _DIGESTED[each.is_same])
        return len(leaves)

    def _check_rates(self, counts: DrawCounts) -> tuple[Fit, ...]:
        fits = fit_rates(counts.list())
        for fit in fits:
            count = fit.count
            if not fit.is_fair:
                expected = f"about {count.answers * count.probability:.0f} of {count.answers}"
                got = f"{count.chosen}, which a fair draw gives with a chance of {fit.p_value:.1e}"
                self._compare(None, f"number chosen of {describe_group(count)}", expected, got)
        return fits

    def _check_answer(
        self, answer: SubmittedAnswer, plan: MonitoringPlan, key: bytes, counts: DrawCounts
    ) -> None:
        fields = {
            "tenant": answer.tenant,
            "model": answer.model,
            "index_version": answer.index_version,
        }
        stratum = plan.find_stratum(fields)
        name = answer.answer_id
        drawn = self._draw(answer, plan, key)
        self._compare(
            name, "drawn by a signature above its leaf", drawn is not None, answer.is_drawn
        )
        if drawn is None:
            return
        decision = plan.sampling.decide(stratum, drawn)
        counts.add(answer, decision)
        self._compare(name, "stratum", stratum, answer.stratum)
        self._compare(name, "source of the bits", drawn.source.value, answer.source)
        self._compare(name, "bits", drawn.value, answer.randomness)
        self._compare(name, "threshold", decision.threshold, answer.threshold)
        self._compare(name, "chosen", decision.is_sampled, answer.is_sampled)

    def _draw(self, answer: SubmittedAnswer, plan: MonitoringPlan, key: bytes) -> Randomness | None:
        if self._witness is None:
            trace_id = answer.trace_id if plan.trusts_trace_ids else None
            return draw_answer(
                key, answer.answer_id, trace_id=trace_id, trace_state=answer.trace_state
            )
        head = self._witness.find_head(answer.number)
        if head is not None and self._lists:
            self._check_first(self._witness.find_leaf(answer.number), head)
        return None if head is None else draw_late(key, head.cosignature, answer.answer_id)

    def _check_first(self, place: Place | None, head: DrawingHead) -> None:
        """The signature that draws must be the first one that the witness gave above the leaf."""
        if place is None or place in self._compared:
            return
        self._compared.add(place)
        listed = self._lists.get(head.origin)
        if listed is None:
            msg = f"Expected the witness's list of {head.origin!r} too, got none."
            raise InputError(msg, hint="Give --cosigned for each log that the epoch was in.")
        first = listed.find_first_above(place[1])
        expected = None if first is None else f"{first.size} leaves, {first.content.hex()[:16]}…"
        got = f"{head.size} leaves, {head.cosignature.hex()[:16]}…"
        if first is None or (first.size, first.content) != (head.size, head.cosignature):
            self._compare(None, f"first signature above leaf {place[1]}", expected, got)

    def _check_outcomes(self, key: bytes) -> tuple[int, int]:
        samples = self._context.store.samples
        verified = reviews = 0
        for outcome, is_queued in samples.outcomes.iterate(self._epoch.epoch):
            verified += 1
            reviews += is_queued
            answer = samples.answers.load(outcome.answer_id)
            self._compare(answer.answer_id, "chosen", expected=True, got=answer.is_sampled)
            threshold = find_review_threshold(self._epoch, outcome)
            bits = draw_review(key, outcome.answer_id)
            is_drawn = threshold is not None and bits >= threshold
            self._compare(answer.answer_id, "drawn for people", is_drawn, is_queued)
            if outcome.result == ERASED:
                erased = self._context.store.erasures.find(ANSWER, outcome.answer_id)
                is_recorded = erased is not None
                self._compare(
                    answer.answer_id, "its erasure is recorded", expected=True, got=is_recorded
                )
            if outcome.verification_id is not None:
                self._check_receipt(answer, outcome.verification_id)
        return verified, reviews

    def _check_receipt(self, answer: SubmittedAnswer, verification_id: str) -> None:
        found = [
            (log.log_id, each)
            for log in self._logs
            for each in log.find_statements(verification_id)
            if each.statement.kind == "result"
        ]
        # More than one: each of them must mention the draw.
        self._compare(answer.answer_id, "results in the log", expected=True, got=bool(found))
        for log_id, each in found:
            predicate = json.loads(each.statement.payload)["predicate"]
            wanted = describe_sampling(answer, self._epoch)
            self._compare(
                answer.answer_id, "the draw in the receipt", wanted, predicate["request"]["sampled"]
            )
            intake = predicate["log"]["intake_index"]
            self._compare(
                answer.answer_id,
                "verified behind the commitment",
                expected=True,
                got=(log_id, intake) > self._opened_at,
            )

    def _compare(self, answer_id: str | None, what: str, expected: object, got: object) -> None:
        if expected == got:
            return
        self._count += 1
        if len(self._named) < MAX_NAMED:
            self._named.append(
                Difference(answer_id=answer_id, what=what, expected=str(expected), got=str(got))
            )


def audit_epoch(context: Context, epoch: str, cosigned: Sequence[CosignedList] = ()) -> SampleAudit:
    """Audit an epoch of this home; NotFoundError for an unknown name.

    ``cosigned``: the lists of the witness that draws, one for each log of the epoch. They show
    that no signature was held back. Raises InputError where one is missing.

    Before its key is disclosed only the opening can be checked: nothing else is claimed.
    """
    return _Auditor(context, context.store.samples.epochs.load(epoch), cosigned).audit()


def iterate_epochs(context: Context) -> Iterator[dict[str, Any]]:
    """Every epoch as it may be shown: no key of one that is open."""
    for each in context.store.samples.epochs.list():
        steps = {"opened": each.opened, "closing": each.closing, "closed": each.closed}
        yield {
            "epoch": each.epoch,
            "commitment": str(each.commitment),
            "plan_sha256": str(each.plan_digest),
            "key": each.key.hex() if each.closed is not None else None,
            **{
                name: None
                if step is None
                else {
                    "at": write_moment(step.at),
                    "log_origin": step.origin,
                    "log_index": step.index,
                }
                for name, step in steps.items()
            },
        }
