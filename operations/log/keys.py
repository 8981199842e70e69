"""``log rotate-key`` and ``log revoke-key``: keys changed, and the change itself in the log.

The old key signs the leaf of a rotation before the new key signs anything: an auditor who trusts
the old key learns from the log which key follows. The key that follows signs a revocation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, KeyUnavailableError
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.keys.key_list import ListedEntryKey, ListedKey, ListedLogKey
from spanproof.receipt.keys.key_ring import OVERLAP
from spanproof.receipt.keys.signing_keys import LocalEntryKey, LocalLogKey
from spanproof.receipt.keys.trust_file import Revocation
from spanproof.receipt.keys.trusted_root import ValidFor
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import KeyEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.operations.receipts.issuing import Issuer
    from spanproof.receipt.keys.key_list import KeyList
    from spanproof.receipt.keys.key_ring import PrivateKey
    from spanproof.receipt.statement.events import KeyAction, KeyPurpose

K = TypeVar("K", bound=ListedKey)

_LIST_KEYS = "List the keys: 'spanproof audit trust'."


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChange:
    """What was changed: the old key, the key in use from now on, the leaf that says so."""

    action: KeyAction
    purpose: KeyPurpose
    old_key: str
    new_key: str | None
    origin: str
    index: int
    size: int

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {
            "action": self.action,
            "purpose": self.purpose,
            "old_key_id": self.old_key,
            "new_key_id": self.new_key,
            "log": {"origin": self.origin, "index": self.index, "size": self.size},
        }


def rotate_receipt_key(issuer: Issuer) -> KeyChange:
    """Let a new key sign statements; the old one says so in the log first.

    If it was interrupted, call it again: it continues with the same key.
    """
    keys = issuer.keys
    old = _require_current(keys.keys.entry_keys)
    new = keys.stage(LocalEntryKey.generate)
    change = _log_change(issuer, "rotated", old, new)
    keys.replace_entry_key(old.key_id, new.key_id, now=_now())
    return change


def rotate_log_key(issuer: Issuer) -> KeyChange:
    """Let a new key sign the log's heads; the head above the leaf that says so has both.

    If it was interrupted, call it again: it continues with the same key.
    """
    keys, origin = issuer.keys, issuer.log.origin
    current = [each for each in keys.keys.log_keys(origin) if each.is_open]
    if len(current) < 2:
        staged = keys.stage(lambda: LocalLogKey.generate(origin))
        keys.activate(staged.key_id, now=_now())
        current = [each for each in keys.keys.log_keys(origin) if each.is_open]
    old, new = current[0], current[-1]
    change = _log_change(issuer, "rotated", old, new)
    _, note = issuer.log.latest()
    signers = check_note(parse_note(note), [old.key, new.key])
    if len(signers) < 2:
        msg = f"Expected a head of {origin!r} signed by both keys, got {len(signers)} signatures."
        raise KeyUnavailableError(msg, hint="Run the command again.")
    keys.retire(old.key_id, now=_now())
    return change


def revoke_key(issuer: Issuer, key_id: str, *, below: int, reason: str) -> KeyChange:
    """Stop trusting a key, except for its signatures in the log's first ``below`` leaves.

    A key in use is replaced in the same step. Called again after a crash, it only logs what the
    list of keys says already; ConflictError where the log says it too.
    """
    keys, log = issuer.keys, issuer.log
    old = keys.keys.find(key_id)
    if old is None or old.valid_for is None:
        msg = f"Expected the id of a key that is or was in use, got {key_id!r}."
        raise KeyUnavailableError(msg, hint=_LIST_KEYS)
    origin = old.key.name if isinstance(old, ListedLogKey) else log.origin
    head, _ = log.publish()
    if below < 0 or (origin == head.origin and below > head.size):
        msg = f"Expected a size from 0 to {head.size}, got {below}."
        raise ConflictError(msg, hint="Give the size of the last head that a witness saw.")
    if not keys.keys.is_revoked(key_id):
        new = keys.stage(_maker(old)) if old.is_open else None
        moment = _now()
        revocation = Revocation(
            key_id=key_id, origin=origin, log_size=below, revoked_at=moment, reason=reason
        )
        keys.change(_replacing(old, new, revocation, moment))
    elif (logged := _find_revocation(issuer, old)) is not None:
        if _note_index(issuer, key_id, logged):
            # An earlier run was cut off between the leaf and the list.
            return _publish(issuer, "revoked", old, None, logged)
        msg = f"Expected a key that is not revoked, got {key_id}."
        raise ConflictError(msg, hint=_LIST_KEYS)
    listed = keys.keys
    same = listed.log_keys(old.key.name) if isinstance(old, ListedLogKey) else listed.entry_keys
    # Nothing follows the last key of a log that was closed.
    follower = next((each for each in reversed(same) if each.is_open), None)
    # After an interrupted run the list decides, not this run's arguments.
    revocation = next(each for each in listed.revocations if each.key_id == key_id)
    change = _log_change(issuer, "revoked", old, follower, revocation)
    _note_index(issuer, key_id, change.index)
    return change


def _replacing(
    old: ListedKey, new: ListedKey | None, revocation: Revocation, moment: datetime
) -> Callable[[KeyList], KeyList]:
    """The change of the list: closed, followed and revoked in one step."""

    def change(keys: KeyList) -> KeyList:
        if new is not None and old.valid_for is not None:
            window = ValidFor(start=old.valid_for.start, end=max(moment, old.valid_for.start))
            keys = keys.with_key(replace(new, valid_for=ValidFor(start=moment - OVERLAP)))
            keys = keys.with_key(replace(old, valid_for=window))
        return keys.with_revocation(revocation)

    return change


def _log_change(
    issuer: Issuer,
    action: KeyAction,
    old: ListedKey,
    new: ListedKey | None,
    revocation: Revocation | None = None,
) -> KeyChange:
    """Log a change under a signed head; a rotation is about the new key, a revocation the old."""
    key, replaces = (new, _digest(old)) if new is not None and revocation is None else (old, None)
    purpose: KeyPurpose = "receipts" if isinstance(old, ListedEntryKey) else "log"
    event = KeyEvent(
        **issuer.make_head(),
        action=action,
        purpose=purpose,
        key_sha256=_digest(key),
        replaces_sha256=replaces,
        from_index=None if revocation is None else revocation.log_size,
        reason=None if revocation is None else revocation.reason,
    )
    leaf = issuer.log_event(event, subject=_name(key))
    return _publish(issuer, action, old, new, leaf.index)


def _publish(
    issuer: Issuer, action: KeyAction, old: ListedKey, new: ListedKey | None, index: int
) -> KeyChange:
    """The change, once a signed head covers its leaf."""
    head, _ = issuer.log.publish()
    return KeyChange(
        action=action,
        purpose="receipts" if isinstance(old, ListedEntryKey) else "log",
        old_key=old.key_id,
        new_key=None if new is None else new.key_id,
        origin=issuer.log.origin,
        index=index,
        size=head.size,
    )


def _find_revocation(issuer: Issuer, key: ListedKey) -> int | None:
    """The leaf of this log that says that a key was revoked."""
    for stored in issuer.log.find_statements(_name(key)):
        event = parse_event(stored.statement.payload)
        if isinstance(event, KeyEvent) and event.action == "revoked":
            return stored.index
    return None


def _note_index(issuer: Issuer, key_id: str, index: int) -> bool:
    """Let the list say which leaf of the log revokes a key; whether it did not before.

    Of a key of another log the leaf says nothing: it does not stand in that log.
    """
    origin = issuer.log.origin
    known = [
        each
        for each in issuer.keys.keys.revocations
        if (each.key_id, each.origin) == (key_id, origin) and each.revocation_index is None
    ]
    if known:
        issuer.keys.change(lambda listed: listed.with_revocation_index(key_id, origin, index))
    return bool(known)


def _require_current(keys: Sequence[K]) -> K:
    current = [each for each in keys if each.is_open]
    if not current:
        msg = "Expected a key in use, got none."
        raise KeyUnavailableError(msg, hint=_LIST_KEYS)
    return current[-1]


def _maker(old: ListedKey) -> Callable[[], PrivateKey]:
    if not isinstance(old, ListedLogKey):
        return LocalEntryKey.generate
    origin = old.key.name
    return lambda: LocalLogKey.generate(origin)


def _digest(key: ListedKey) -> Digest:
    return Digest.of(key.spki)


def _name(key: ListedKey) -> str:
    """What the store calls the subject of a key's events."""
    return f"key:{_digest(key).hex}"


def _now() -> datetime:
    return datetime.now(UTC)
