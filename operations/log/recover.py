"""Going on after a log that can never sign again: it is closed, and a new one names it first."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import SettingsError
from spanproof.operations.log.key_folder import open_keys
from spanproof.operations.log.opening import to_log_mark
from spanproof.receipt.forms.dsse import PAYLOAD_TYPE, Envelope, encode
from spanproof.receipt.forms.log_entry import write_entry
from spanproof.receipt.keys.verifier_key import format_log_key
from spanproof.receipt.statement.event_statement import write_event
from spanproof.receipt.statement.events import Shard
from spanproof.receipt.statement.receipt_id import ID_RANDOM_BYTES, NONCE_BYTES, make_id
from spanproof.store.log.opening import check_origin
from spanproof.store.log.records import LogStatement, NewLeaf, NewLog
from spanproof.store.log.shards import find_old_log, open_shard

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.operations.settings import Settings
    from spanproof.receipt.keys.key_ring import KeyRing
    from spanproof.store import Store
    from spanproof.store.log.shards import OldLog

#: What the new log's first leaf says where the operator says nothing.
DEFAULT_REASON = "closed by the operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """The log that was closed, what its mark said, and the log that goes on."""

    closed: Checkpoint
    mark: Checkpoint | None
    opened: Checkpoint
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        return {
            "closed": _to_json(self.closed),
            "mark": None if self.mark is None else _to_json(self.mark),
            "opened": _to_json(self.opened),
            "reason": self.reason,
        }


def recover(settings: Settings, store: Store, *, origin: str | None, reason: str) -> Recovery:
    """Close the newest log and open another after it, under ``origin`` or the next free name.

    A recovery that a crash cut off is finished. Raises NotFoundError without a log, ConflictError
    for an origin that was used.
    """
    keys, mark = open_keys(settings), to_log_mark(settings)
    old = find_old_log(store.database, mark)
    if old.is_begun and origin not in (None, old.head.origin):
        msg = f"Expected the origin of the log that exists, {old.head.origin!r}, got {origin!r}."
        raise SettingsError(msg, hint="Run it again without --origin: it finishes the earlier run.")
    named = old.head.origin if old.is_begun else origin or old.successor
    # Before a key is made for it.
    check_origin(named)
    now = datetime.now(UTC)
    keys.prepare(named, now=now)
    full_reason = describe_loss(old, reason)
    log = open_shard(
        store.database,
        keys.log_signer(named),
        mark,
        reason=full_reason,
        write_leaf=lambda known: _write_leaf(known, keys, named, full_reason, now),
        new=NewLog(opened_at=now, vkey=format_log_key(keys.keys.log_keys(named)[-1].key)),
    )
    return Recovery(closed=old.head, mark=old.mark, opened=log.latest()[0], reason=full_reason)


def describe_loss(old: OldLog, reason: str) -> str:
    """The reason, and the leaves that the mark knows and the database lacks."""
    mark = old.mark
    if mark is None:
        return f"{reason}; the high-water mark is gone"
    if (mark.origin, mark.size, mark.root) == (old.head.origin, old.head.size, old.head.root):
        return reason
    if mark.origin == old.head.origin and mark.size < old.head.size:
        return reason
    signed = f"{mark.size} leaves with root {mark.root.hex()}"
    return f"{reason}; the mark says that {mark.origin} had signed {signed}"


def _write_leaf(old: OldLog, keys: KeyRing, origin: str, reason: str, moment: datetime) -> NewLeaf:
    event = Shard(
        event_id=make_id(moment, os.urandom(ID_RANDOM_BYTES)),
        nonce=os.urandom(NONCE_BYTES),
        time=moment,
        origin=origin,
        old_origin=old.head.origin,
        old_size=old.head.size,
        old_root=old.head.root,
        reason=reason,
    )
    payload = write_event(event)
    key = keys.find_entry_key()
    envelope = Envelope(payload=payload, signature=key.sign(encode(PAYLOAD_TYPE, payload)))
    return NewLeaf(
        entry=write_entry(envelope, key.public_key),
        statement=LogStatement(
            kind=Shard.KIND,
            subject=old.head.origin,
            payload=payload,
            signature=envelope.signature,
            payload_type=envelope.payload_type,
        ),
    )


def _to_json(head: Checkpoint) -> dict[str, Any]:
    return {"origin": head.origin, "size": head.size, "root": head.root.hex()}
