"""The sequencer: one writer of a log at a time, and nothing answered that is not durable.

The order, which is what makes an answer true after any crash (docs/explanation/log-store.md):

1. leaves, tiles and the unsigned head in one transaction, durable; then the mark outside of it;
2. the head is signed (Ed25519 gives the same bytes again);
3. the note is stored, and the receipts with it;
4. the callers are answered.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy import exc
from sqlmodel import Session

from spanproof.core.errors import InputError, LogDamagedError, SpanproofError
from spanproof.core.log import merkle
from spanproof.core.log.checkpoint import Checkpoint, IncludedLeaf, LoggedLeaf
from spanproof.core.log.tiles import MAX_ENTRY_BYTES
from spanproof.store.log import rows, writing
from spanproof.store.log.commit_queue import MAX_BATCH, Queue, Submission
from spanproof.store.log.failpoints import Failpoint, Reach, hit
from spanproof.store.log.frontier import Frontier
from spanproof.store.log.mark import HighWaterMark
from spanproof.store.log.opening import (
    history_mismatch,
    open_log,
    origin_mismatch,
    rolled_back,
    to_key,
    wrapped_mark_errors,
)
from spanproof.store.log.reading import LogReader
from spanproof.store.log.records import LogStatement, NewLeaf, NewLog, NewReceipt
from spanproof.store.log.refusal import Refusal, copy_error, to_frozen, to_stopped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Self

    from sqlalchemy import Connection

    from spanproof.core.log.checkpoint import CheckpointSigner
    from spanproof.store.database.session import Database
    from spanproof.store.log.records import AttachedRows
    from spanproof.store.log.refusal import Guard


class TransparencyLog(LogReader):
    """The log of one origin, open for leaves. Safe for several threads and processes."""

    def __init__(
        self,
        database: Database,
        log_id: int,
        *,
        signer: CheckpointSigner,
        mark: HighWaterMark,
        reach: Reach,
    ) -> None:
        super().__init__(database, log_id, signer.origin)
        self._signer = signer
        self._mark = mark
        self._reach = reach
        self._key = to_key(log_id)
        self._frontier = Frontier()
        self._marked: Checkpoint | None = None
        self._refusal = Refusal()
        self._queue = Queue(self._work)

    @classmethod
    def open(
        cls,
        database: Database,
        signer: CheckpointSigner,
        mark: Path,
        *,
        new: NewLog | None = None,
        reach: Reach = hit,
    ) -> Self:
        """The log of the signer's origin: made where the database and the mark know no log.

        ``new`` is recorded where it is made; None: that it was opened now, without a key.
        Raises LogRolledBackError where the database is behind the mark, or another history, or the
        mark is gone; LogFrozenError where another origin goes on. A head that a crash left unsigned
        is signed.
        """
        held = HighWaterMark(mark, reach)
        log_id = open_log(
            database,
            signer.origin,
            held,
            new=new or NewLog(opened_at=datetime.now(UTC)),
            reach=reach,
        )
        log = cls(database, log_id, signer=signer, mark=held, reach=reach)
        with database.reading() as session:
            log._frontier = log._read_frontier(session)
            note = rows.find_note(session, log_id)
        if note is None or note.size < log._frontier.size:
            log.publish()
        else:
            with wrapped_mark_errors():
                held.raise_to(log._checkpoint(), log._check_mark)
        return log

    def append(self, entry: bytes, statement: LogStatement | None = None) -> LoggedLeaf:
        """Add a leaf: durable on return, and no signature covers it yet."""
        return self.append_all([NewLeaf(entry=entry, statement=statement)])[0]

    def append_all(self, leaves: Sequence[NewLeaf | bytes]) -> tuple[LoggedLeaf, ...]:
        """Add leaves in their order, up to 256 of them in one transaction."""
        done = self._submit(leaves, is_included=False)
        return tuple(leaf for each in done for leaf in each.logged)

    def include(
        self,
        entry: bytes,
        statement: LogStatement | None = None,
        receipt: NewReceipt | None = None,
        beside: AttachedRows | None = None,
    ) -> IncludedLeaf:
        """Add a leaf and sign a head above it: all durable on return, receipt and rows too."""
        leaf = NewLeaf(entry=entry, statement=statement, receipt=receipt, beside=beside)
        return self.include_all([leaf])[0]

    def include_all(self, leaves: Sequence[NewLeaf | bytes]) -> tuple[IncludedLeaf, ...]:
        """Add leaves in their order and sign a head above each 256 of them."""
        done = self._submit(leaves, is_included=True)
        return tuple(leaf for each in done for leaf in each.included)

    def seal(self, index: int, receipt: NewReceipt | None = None) -> IncludedLeaf:
        """A signed head above a leaf that is logged: after a crash before its receipt."""
        leaf = LoggedLeaf(origin=self.origin, index=index, leaf_hash=self.read_leaf(index)[1])
        submission = Submission(sealed=((leaf, receipt),))
        self._queue.run(submission)
        return submission.included[0]

    def publish(self) -> tuple[Checkpoint, str]:
        """Sign the newest head, if nothing has; the newest signed head and its note."""
        with self._database.reading() as session:
            note = rows.find_note(session, self._log_id)
            head = self._read_head(session)
        if note is None or note.size < head.size:
            self._queue.run(Submission())
        return self.latest()

    def check_open(self) -> None:
        """Raise LogError where no leaf is taken: a write failed, or another origin goes on."""
        self._refusal.check()
        freeze = self.find_freeze()
        if freeze is not None:
            raise to_frozen(self.origin, freeze)

    def _submit(
        self, leaves: Sequence[NewLeaf | bytes], *, is_included: bool
    ) -> tuple[Submission, ...]:
        given = tuple(NewLeaf(entry=each) if isinstance(each, bytes) else each for each in leaves)
        for leaf in given:
            _check_leaf(leaf, is_included=is_included)
        done = []
        for first in range(0, len(given), MAX_BATCH):
            part = given[first : first + MAX_BATCH]
            submission = Submission(leaves=part, is_included=is_included)
            self._queue.run(submission)
            done.append(submission)
        return tuple(done)

    def _work(self, batch: tuple[Submission, ...]) -> None:
        """Lead a batch: in the end each of its submissions is answered or has an error."""
        try:
            self._refusal.check()
            self._write(batch)
            waiting = [each for each in batch if each.error is None and each.is_included]
            if waiting:
                # Who asked for no signature does not wait for one.
                self._queue.finish([each for each in batch if each not in waiting])
                self._sign(waiting)
        except BaseException as error:
            for each in batch:
                if not each.is_done and each.error is None:
                    each.error = _to_answer(error)
            if not isinstance(error, Exception):
                raise

    def _write(self, batch: Sequence[Submission]) -> None:
        """(1) The leaves and the head above them, durable."""
        with self._refusal.stop_on_failure() as guard, suppress(writing.RollbackError):
            with self._database.connection(self._key) as connection:
                guard.begin()
                self._reach(Failpoint.TRANSACTION_BEGUN)
                grown = self._follow(connection).copy()
                writing.add_batch(
                    connection,
                    grown,
                    batch,
                    log=writing.LogNames(self._log_id, self.origin),
                    reach=self._reach,
                )
            self._reach(Failpoint.TREE_COMMITTED)
            self._frontier = grown

    def _sign(self, waiting: Sequence[Submission]) -> None:
        """(1) The mark, (2) the signature, (3) the note and the receipts, durable."""
        checkpoint = self._checkpoint()
        with self._refusal.stop_on_failure() as guard, wrapped_mark_errors():
            guard.begin()
            self._mark.raise_to(checkpoint, self._check_mark)
            self._marked = checkpoint
        # What a key service fails to do has harmed no disk: the leaves can be sealed later.
        note = self._signer.sign(checkpoint)
        self._reach(Failpoint.CHECKPOINT_SIGNED)
        with self._refusal.stop_on_failure() as guard:
            try:
                self._append(guard, waiting, checkpoint, note)
            except writing.RollbackError:
                # Its receipt was not to be kept; the note is, for the mark names its head.
                self._append(guard, (), checkpoint, note)
            self._reach(Failpoint.NOTE_COMMITTED)

    def _append(
        self, guard: Guard, waiting: Sequence[Submission], checkpoint: Checkpoint, note: str
    ) -> None:
        """(3) The note and the receipts, in one transaction."""
        with self._database.connection(self._key) as connection:
            guard.begin()
            note = writing.add_note(connection, self._log_id, checkpoint, note)
            self._reach(Failpoint.NOTE_WRITTEN)
            for each in waiting:
                self._include(connection, each, checkpoint, note, is_alone=len(waiting) == 1)
            self._reach(Failpoint.RECEIPTS_WRITTEN)

    def _include(
        self,
        connection: Connection,
        submission: Submission,
        checkpoint: Checkpoint,
        note: str,
        *,
        is_alone: bool,
    ) -> None:
        leaves = submission.logged + tuple(leaf for leaf, _ in submission.sealed)
        receipts = [leaf.receipt for leaf in submission.leaves]
        receipts += [receipt for _, receipt in submission.sealed]
        proofs = writing.prove_leaves(
            connection, self._log_id, leaves, checkpoint, newest=self._frontier.prove_newest()
        )
        included = tuple(
            IncludedLeaf(leaf=leaf, checkpoint=checkpoint, note=note, proof=proof)
            for leaf, proof in zip(leaves, proofs, strict=True)
        )
        try:
            writing.add_receipts(connection, self._log_id, included, receipts, is_alone=is_alone)
        except exc.SQLAlchemyError:
            raise
        except Exception as error:
            submission.error = error
            if is_alone:
                raise writing.RollbackError from error
        submission.included = included

    def _checkpoint(self) -> Checkpoint:
        return Checkpoint(origin=self.origin, size=self._frontier.size, root=self._frontier.root)

    def _read_frontier(self, session: Session) -> Frontier:
        head = self._read_head(session)
        frontier = Frontier.read(partial(rows.read_tile, session, self._log_id), head.size)
        if frontier.root != head.root:
            msg = f"Expected the root of {head.size} leaves above their tiles, got another."
            raise LogDamagedError(msg, hint="Run 'spanproof audit fsck': it names what is wrong.")
        return frontier

    def _follow(self, connection: Connection) -> Frontier:
        """The edge of the tree as it is, which other processes may have moved.

        Raises LogFrozenError where one has closed the log.
        """
        head, is_closed = rows.read_state(connection, self._log_id, self.origin)
        if head == self._checkpoint() and not is_closed:
            return self._frontier
        with Session(connection) as session:
            freeze = rows.find_freeze(session, self._log_id)
            if freeze is not None:
                raise to_frozen(self.origin, freeze)
            self._check_prefix(session, self._checkpoint())
            self._frontier = self._read_frontier(session)
        return self._frontier

    def _check_mark(self, mark: Checkpoint) -> None:
        """Raise LogRolledBackError unless the database holds the last signed tree."""
        if mark.origin != self.origin:
            raise origin_mismatch(mark, self.origin)
        if mark != self._marked:
            with self._database.reading() as session:
                self._check_prefix(session, mark)

    def _check_prefix(self, session: Session, known: Checkpoint) -> None:
        size = self._read_head(session).size
        if size < known.size:
            raise rolled_back(known, size)
        if merkle.read_root(self._tiles(session, known.size), known.size) != known.root:
            raise history_mismatch(known)


def _check_leaf(leaf: NewLeaf, *, is_included: bool) -> None:
    if len(leaf.entry) > MAX_ENTRY_BYTES:
        msg = f"Expected an entry of at most {MAX_ENTRY_BYTES} bytes, got {len(leaf.entry)}."
        raise InputError(msg, hint="Log a digest of what is long.")
    if leaf.receipt is not None and not is_included:
        msg = "Expected a receipt with a leaf that is included, got one that is only appended."
        raise InputError(msg, hint="Use include: a receipt needs the signed checkpoint.")


def _to_answer(error: BaseException) -> BaseException:
    """The error for one of several callers, each with a traceback of its own."""
    if isinstance(error, SpanproofError):
        return copy_error(error)
    return to_stopped(error)
