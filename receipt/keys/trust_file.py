"""The trust file: which keys an auditor trusts, decided before any receipt is read.

A key inside a bundle proves nothing: a forger would have chosen it. The file is fetched once,
by a way that the auditor trusts, and its digest is printed by every check.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.errors import KeyNotTrustedError, MalformedTrustError
from spanproof.core.json_reader import strict_json
from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.core.json_reader.json_field import Field
from spanproof.core.log.merkle import MAX_SIZE
from spanproof.core.moment import write_short_moment
from spanproof.core.shown import show_ascii
from spanproof.receipt.keys.signing_keys import EntryKey
from spanproof.receipt.keys.trusted_root import (
    is_origin,
    parse_trusted_root,
    parse_valid_for,
    trusted_root_to_json,
    valid_for_to_json,
)

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.receipt.keys.signing_keys import LogKey
    from spanproof.receipt.keys.trusted_root import TrustedRoot, ValidFor

MAX_TRUST_BYTES = 4 << 20
#: More than any rotation needs.
MAX_KEYS = 1000
#: A trust file without a version is the first.
FIRST_VERSION = 1
_LIMITS = strict_json.JsonLimits(max_bytes=MAX_TRUST_BYTES, max_depth=10)
_HINT = "Get a new trust file from the log's operator ('spanproof audit trust')."
_RENEW = "Get the newest trust file from the log's operator, or treat the receipt as forged."


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """A key that signs statements, and when it did."""

    key: EntryKey
    valid_for: ValidFor


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """A key that somebody else got: its signatures count only below ``log_size``.

    ``key_id`` is a signing key's id or a log key's (base64 of the ``log_id``). ``log_size`` is the
    size of the last head of ``origin`` that a witness saw before the loss: a leaf below it was
    there before the thief, also if it states a later time. 0: nothing that the key signed counts.
    ``revocation_index`` is the leaf of ``origin`` that revokes the key: the leaves between the two
    were in the log by then, prove nothing any more, and are no damage of the log (None: unknown).
    """

    key_id: str
    origin: str
    log_size: int
    revoked_at: datetime
    reason: str = ""
    revocation_index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustFile:
    """Which keys sign statements and heads, for when, and which of them were revoked.

    ``origin`` is the log that is written today; ``trusted_root`` may name closed ones too.
    ``version`` grows with every change of keys. ``witness_policy`` is a C2SP tlog-policy, read by
    ``spanproof.receipt.witness.policy``. ``raw`` are the bytes that it was read from, which
    ``digest`` is of.
    """

    origin: str
    trusted_root: TrustedRoot
    signing_keys: tuple[SigningKey, ...]
    revocations: tuple[Revocation, ...] = ()
    version: int = FIRST_VERSION
    issued_at: datetime | None = None
    expires_at: datetime | None = None
    witness_policy: str | None = None
    raw: bytes = field(default=b"", repr=False, compare=False)

    @property
    def digest(self) -> Digest:
        """SHA-256 of the file."""
        return Digest.of(self.raw or write_trust(self))

    def is_expired(self, moment: datetime) -> bool:
        """Whether the file was to be fetched again by this moment."""
        return self.expires_at is not None and self.expires_at < moment

    def as_logged(self, origin: str, *, closed_at: datetime | None = None) -> TrustFile:
        """Whom to trust of a whole log: what appeared in it before a key was revoked belongs in it.

        For checks of a log only, never of a receipt. ``closed_at`` is when a log that takes no more
        leaves was closed: nothing was added by a key that was revoked later, for another log.
        """
        revocations = []
        for each in self.revocations:
            size = each.log_size
            if each.origin == origin and each.revocation_index is not None:
                size = max(size, each.revocation_index)
            elif each.origin != origin and closed_at is not None and closed_at <= each.revoked_at:
                size = MAX_SIZE
            else:
                revocations.append(each)
                continue
            revocations.append(replace(each, origin=origin, log_size=size))
        return replace(self, revocations=tuple(revocations))

    def require_signing_key(
        self, key_id: str, *, moment: datetime, origin: str, index: int
    ) -> EntryKey:
        """The key that may have signed, at ``moment``, the leaf ``index`` of a log.

        Raises KeyNotTrustedError for a key that is unknown, outside its time, or revoked there.
        """
        found = next((each for each in self.signing_keys if each.key.key_id == key_id), None)
        if found is None:
            known = ", ".join(each.key.key_id for each in self.signing_keys)
            msg = f"Expected a receipt signed by one of {known}, got {show_ascii(key_id)}."
            raise KeyNotTrustedError(msg, hint="Use the trust file of the issuer.")
        if not found.valid_for.covers(moment):
            msg = (
                f"Expected the key {key_id} to be used from {found.valid_for}, "
                f"got a receipt of {write_short_moment(moment)}."
            )
            raise KeyNotTrustedError(msg, hint=_RENEW)
        limit = self._find_limit(key_id, origin)
        if index >= limit:
            msg = (
                f"Expected leaves of the revoked key {key_id} below index {limit} of {origin}, "
                f"got index {index}."
            )
            raise KeyNotTrustedError(msg, hint=_RENEW)
        return found.key

    def require_log_keys(
        self, origin: str, *, size: int, moment: datetime | None = None
    ) -> tuple[LogKey, ...]:
        """The keys that may have signed a head of ``size`` leaves of a log; at least one.

        ``moment`` leaves out those that were not in use then (None: any time will do).
        Raises KeyNotTrustedError for a log that is unknown or whose keys are all ruled out.
        """
        named = [log for log in self.trusted_root.logs if log.key.name == origin]
        if not named:
            known = ", ".join(sorted({log.key.name for log in self.trusted_root.logs}))
            msg = f"Expected a log of {known}, got {show_ascii(origin)}."
            raise KeyNotTrustedError(msg, hint="Use the trust file of the issuer.")
        keys = tuple(
            log.key
            for log in named
            if (moment is None or log.valid_for.covers(moment))
            and size <= self._find_limit(encode_base64(log.key.log_id), origin)
        )
        if not keys:
            when = "" if moment is None else f" at {write_short_moment(moment)}"
            msg = f"Expected a key of {origin} for {size} leaves{when}, got no valid key."
            raise KeyNotTrustedError(msg, hint=_RENEW)
        return keys

    def _find_limit(self, key_id: str, origin: str) -> int:
        """How many leaves of a log a key may have signed: all unless it was revoked."""
        limits = [each for each in self.revocations if each.key_id == key_id]
        if not limits:
            return MAX_SIZE
        # Revoked for one log is revoked for all: for the others no one said what they held before.
        return min((each.log_size for each in limits if each.origin == origin), default=0)


def parse_trust(raw: bytes) -> TrustFile:
    """Read a trust file; raise MalformedTrustError for anything else, an unknown field included."""
    value = strict_json.parse(
        raw,
        what="a trust file",
        error=MalformedTrustError,
        hint=_HINT,
        limits=_LIMITS,
    )
    whole = Field(value, MalformedTrustError, _HINT)
    trust = whole.fields(
        "trusted_root",
        "signing_keys",
        "origin",
        optional=["version", "issued_at", "expires_at", "revocations", "witness_policy"],
    )
    root = parse_trusted_root(trust["trusted_root"])
    origin = parse_origin(trust["origin"])
    if all(log.key.name != origin for log in root.logs):
        trust["origin"].refuse("a log of the trusted root")
    keys = tuple(
        _parse_signing_key(each) for each in trust["signing_keys"].items(least=1, most=MAX_KEYS)
    )
    if len({each.key.key_id for each in keys}) != len(keys):
        trust["signing_keys"].refuse("each key once")
    revocations = trust.get("revocations")
    listed = [] if revocations is None else revocations.items(most=MAX_KEYS)
    policy = trust.get("witness_policy")
    return TrustFile(
        origin=origin,
        trusted_root=root,
        signing_keys=keys,
        revocations=tuple(parse_revocation(each) for each in listed),
        version=trust["version"].integer(least=1, most=2**31) if "version" in trust else 1,
        issued_at=trust["issued_at"].moment() if "issued_at" in trust else None,
        expires_at=trust["expires_at"].moment() if "expires_at" in trust else None,
        witness_policy=None if policy is None else policy.text(most=1 << 16),
        raw=raw,
    )


def trust_to_json(trust: TrustFile) -> dict[str, Any]:
    """The trust file as an object without the fields that are not set."""
    record: dict[str, Any] = {
        "version": trust.version,
        "origin": trust.origin,
        "trusted_root": trusted_root_to_json(trust.trusted_root),
        "signing_keys": [
            {
                "key_id": each.key.key_id,
                "spki_b64": encode_base64(each.key.public_key),
                "valid_for": valid_for_to_json(each.valid_for),
            }
            for each in trust.signing_keys
        ],
        "revocations": [revocation_to_json(each) for each in trust.revocations],
    }
    if trust.issued_at is not None:
        record["issued_at"] = write_short_moment(trust.issued_at)
    if trust.expires_at is not None:
        record["expires_at"] = write_short_moment(trust.expires_at)
    if trust.witness_policy is not None:
        record["witness_policy"] = trust.witness_policy
    return record


def write_trust(trust: TrustFile) -> bytes:
    """The trust file's canonical bytes (RFC 8785); the same keys give the same digest."""
    return canonical_json.dumps(trust_to_json(trust))


def revocation_to_json(revocation: Revocation) -> dict[str, Any]:
    """A revocation as an object; without ``revocation_index`` where that is not known."""
    record: dict[str, Any] = {
        "key_id": revocation.key_id,
        "origin": revocation.origin,
        "log_size": revocation.log_size,
        "revoked_at": write_short_moment(revocation.revoked_at),
        "reason": revocation.reason,
    }
    if revocation.revocation_index is not None:
        record["revocation_index"] = revocation.revocation_index
    return record


def parse_revocation(field: Field) -> Revocation:
    """Read a revocation."""
    found = field.fields(
        "key_id", "origin", "log_size", "revoked_at", "reason", optional=["revocation_index"]
    )
    logged = found.get("revocation_index")
    return Revocation(
        key_id=encode_base64(found["key_id"].base64(size=32)),
        origin=parse_origin(found["origin"]),
        log_size=found["log_size"].integer(most=strict_json.MOST_INTEGER),
        revoked_at=found["revoked_at"].moment(),
        reason=found["reason"].text(least=0),
        revocation_index=(
            None if logged is None else logged.integer(most=strict_json.MOST_INTEGER)
        ),
    )


def _parse_signing_key(field: Field) -> SigningKey:
    found = field.fields("key_id", "spki_b64", "valid_for")
    try:
        key = EntryKey(found["spki_b64"].base64(most=1024))
    except ValueError:
        found["spki_b64"].refuse("a P-256 key (SubjectPublicKeyInfo)")
    found["key_id"].literal(key.key_id)
    return SigningKey(key=key, valid_for=parse_valid_for(found["valid_for"]))


def parse_origin(field: Field) -> str:
    """Read a log's name."""
    origin = field.text()
    if not is_origin(origin):
        field.refuse("a host name in lower case")
    return origin
