"""DSSE v1.0.2 envelopes: a signature over exact bytes and their type.

Source: https://github.com/secure-systems-lab/dsse/blob/v1.0.2/protocol.md
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from spanproof.core.errors import EvidenceError

#: The type of every payload that we sign: an in-toto Statement.
PAYLOAD_TYPE = "application/vnd.in-toto+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The bytes that were signed, and the one signature over them (ECDSA P-256, DER)."""

    payload: bytes
    signature: bytes
    payload_type: str = PAYLOAD_TYPE

    @property
    def encoding(self) -> bytes:
        """What the signature covers."""
        return encode(self.payload_type, self.payload)


class StatementKey(Protocol):
    """A public key that verifies statements."""

    @property
    def key_id(self) -> str:
        """The hint that a bundle carries."""

    def verify(self, message: bytes, signature: bytes) -> bool:
        """Whether the signature over the message holds."""


def open_envelope(envelope: Envelope, key: StatementKey) -> bytes:
    """The payload of a statement that the key signed; raise EvidenceError for any other.

    The type comes first (protocol, "verify": it says how to read the bytes): no other type is
    opened, even if it is signed. Use nothing of an envelope but what this returns.
    """
    if envelope.payload_type != PAYLOAD_TYPE:
        raise EvidenceError(
            f"Expected a payload of type {PAYLOAD_TYPE!r}, got {envelope.payload_type!r}.",
            hint="Give the receipt as it was issued.",
        )
    if not key.verify(envelope.encoding, envelope.signature):
        raise EvidenceError(
            f"Expected a signature by the key {key.key_id}, got one that does not verify.",
            hint="Give the receipt as it was issued.",
        )
    return envelope.payload


def encode(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding (PAE); lengths count bytes, not characters."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
