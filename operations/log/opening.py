"""Keys, origin, mark → the log that this home writes; closes the intakes of a killed process."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanproof.core.errors import KeyUnavailableError
from spanproof.operations.log.key_folder import open_keys
from spanproof.operations.receipts.intake_owner import IntakeOwner
from spanproof.operations.receipts.intakes import Intakes
from spanproof.operations.receipts.issuing import Issuer
from spanproof.receipt.keys.verifier_key import format_log_key
from spanproof.store.log import TransparencyLog
from spanproof.store.log.reading import find_current_origin, list_logs
from spanproof.store.log.records import NewLog

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.settings import Settings
    from spanproof.receipt.keys.key_ring import KeyRing
    from spanproof.receipt.keys.signing_keys import EntryKey
    from spanproof.store import Store

#: A log without a configured name signs under this domain.
_DEFAULT_DOMAIN = "spanproof.internal"


def open_intakes(settings: Settings, store: Store) -> Intakes:
    """The log, open for leaves, with the keys that sign for it; makes a missing log.

    Raises KeyUnavailableError where a log is there and its keys are not: new ones would make every
    earlier receipt look like another's. Raises LogError as ``TransparencyLog.open`` does.
    """
    keys = open_keys(settings)
    origin = find_origin(settings, store, keys)
    _check_keys(store, keys, origin)
    now = datetime.now(UTC)
    keys.prepare(origin, now=now)
    newest = keys.keys.log_keys(origin)[-1].key
    log = TransparencyLog.open(
        store.database,
        keys.log_signer(origin),
        to_log_mark(settings),
        new=NewLog(opened_at=now, vkey=format_log_key(newest)),
    )
    owner = IntakeOwner(to_log_folder(settings) / "processes")
    intakes = Intakes(Issuer(log, keys), owner)
    closed = intakes.close_interrupted()
    if closed:
        import structlog

        structlog.get_logger().warning("interrupted_intakes_closed", origin=origin, count=closed)
    return intakes


def find_origin(settings: Settings, store: Store, keys: KeyRing) -> str:
    """The name of the log: the setting's, that of the log in use, or one made of the first key."""
    origin = settings.log_origin or find_current_origin(store.database)
    if origin is not None:
        return origin
    keys.prepare(None, now=datetime.now(UTC))
    return name_origin(keys.keys.entry_keys[0].key)


def name_origin(key: EntryKey) -> str:
    """A host name that no other log has: ``t-`` and the beginning of the key's SHA-256."""
    from spanproof.core.digest import Digest

    return f"t-{Digest.of(key.public_key).hex[:12]}.{_DEFAULT_DOMAIN}"


def to_log_folder(settings: Settings) -> Path:
    """The folder of a log's files beside the database."""
    return settings.home.absolute() / "log"


def to_log_mark(settings: Settings) -> Path:
    """The file of the high-water mark."""
    return settings.log_mark or to_log_folder(settings) / "mark"


def _check_keys(store: Store, keys: KeyRing, origin: str) -> None:
    is_known = any(state.origin == origin for state in list_logs(store.database))
    if is_known and not keys.keys.log_keys(origin):
        msg = f"Expected the keys of the log {origin!r} in {str(keys.folder)!r}, got none."
        hint = "Restore them from a backup, or close the log: 'spanproof log recover --new-shard'."
        raise KeyUnavailableError(msg, hint=hint)
