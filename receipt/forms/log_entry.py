"""Leaves: Rekor's ``hashedrekord`` 0.0.2 in JCS, one shape for every statement.

A leaf holds the digest of a DSSE encoding, its signature and the public key: no content.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from binascii import b2a_base64
from dataclasses import dataclass

from spanproof.core.errors import MalformedReceiptError
from spanproof.core.json_reader import strict_json
from spanproof.core.json_reader.json_field import Field
from spanproof.receipt.forms.dsse import Envelope

KIND = "hashedrekord"
VERSION = "0.0.2"
#: As Sigstore names ECDSA on P-256 with SHA-256.
KEY_DETAILS = "PKIX_ECDSA_P256_SHA_256"
#: C2SP tlog-tiles: an entry's length has two bytes. Ours have about 490.
MAX_ENTRY_BYTES = 65535
_FORM = (
    b'{"apiVersion":"%b","kind":"%b","spec":{"hashedRekordV002":{'
    b'"data":{"algorithm":"SHA2_256","digest":"%%b"},'
    b'"signature":{"content":"%%b","verifier":{"keyDetails":"%b",'
    b'"publicKey":{"rawBytes":"%%b"}}}}}}'
) % (VERSION.encode(), KIND.encode(), KEY_DETAILS.encode())
_LIMITS = strict_json.JsonLimits(max_bytes=MAX_ENTRY_BYTES, max_depth=8)
_HINT = "Give the leaf as the log holds it, byte for byte."


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a leaf says: this key (SubjectPublicKeyInfo, DER) signed bytes of this SHA-256."""

    digest: bytes
    signature: bytes
    public_key: bytes

    def covers(self, envelope: Envelope) -> bool:
        """Whether it is the leaf of exactly this envelope, its signature included."""
        digest = hashlib.sha256(envelope.encoding).digest()
        is_same = hmac.compare_digest(self.digest, digest)
        return is_same and hmac.compare_digest(self.signature, envelope.signature)


def write_entry(envelope: Envelope, public_key: bytes) -> bytes:
    """The leaf's bytes: of this envelope, by this key (SubjectPublicKeyInfo, DER)."""
    return _write(
        Entry(
            digest=hashlib.sha256(envelope.encoding).digest(),
            signature=envelope.signature,
            public_key=public_key,
        )
    )


def parse_entry(raw: bytes) -> Entry:
    """What a leaf says, unverified; MalformedReceiptError unless it is the one way to say it.

    The bytes must be their own JCS form, so that no two leaves say the same.
    """
    what = "a log entry (hashedrekord 0.0.2)"
    error = MalformedReceiptError
    value = strict_json.parse(raw, what=what, error=error, hint=_HINT, limits=_LIMITS)
    record = Field(value, error, _HINT).fields("apiVersion", "kind", "spec")
    record["apiVersion"].literal(VERSION)
    record["kind"].literal(KIND)
    spec = record["spec"].fields("hashedRekordV002")["hashedRekordV002"].fields("data", "signature")
    signed = spec["data"].fields("algorithm", "digest")
    signed["algorithm"].literal("SHA2_256")
    signature = spec["signature"].fields("content", "verifier")
    verifier = signature["verifier"].fields("keyDetails", "publicKey")
    verifier["keyDetails"].literal(KEY_DETAILS)
    entry = Entry(
        digest=signed["digest"].base64(size=32),
        signature=signature["content"].base64(most=256),
        public_key=verifier["publicKey"].fields("rawBytes")["rawBytes"].base64(most=1024),
    )
    if not hmac.compare_digest(_write(entry), raw):
        msg = f"Expected {what} as RFC 8785 writes it, got the same words written otherwise."
        raise error(msg, hint=_HINT)
    return entry


def _write(entry: Entry) -> bytes:
    """RFC 8785's bytes, put together: names in their order, and base64 has nothing to escape."""
    return _FORM % (
        b2a_base64(entry.digest, newline=False),
        b2a_base64(entry.signature, newline=False),
        b2a_base64(entry.public_key, newline=False),
    )


#: Base64 without unused bits, of 32 bytes and of any number of them (not none).
_B64 = rb"[A-Za-z0-9+/]"
_DIGEST = _B64 + rb"{42}[AEIMQUYcgkosw048]="
_ANY = rb"(?=%b)(?:%b{4})*(?:%b{2}[AEIMQUYcgkosw048]=|%b[AQgw]==)?" % (_B64, _B64, _B64, _B64)


class LeafForm:
    """The form of the leaves by a key (SubjectPublicKeyInfo, DER)."""

    def __init__(self, public_key: bytes) -> None:
        empty = write_entry(Envelope(payload=b"", signature=b""), public_key)
        before, _, rest = empty.partition(b'"digest":"')
        _, _, rest = rest.partition(b'"')
        between, _, after = rest.partition(b'"content":"')
        self._before = before + b'"digest":"'
        self._between = b'"' + between + b'"content":"'
        self._after = after
        start, middle, end = map(re.escape, (self._before, self._between, self._after))
        self._pattern = re.compile(start + _DIGEST + middle + _ANY + end)

    def fits(self, entry: bytes) -> bool:
        """Whether the leaf is by this key, of any statement."""
        return self._pattern.fullmatch(entry) is not None

    def covers(self, entry: bytes, envelope: Envelope) -> bool:
        """Whether it is the leaf by this key of exactly this envelope, its signature included."""
        digest = base64.b64encode(hashlib.sha256(envelope.encoding).digest())
        signature = base64.b64encode(envelope.signature)
        return entry == self._before + digest + self._between + signature + self._after
