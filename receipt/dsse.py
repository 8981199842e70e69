"""DSSE v1.0.2 envelopes: a signature over exact bytes and their type.

Source: https://github.com/secure-systems-lab/dsse/blob/v1.0.2/protocol.md
"""

from __future__ import annotations

from dataclasses import dataclass

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


def encode(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding (PAE); lengths count bytes, not characters."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
