"""Sign statements and log them: results with their receipts, events, the configuration."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.errors import KeyUnavailableError
from spanproof.receipt.forms.bundle import Receipt, bundle_to_json
from spanproof.receipt.forms.dsse import PAYLOAD_TYPE, Envelope, encode
from spanproof.receipt.forms.log_entry import write_entry
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.receipt.statement.event_statement import parse_event, write_event
from spanproof.receipt.statement.events import Change, ConfigChange
from spanproof.receipt.statement.receipt_id import ID_RANDOM_BYTES, NONCE_BYTES, make_id
from spanproof.store.log.records import LogStatement, NewReceipt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.digest import Digest
    from spanproof.core.log.checkpoint import IncludedLeaf, LoggedLeaf
    from spanproof.receipt.keys.key_ring import KeyRing
    from spanproof.receipt.keys.signing_keys import EntrySigner
    from spanproof.receipt.statement.events import Event
    from spanproof.store.log import TransparencyLog
    from spanproof.store.log.records import AttachedRows

#: What the row of a result's statement says that it is.
RESULT = "result"
#: What every change of the configuration is about.
CONFIGURATION = "configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedStatement:
    """A statement with its signature, its leaf's bytes, and the hint which key signed it."""

    envelope: Envelope
    entry: bytes
    key_id: str


class Issuer:
    """Signs statements with the key in use and logs them; safe for several threads."""

    def __init__(self, log: TransparencyLog, keys: KeyRing) -> None:
        self.log = log
        self.keys = keys
        self._lock = threading.Lock()
        self._recorded: dict[str, Digest] | None = None

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
