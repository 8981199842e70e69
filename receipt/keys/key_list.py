"""The list of keys (``keys.json``): every key that was ever used here, public halves only.

Private keys are in files beside it. The list decides which of them signs: a key that was written
and is not listed has never signed anything.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import KeyUnavailableError, MalformedTrustError
from spanproof.core.json_reader import strict_json
from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.core.json_reader.json_field import Field
from spanproof.receipt.keys.signing_keys import EntryKey, LogKey
from spanproof.receipt.keys.trust_file import (
    SigningKey,
    TrustFile,
    parse_origin,
    parse_revocation,
    revocation_to_json,
)
from spanproof.receipt.keys.trusted_root import (
    TrustedLog,
    TrustedRoot,
    parse_valid_for,
    valid_for_to_json,
)

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.receipt.keys.trust_file import Revocation
    from spanproof.receipt.keys.trusted_root import TimestampAuthority, ValidFor

MAX_LIST_BYTES = 4 << 20
MAX_KEYS = 1000
_FILE = re.compile(r"[a-z0-9-]{1,64}\.pem", re.ASCII)
_LIMITS = strict_json.JsonLimits(max_bytes=MAX_LIST_BYTES, max_depth=8)
_HINT = "Restore keys.json from a backup of the keys."


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedKey(ABC):
    """A key, the file of its private half, and when it signs; None: it is not in use yet."""

    file: str
    valid_for: ValidFor | None

    @property
    @abstractmethod
    def key_id(self) -> str:
        """What the trust file calls it."""

    @property
    @abstractmethod
    def spki(self) -> bytes:
        """SubjectPublicKeyInfo, DER."""

    @property
    def is_open(self) -> bool:
        """Whether it signs now."""
        return self.valid_for is not None and self.valid_for.end is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntryKey(ListedKey):
    """A key that signs statements."""

    key: EntryKey

    @property
    def key_id(self) -> str:
        """The hint that a bundle carries."""
        return self.key.key_id

    @property
    def spki(self) -> bytes:
        """SubjectPublicKeyInfo, DER."""
        return self.key.public_key


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedLogKey(ListedKey):
    """A key that signs the heads of a log."""

    key: LogKey

    @property
    def key_id(self) -> str:
        """Base64 of the ``log_id``."""
        return encode_base64(self.key.log_id)

    @property
    def spki(self) -> bytes:
        """SubjectPublicKeyInfo, DER."""
        return self.key.spki


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList:
    """The keys in the order in which they were made, and their revocations.

    ``version`` counts the lists that were written; 0: none was.
    """

    keys: tuple[ListedKey, ...] = ()
    revocations: tuple[Revocation, ...] = ()
    version: int = 0

    @property
    def entry_keys(self) -> tuple[ListedEntryKey, ...]:
        """Those that sign statements."""
        return tuple(each for each in self.keys if isinstance(each, ListedEntryKey))

    @property
    def all_log_keys(self) -> tuple[ListedLogKey, ...]:
        """Those that sign the heads of any log."""
        return tuple(each for each in self.keys if isinstance(each, ListedLogKey))

    def log_keys(self, origin: str) -> tuple[ListedLogKey, ...]:
        """Those that sign the heads of one log."""
        return tuple(each for each in self.all_log_keys if each.key.name == origin)

    def find(self, key_id: str) -> ListedKey | None:
        """The key of this id."""
        return next((each for each in self.keys if each.key_id == key_id), None)

    def is_revoked(self, key_id: str) -> bool:
        """Whether it was lost to somebody else."""
        return any(each.key_id == key_id for each in self.revocations)

    def with_key(self, listed: ListedKey) -> KeyList:
        """The same with this key, in its old place if it is listed already."""
        if self.find(listed.key_id) is None:
            return replace(self, keys=(*self.keys, listed))
        keys = tuple(listed if each.key_id == listed.key_id else each for each in self.keys)
        return replace(self, keys=keys)

    def with_revocation(self, revocation: Revocation) -> KeyList:
        """The same with this revocation."""
        return replace(self, revocations=(*self.revocations, revocation))

    def with_revocation_index(self, key_id: str, origin: str, index: int) -> KeyList:
        """The same, where the leaf of this log that says so of a revoked key is known."""
        return replace(
            self,
            revocations=tuple(
                replace(each, revocation_index=index)
                if (each.key_id, each.origin) == (key_id, origin)
                else each
                for each in self.revocations
            ),
        )

    def to_trust(
        self,
        origin: str,
        *,
        timestamp_authorities: tuple[TimestampAuthority, ...] = (),
        issued_at: datetime | None = None,
        expires_at: datetime | None = None,
        witness_policy: str | None = None,
    ) -> TrustFile:
        """The trust file of the keys that are or were in use; KeyUnavailableError for no log."""
        logs = tuple(
            TrustedLog(key=each.key, valid_for=each.valid_for)
            for each in self.all_log_keys
            if each.valid_for is not None
        )
        if all(log.key.name != origin for log in logs):
            msg = f"Expected a key of the log {origin!r}, got none."
            raise KeyUnavailableError(msg, hint=_HINT)
        return TrustFile(
            origin=origin,
            trusted_root=TrustedRoot(logs=logs, timestamp_authorities=timestamp_authorities),
            signing_keys=tuple(
                SigningKey(key=each.key, valid_for=each.valid_for)
                for each in self.entry_keys
                if each.valid_for is not None
            ),
            revocations=self.revocations,
            version=self.version,
            issued_at=issued_at,
            expires_at=expires_at,
            witness_policy=witness_policy,
        )


def parse_key_list(raw: bytes) -> KeyList:
    """Read ``keys.json``; raise KeyUnavailableError for anything else."""
    try:
        value = strict_json.parse(
            raw,
            what="a list of keys",
            error=MalformedTrustError,
            hint=_HINT,
            limits=_LIMITS,
        )
        found = Field(value, MalformedTrustError, _HINT).fields("version", "keys", "revocations")
        keys = tuple(_parse_key(each) for each in found["keys"].items(most=MAX_KEYS))
        if len({each.key_id for each in keys}) != len(keys):
            found["keys"].refuse("each key once")
        return KeyList(
            keys=keys,
            revocations=tuple(
                parse_revocation(each) for each in found["revocations"].items(most=MAX_KEYS)
            ),
            version=found["version"].integer(least=1, most=2**31),
        )
    except MalformedTrustError as exc:
        raise KeyUnavailableError(exc.message, hint=exc.hint) from exc


def write_key_list(keys: KeyList) -> bytes:
    """The list as people read it, too."""
    record = {
        "version": keys.version,
        "keys": [_key_to_json(each) for each in keys.keys],
        "revocations": [revocation_to_json(each) for each in keys.revocations],
    }
    return json.dumps(record, indent=2).encode("ascii") + b"\n"


def _parse_key(field: Field) -> ListedKey:
    names = ("kind", "key_id", "spki_b64", "file", "valid_for")
    is_entry = field.fields(*names, optional=["origin"])["kind"].literal("entry", "log") == "entry"
    found = field.fields(*names) if is_entry else field.fields(*names, "origin")
    file = found["file"].text(most=128)
    if not _FILE.fullmatch(file):
        found["file"].refuse("the name of a PEM file in this folder")
    window = found["valid_for"]
    valid_for = None if window.value is None else parse_valid_for(window)
    spki = found["spki_b64"].base64(most=1024)
    try:
        listed: ListedKey
        if is_entry:
            listed = ListedEntryKey(key=EntryKey(spki), file=file, valid_for=valid_for)
        else:
            key = LogKey.from_spki(spki, parse_origin(found["origin"]))
            listed = ListedLogKey(key=key, file=file, valid_for=valid_for)
    except ValueError:
        found["spki_b64"].refuse("a public key (SubjectPublicKeyInfo)")
    found["key_id"].literal(listed.key_id)
    return listed


def _key_to_json(listed: ListedKey) -> dict[str, Any]:
    record: dict[str, Any] = {
        "kind": "log" if isinstance(listed, ListedLogKey) else "entry",
        "key_id": listed.key_id,
        "spki_b64": encode_base64(listed.spki),
        "file": listed.file,
        "valid_for": None if listed.valid_for is None else valid_for_to_json(listed.valid_for),
    }
    if isinstance(listed, ListedLogKey):
        record["origin"] = listed.key.name
    return record
