"""The intake of an answer: logged before anything judges it, closed by its result or its error.

Each answer gets a leaf before anything judges it, and exactly one more leaf that closes the first:
the result with its receipt, or the reason for no result. So no one can keep only the good results.
A process that dies, or a disk that is full, leaves an intake open: the next intake or the next
start closes it.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from spanproof.core.errors import ConflictError, SpanproofError
from spanproof.core.log.checkpoint import LoggedLeaf
from spanproof.operations.receipts.issuing import RESULT, SignedStatement
from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.forms.log_entry import parse_entry
from spanproof.receipt.keys.signing_keys import name_public_key
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Intake, IntakeError, ResultSuperseded
from spanproof.receipt.statement.predicate import NOBODY, Actor
from spanproof.store.log.records import NewReceipt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.digest import Digest
    from spanproof.operations.receipts.intake_owner import IntakeOwner, OwnerState
    from spanproof.operations.receipts.issuing import Issuer
    from spanproof.receipt.statement.events import ErrorReason
    from spanproof.store.log.records import StoredStatement

#: An intake of a home that is not this one is given up after this long: no verification takes it.
ABANDONED_AFTER = timedelta(hours=24)
_INTERNAL = SpanproofError.code
_INTERRUPTED = "INTERRUPTED"
#: Another judgement of the same verification has the result.
_SUPERSEDED = "SUPERSEDED"


def find_superseding(about: Sequence[StoredStatement], index: int) -> ResultSuperseded | None:
    """Of the statements about a verification, the one that says that this result does not hold."""
    for each in about:
        if each.statement.kind == ResultSuperseded.KIND:
            event = parse_event(each.statement.payload)
            if isinstance(event, ResultSuperseded) and event.log_index == index:
                return event
    return None


class Intakes:
    """The intakes that this process opens and closes, and those of dead processes beside them."""

    def __init__(self, issuer: Issuer, owner: IntakeOwner) -> None:
        self.issuer = issuer
        self._log = issuer.log
        self._owner = owner
        #: By the verifications whose intake this process could not close, what it would have said.
        self._left: dict[str, tuple[ErrorReason, str]] = {}

    @contextmanager
    def recording(
        self, verification_id: str, request: Digest, actor: Actor = NOBODY
    ) -> Iterator[LoggedLeaf]:
        """Log that an answer came in; an error before its result is logged closes the intake.

        An error that cannot be logged either leaves the intake open: the next intake closes it, or
        the next start.
        """
        self._close_left()
        intake = Intake(
            **self.issuer.make_head(),
            verification_id=verification_id,
            request_digest=request,
            process=self._owner.token,
            actor=actor,
        )
        try:
            leaf = self.issuer.log_event(intake, subject=verification_id)
        except BaseException:
            # It may be durable nonetheless.
            self._left[verification_id] = ("interrupted", _INTERRUPTED)
            raise
        try:
            yield leaf
        except BaseException as error:
            reason: ErrorReason = "failed" if isinstance(error, Exception) else "interrupted"
            code = error.code if isinstance(error, SpanproofError) else _INTERNAL
            self._close_after(error, leaf, verification_id, reason=reason, code=code)
            raise

    @property
    def process(self) -> str:
        """The name under which this process works; see ``find_process``."""
        return self._owner.token

    def find_process(self, token: str) -> OwnerState:
        """Whether the process of that name lives; unknown where its file is not in this home."""
        return self._owner.find_state(token)

    def close_interrupted(self) -> int:
        """Close the intakes that no living process works on; how many there were.

        Their processes were killed. Never silently: each gets an error leaf that says so.
        """
        closed = 0
        # Listed before the open intakes: the next start finds those of an owner that dies later.
        gone = self._owner.list_dead_owners()
        for stored in self._log.open_intakes(Intake.KIND):
            intake = parse_event(stored.statement.payload)
            if not isinstance(intake, Intake) or not self._is_abandoned(intake):
                continue
            self._close_intake(stored, reason="interrupted", code=_INTERRUPTED)
            closed += 1
        self._complete_receipts()
        self._owner.forget(gone)
        return closed

    def finish(self, verification_id: str) -> bool:
        """Whether the log has its result; a result without its receipt gets it now.

        Its worker may be dead, or about to do the same: the first receipt stays. Its
        other intakes are of judgements that were cut off, or that come too late: each is closed.
        """
        about = self._log.find_statements(verification_id)
        if all(each.statement.kind != RESULT for each in about):
            return False
        for stored in self._log.find_unreceipted(RESULT, subject=verification_id):
            self._settle(stored, is_given_up=True)
        for stored in self._log.open_intakes(Intake.KIND, subject=verification_id):
            self._close_intake(stored, reason="interrupted", code=_SUPERSEDED)
        return True

    def _complete_receipts(self) -> None:
        """Make the receipts of results that a killed process had logged and not yet answered."""
        for stored in self._log.find_unreceipted(RESULT):
            intake = self._find_intake(stored.statement.intake_index)
            is_given_up = intake is not None and self._is_abandoned(intake)
            self._settle(stored, is_given_up=is_given_up)

    def _settle(self, stored: StoredStatement, *, is_given_up: bool) -> None:
        """Make the receipt of a result; where another result has it, log that, once."""
        subject = stored.statement.subject
        without = {each.index for each in self._log.find_unreceipted(RESULT, subject=subject)}
        about = self._log.find_statements(subject)
        kept = [e.index for e in about if e.statement.kind == RESULT and e.index not in without]
        if not kept and is_given_up:
            self._complete_receipt(stored)
        elif kept and stored.index in without and find_superseding(about, stored.index) is None:
            event = ResultSuperseded(
                **self.issuer.make_head(),
                verification_id=subject,
                log_index=stored.index,
                leaf_hash=self._log.read_leaf(stored.index)[1],
                by_index=kept[0],
            )
            self.issuer.log_event(event, subject=subject)

    def _complete_receipt(self, stored: StoredStatement) -> None:
        statement, entry = stored.statement, self._log.read_entry(stored.index)
        signed = SignedStatement(
            envelope=Envelope(
                payload=statement.payload,
                signature=statement.signature,
                payload_type=statement.payload_type,
            ),
            entry=entry,
            key_id=name_public_key(parse_entry(entry).public_key),
        )
        receipt = NewReceipt(
            verification_id=statement.subject, write=partial(self.issuer.write_bundle, signed)
        )
        with suppress(ConflictError):
            # Another process may be doing the same.
            self._log.seal(stored.index, receipt)

    def _find_intake(self, index: int | None) -> Intake | None:
        stored = None if index is None else self._log.find_statement(index)
        event = None if stored is None else parse_event(stored.statement.payload)
        return event if isinstance(event, Intake) else None

    def close(self) -> None:
        """Let go of the lock that says that this process lives."""
        self._owner.close(is_kept=bool(self._left))

    def _is_abandoned(self, intake: Intake) -> bool:
        state = self._owner.find_state(intake.process)
        if state == "unknown":
            # Another home on the same database: its locks cannot be seen from here.
            return datetime.now(UTC) - intake.time > ABANDONED_AFTER
        return state == "gone"

    def _close_after(
        self,
        error: BaseException,
        leaf: LoggedLeaf,
        verification_id: str,
        *,
        reason: ErrorReason,
        code: str,
    ) -> None:
        import structlog

        try:
            self._log_error(leaf, verification_id, reason=reason, code=code)
        except ConflictError:
            # The result was logged before the failure: its receipt is still to be made.
            self._left[verification_id] = (reason, code)
        except Exception as second:  # noqa: BLE001 - the first error is what the caller must hear
            self._left[verification_id] = (reason, code)
            structlog.get_logger().warning(
                "intake_left_open",
                verification_id=verification_id,
                intake_index=leaf.index,
                code=second.code if isinstance(second, SpanproofError) else _INTERNAL,
                after=type(error).__name__,
            )

    def _log_error(
        self, leaf: LoggedLeaf, verification_id: str, *, reason: ErrorReason, code: str
    ) -> None:
        event = IntakeError(
            **self.issuer.make_head(),
            verification_id=verification_id,
            intake_index=leaf.index,
            intake_leaf_hash=leaf.leaf_hash,
            reason=reason,
            code=code,
        )
        self.issuer.log_event(event, subject=verification_id, intake_index=leaf.index)

    def _close_left(self) -> None:
        """Close what this process had to leave open: a disk that was full has room again."""
        while self._left:
            verification_id, (reason, code) = self._left.popitem()
            try:
                if not self.finish(verification_id):
                    for stored in self._log.open_intakes(Intake.KIND, subject=verification_id):
                        if self._is_own(stored):
                            self._close_intake(stored, reason=reason, code=code)
            except BaseException:
                self._left[verification_id] = (reason, code)
                raise

    def _is_own(self, stored: StoredStatement) -> bool:
        intake = parse_event(stored.statement.payload)
        return isinstance(intake, Intake) and intake.process == self._owner.token

    def _close_intake(self, stored: StoredStatement, *, reason: ErrorReason, code: str) -> None:
        _, leaf_hash = self._log.read_leaf(stored.index)
        leaf = LoggedLeaf(origin=self._log.origin, index=stored.index, leaf_hash=leaf_hash)
        with suppress(ConflictError):
            # Another process may have been first.
            self._log_error(leaf, stored.statement.subject, reason=reason, code=code)
