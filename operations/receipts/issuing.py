"""Log and sign while an answer is verified: its intake, its result, or its error.

Each answer gets a leaf before anything judges it, and exactly one more leaf that closes the first:
the result with its receipt, or the reason for no result. So no one can keep only the good results.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.errors import ConflictError, KeyUnavailableError, SpanproofError
from spanproof.core.log.checkpoint import LoggedLeaf
from spanproof.receipt.forms.bundle import Receipt, bundle_to_json
from spanproof.receipt.forms.dsse import PAYLOAD_TYPE, Envelope, encode
from spanproof.receipt.forms.log_entry import parse_entry, write_entry
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.receipt.keys.signing_keys import name_public_key
from spanproof.receipt.statement.event_statement import parse_event, write_event
from spanproof.receipt.statement.events import Change, ConfigChange, Intake, IntakeError
from spanproof.receipt.statement.predicate import NOBODY, Actor
from spanproof.receipt.statement.receipt_id import ID_RANDOM_BYTES, NONCE_BYTES, make_id
from spanproof.store.log.records import LogStatement, NewReceipt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.core.digest import Digest
    from spanproof.core.log.checkpoint import IncludedLeaf
    from spanproof.operations.receipts.intake_owner import IntakeOwner, OwnerState
    from spanproof.receipt.keys.key_ring import KeyRing
    from spanproof.receipt.keys.signing_keys import EntrySigner
    from spanproof.receipt.statement.events import ErrorReason, Event
    from spanproof.store.log import TransparencyLog
    from spanproof.store.log.records import AttachedRows, StoredStatement

#: What a statement's row says that it is.
INTAKE, RESULT, ERROR = Intake.KIND, "result", IntakeError.KIND
#: What every change of the configuration is about.
CONFIGURATION = "configuration"
#: An intake of a home that is not this one is given up after this long: no verification takes it.
ABANDONED_AFTER = timedelta(hours=24)
_INTERNAL = SpanproofError.code
_INTERRUPTED = "INTERRUPTED"
#: Another judgement of the same verification has the result.
_SUPERSEDED = "SUPERSEDED"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedStatement:
    """A statement with its signature, its leaf's bytes, and the hint which key signed it."""

    envelope: Envelope
    entry: bytes
    key_id: str


class Issuer:
    """Signs statements with the key in use and logs them; safe for several threads."""

    def __init__(self, log: TransparencyLog, keys: KeyRing, owner: IntakeOwner) -> None:
        self.log = log
        self.keys = keys
        self._owner = owner
        self._lock = threading.Lock()
        self._recorded: dict[str, Digest] | None = None
        #: By the verifications whose intake this process could not close, what it would have said.
        self._left: dict[str, tuple[ErrorReason, str]] = {}

    @contextmanager
    def recording_intake(
        self, verification_id: str, request: Digest, actor: Actor = NOBODY
    ) -> Iterator[LoggedLeaf]:
        """Log that an answer came in; an error before its result is logged closes the intake.

        An error that cannot be logged either leaves the intake open: the next intake closes it, or
        the next start.
        """
        self._close_left()
        intake = Intake(
            **self.make_head(),
            verification_id=verification_id,
            request_digest=request,
            process=self._owner.token,
            actor=actor,
        )
        try:
            leaf = self.log_event(intake, subject=verification_id)
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

    def record_configuration(self, parts: Mapping[str, Digest]) -> None:
        """Log what decides verdicts, unless it equals the last logged configuration."""
        with self._lock:
            if self._recorded is None:
                self._recorded = self._read_recorded()
            known = self._recorded
            changes = tuple(
                Change(name, known.get(name), digest)
                for name, digest in sorted(parts.items())
                if known.get(name) != digest
            )
            if changes:
                event = ConfigChange(**self.make_head(), changes=changes)
                self.log_event(event, subject=CONFIGURATION)
                known |= parts

    def issue(
        self,
        payload: bytes,
        *,
        verification_id: str,
        intake: LoggedLeaf,
        beside: AttachedRows | None = None,
    ) -> dict[str, Any]:
        """Sign and log a verification's statement; its bundle, which is kept when this returns.

        The rows ``beside`` are kept together with the result's leaf.
        """
        signed = self.sign(payload)
        made: list[dict[str, Any]] = []

        def write(included: IncludedLeaf) -> bytes:
            made.append(self._make_bundle(signed, included))
            return canonical_json.dumps(made[-1])

        self.log.include(
            signed.entry,
            _to_statement(signed, RESULT, verification_id, intake.index),
            NewReceipt(verification_id=verification_id, write=write),
            beside,
        )
        return made[-1]

    def write_bundle(self, signed: SignedStatement, included: IncludedLeaf) -> bytes:
        """The receipt's file: canonical JSON."""
        return canonical_json.dumps(self._make_bundle(signed, included))

    def _make_bundle(self, signed: SignedStatement, included: IncludedLeaf) -> dict[str, Any]:
        receipt = Receipt(
            envelope=signed.envelope,
            key_id=signed.key_id,
            entry=signed.entry,
            included=included,
            log_id=self._find_log_id(included),
        )
        return bundle_to_json(receipt)

    @property
    def process(self) -> str:
        """The name under which this process works; see ``find_process``."""
        return self._owner.token

    def find_process(self, token: str) -> OwnerState:
        """Whether the process of that name lives; unknown where its file is not in this home."""
        return self._owner.find_state(token)

    def is_clock_early(self) -> bool:
        """Whether this clock stands before the window of a key that signs: an auditor refuses it.

        The keys are open to the other side: one whose window has ended signs no more.
        """
        start, now = self.keys.find_start(self.log.origin), datetime.now(UTC)
        if now >= start:
            return False
        import structlog

        structlog.get_logger().warning(
            "clock_outside_key_window", now=now.isoformat(), start=start.isoformat()
        )
        return True

    def check(self) -> None:
        """Raise LogError or KeyUnavailableError where nothing could be signed now."""
        self.keys.find_entry_key()
        self.log.check_open()

    def log_event(
        self, event: Event, *, subject: str, intake_index: int | None = None
    ) -> LoggedLeaf:
        """Sign and log an event; durable on return, and no signed head covers it yet."""
        signed = self.sign(write_event(event))
        return self.log.append(
            signed.entry, _to_statement(signed, event.KIND, subject, intake_index)
        )

    def sign(self, payload: bytes) -> SignedStatement:
        """Sign a statement with the key in use."""
        key: EntrySigner = self.keys.find_entry_key()
        signature = key.sign(encode(PAYLOAD_TYPE, payload))
        envelope = Envelope(payload=payload, signature=signature)
        return SignedStatement(
            envelope=envelope, entry=write_entry(envelope, key.public_key), key_id=key.key_id
        )

    def make_head(self) -> dict[str, Any]:
        """What an event of this log begins with: a new id, a new nonce, now."""
        now = datetime.now(UTC)
        return {
            "event_id": make_id(now, os.urandom(ID_RANDOM_BYTES)),
            "nonce": os.urandom(NONCE_BYTES),
            "time": now,
            "origin": self.log.origin,
        }

    def close_interrupted(self) -> int:
        """Close the intakes that no living process works on; how many there were.

        Their processes were killed. Never silently: each gets an error leaf that says so.
        """
        closed = 0
        # Listed before the open intakes: the next start finds those of an owner that dies later.
        gone = self._owner.list_dead_owners()
        for stored in self.log.open_intakes(INTAKE):
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
        about = self.log.find_statements(verification_id)
        if all(each.statement.kind != RESULT for each in about):
            return False
        for stored in self.log.find_unreceipted(RESULT, subject=verification_id):
            self._complete_receipt(stored)
        for stored in self.log.open_intakes(INTAKE, subject=verification_id):
            self._close_intake(stored, reason="interrupted", code=_SUPERSEDED)
        return True

    def _complete_receipts(self) -> None:
        """Make the receipts of results that a killed process had logged and not yet answered."""
        for stored in self.log.find_unreceipted(RESULT):
            intake = self._find_intake(stored.statement.intake_index)
            if intake is not None and self._is_abandoned(intake):
                self._complete_receipt(stored)

    def _complete_receipt(self, stored: StoredStatement) -> None:
        statement, entry = stored.statement, self.log.read_entry(stored.index)
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
            verification_id=statement.subject, write=partial(self.write_bundle, signed)
        )
        with suppress(ConflictError):
            # Another process may be doing the same.
            self.log.seal(stored.index, receipt)

    def _find_intake(self, index: int | None) -> Intake | None:
        stored = None if index is None else self.log.find_statement(index)
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
            **self.make_head(),
            verification_id=verification_id,
            intake_index=leaf.index,
            intake_leaf_hash=leaf.leaf_hash,
            reason=reason,
            code=code,
        )
        self.log_event(event, subject=verification_id, intake_index=leaf.index)

    def _close_left(self) -> None:
        """Close what this process had to leave open: a disk that was full has room again."""
        while self._left:
            verification_id, (reason, code) = self._left.popitem()
            try:
                if not self.finish(verification_id):
                    for stored in self.log.open_intakes(INTAKE, subject=verification_id):
                        if self._is_own(stored):
                            self._close_intake(stored, reason=reason, code=code)
            except BaseException:
                self._left[verification_id] = (reason, code)
                raise

    def _is_own(self, stored: StoredStatement) -> bool:
        intake = parse_event(stored.statement.payload)
        return isinstance(intake, Intake) and intake.process == self._owner.token

    def _close_intake(self, stored: StoredStatement, *, reason: ErrorReason, code: str) -> None:
        _, leaf_hash = self.log.read_leaf(stored.index)
        leaf = LoggedLeaf(origin=self.log.origin, index=stored.index, leaf_hash=leaf_hash)
        with suppress(ConflictError):
            # Another process may have been first.
            self._log_error(leaf, stored.statement.subject, reason=reason, code=code)

    def _read_recorded(self) -> dict[str, Digest]:
        recorded: dict[str, Digest] = {}
        for stored in self.log.find_statements(CONFIGURATION):
            event = parse_event(stored.statement.payload)
            if isinstance(event, ConfigChange):
                recorded |= {c.name: c.new for c in event.changes if c.new is not None}
        return recorded

    def _find_log_id(self, included: IncludedLeaf) -> bytes:
        """The id of the newest of our keys that signed this head."""
        signed = {(each.name, each.key_id) for each in parse_note(included.note).signatures}
        listed = self.keys.keys.log_keys(included.leaf.origin)
        for each in reversed(listed):
            if (each.key.name, each.key.key_id) in signed:
                return each.key.log_id
        msg = f"Expected a head of {included.leaf.origin!r} signed by a key listed here, got none."
        raise KeyUnavailableError(msg, hint="Restore the folder 'keys' from a backup.")


def _to_statement(
    signed: SignedStatement, kind: str, subject: str, intake_index: int | None
) -> LogStatement:
    return LogStatement(
        kind=kind,
        subject=subject,
        payload=signed.envelope.payload,
        signature=signed.envelope.signature,
        payload_type=signed.envelope.payload_type,
        intake_index=intake_index,
    )
