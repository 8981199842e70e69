"""A trust file, and what can stand in one, for the tests of trust."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.receipt.keys.trust_file import Revocation, TrustFile, parse_trust
from spanproof.receipt.keys.trusted_root import TimestampAuthority, ValidFor
from tests.receipt.samples import ORIGIN, VALID_FROM, Issuer, make_log_key, to_trust_bytes
from tests.receipt.statements import MOMENT

ISSUER = Issuer()
RAW = to_trust_bytes(ISSUER)
TRUST = parse_trust(RAW)
KEY_ID = ISSUER.key.key_id
LOG_ID = encode_base64(make_log_key().verifier.log_id)
DAY = timedelta(days=1)


def revoke(key_id: str, log_size: int, origin: str = ORIGIN) -> TrustFile:
    """The trust file with one key revoked."""
    revocation = Revocation(
        key_id=key_id, origin=origin, log_size=log_size, revoked_at=MOMENT, reason="stolen"
    )
    return replace(TRUST, revocations=(revocation,))


def full() -> TrustFile:
    """One with everything that can stand in it."""
    authority = TimestampAuthority(
        uri="https://tsa.example.com",
        organization="Example",
        common_name="",
        certificates=(b"leaf", b"root"),
        valid_for=ValidFor(start=VALID_FROM, end=MOMENT),
    )
    return replace(
        revoke(KEY_ID, 7),
        trusted_root=replace(TRUST.trusted_root, timestamp_authorities=(authority,)),
        version=3,
        issued_at=MOMENT,
        expires_at=MOMENT + DAY,
        witness_policy="log log.example.com+00000000+AQ==\n",
    )


def log_of(value: Any) -> Any:
    """The first log."""
    return value["trusted_root"]["tlogs"][0]
