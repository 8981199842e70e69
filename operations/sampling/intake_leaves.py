"""The leaves of submitted answers: each answer stands in the log, whatever the draw says of it.

A batch of answers is kept first, then its leaf is logged, and only then are the callers answered. A
process that is killed in between leaves answers without a leaf: they get one when the epoch is
closed. Two leaves may name the same answer; none may name an answer that is not there.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from spanproof.core.digest import Digest
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import AnswersSubmitted
from spanproof.store.log.reading import LogReader, list_logs
from spanproof.store.samples.answers import write_submission

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanproof.operations.context import Context
    from spanproof.store.samples.records import SubmittedAnswer

#: A leaf's log by its number (in the order in which logs were opened), and its index there.
Place = tuple[int, int]
#: So many answers are named by one leaf at most, where a closing epoch names what has none.
_MOST = 10_000


class SubmissionLeaf(NamedTuple):
    """A leaf and what it says."""

    place: Place
    event: AnswersSubmitted

    @property
    def end(self) -> int:
        """The number behind its last answer."""
        return self.event.first + self.event.answers


class WeighedLeaf(NamedTuple):
    """A leaf, how many of its answers are kept, and whether they are those that came in."""

    leaf: SubmissionLeaf
    kept: int
    is_same: bool


def log_submissions(context: Context, answers: Sequence[SubmittedAnswer]) -> None:
    """Log that these came in; durable on return. Those of an epoch whose numbers follow are one."""
    run: list[SubmittedAnswer] = []
    for each in answers:
        if run and (each.epoch != run[-1].epoch or each.number != run[-1].number + 1):
            _log(context, run)
            run = []
        run.append(each)
    if run:
        _log(context, run)


def log_missing(context: Context, epoch: str) -> None:
    """Log the answers of an epoch that no leaf names: their process was killed too early."""
    missing: list[SubmittedAnswer] = []
    answers = context.store.samples.answers.iterate(epoch)
    for each in weigh(list_leaves(context, epoch), answers):
        if isinstance(each, WeighedLeaf):
            continue
        missing.append(each)
        if len(missing) == _MOST:
            log_submissions(context, missing)
            missing = []
    log_submissions(context, missing)


def list_leaves(context: Context, epoch: str) -> list[SubmissionLeaf]:
    """The leaves of an epoch's answers in the order of the logs, from every log that is kept."""
    database = context.store.database
    return [
        SubmissionLeaf((each.log_id, found.index), event)
        for each in list_logs(database)
        for found in LogReader(database, each.log_id, each.origin).find_statements(_name(epoch))
        if isinstance(event := parse_event(found.statement.payload), AnswersSubmitted)
    ]


def weigh(
    leaves: Iterable[SubmissionLeaf], answers: Iterable[SubmittedAnswer]
) -> Iterator[WeighedLeaf | SubmittedAnswer]:
    """Every leaf, held against the answers that are kept, and each answer that no leaf names.

    Both in the order of the answers' numbers; the answers are read once.
    """
    waiting = sorted(leaves, key=lambda each: each.event.first, reverse=True)
    opened: list[_Count] = []
    for answer in answers:
        while waiting and waiting[-1].event.first <= answer.number:
            opened.append(_Count(waiting.pop()))
        for count in [each for each in opened if each.leaf.end <= answer.number]:
            opened.remove(count)
            yield count.finish()
        if not opened:
            yield answer
        for count in opened:
            count.add(answer)
    yield from (each.finish() for each in opened)
    yield from (_Count(each).finish() for each in reversed(waiting))


class _Count:
    """The answers of one leaf, as they are read."""

    def __init__(self, leaf: SubmissionLeaf) -> None:
        self.leaf = leaf
        self._kept = 0
        self._hashed = hashlib.sha256()

    def add(self, answer: SubmittedAnswer) -> None:
        self._kept += 1
        self._hashed.update(write_submission(answer))

    def finish(self) -> WeighedLeaf:
        found = Digest(self._hashed.hexdigest())
        return WeighedLeaf(self.leaf, self._kept, found == self.leaf.event.rows_digest)


def _log(context: Context, answers: Sequence[SubmittedAnswer]) -> None:
    epoch = answers[0].epoch
    event = AnswersSubmitted(
        **context.issuer.make_head(),
        epoch=epoch,
        first=answers[0].number,
        answers=len(answers),
        rows_digest=Digest.of(b"".join(map(write_submission, answers))),
    )
    context.issuer.log_event(event, subject=_name(epoch))


def _name(epoch: str) -> str:
    """What the store calls the subject of an epoch's answers."""
    return f"answers of {epoch}"
