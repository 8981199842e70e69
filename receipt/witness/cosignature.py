"""Cosignatures of witnesses (C2SP tlog-cosignature v1, type 0x04): Ed25519 over a head and a time.

A cosignature says: at this time this was the largest tree of this log that I have seen, and every
tree that I saw before is its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from spanproof.receipt.forms.signed_note import COSIGNATURE, Signature, make_key_id, verify_lines
from spanproof.receipt.keys.signing_keys import verify_ed25519
from spanproof.receipt.keys.verifier_key import VerifierKey, parse_verifier_key, require_ed25519

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.receipt.forms.signed_note import Note

#: Seconds since 1970; what the specification allows.
MAX_TIMESTAMP = 2**63 - 1
_TIMESTAMP_BYTES = 8
_SIGNATURE_BYTES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Cosignature:
    """Who cosigned, and the time that the signature covers (seconds since 1970)."""

    key: CosignerKey
    timestamp: int


@dataclass(frozen=True, slots=True)
class CosignerKey:
    """The public key of a witness: 32 bytes, and the name under which it cosigns; a NoteKey."""

    public_key: bytes
    name: str

    @property
    def key_id(self) -> bytes:
        """The number in its signature lines."""
        return make_key_id(self.name, COSIGNATURE, self.public_key)

    def verify(self, text: str, content: bytes) -> bool:
        """Whether the bytes are a time and a signature over it and a checkpoint's text.

        A time of 0 is not a time: an answer without one is not a witness's.
        """
        if len(content) != _TIMESTAMP_BYTES + _SIGNATURE_BYTES:
            return False
        timestamp, signature = read_timestamp(content), content[_TIMESTAMP_BYTES:]
        if not 0 < timestamp <= MAX_TIMESTAMP:
            return False
        return verify_ed25519(self.public_key, _to_message(text, timestamp), signature)


@dataclass(frozen=True, slots=True, eq=False)
class LocalCosigner:
    """A witness's Ed25519 key in this process.

    The message does not name the witness, so no other witness may use the same key.
    """

    private: Ed25519PrivateKey
    name: str

    @classmethod
    def generate(cls, name: str) -> LocalCosigner:
        """A new key from the system's random numbers."""
        return cls(Ed25519PrivateKey.generate(), name)

    @property
    def verifier(self) -> CosignerKey:
        """The public half."""
        return CosignerKey(self.private.public_key().public_bytes_raw(), self.name)

    def cosign(self, text: str, timestamp: int) -> Signature:
        """The signature line over a checkpoint's text; ValueError for a time out of bounds.

        Only who has checked that the tree grew out of all that it cosigned before may call this.
        """
        if not 0 < timestamp <= MAX_TIMESTAMP:
            msg = f"Expected a time in (0, 2**63), in seconds since 1970, got {timestamp}."
            raise ValueError(msg)
        signature = self.private.sign(_to_message(text, timestamp))
        content = timestamp.to_bytes(_TIMESTAMP_BYTES, "big") + signature
        return Signature(name=self.name, key_id=self.verifier.key_id, content=content)


def read_timestamp(content: bytes) -> int:
    """The time in a signature line's bytes, in seconds since 1970; nothing is verified."""
    return int.from_bytes(content[:_TIMESTAMP_BYTES], "big")


def find_cosignatures(note: Note, keys: Iterable[CosignerKey]) -> tuple[Cosignature, ...]:
    """The cosignatures of these witnesses below a note, in the order of its lines.

    None at all is not an error: a policy says how many there must be. Raises NoteSignatureError
    where a line of one of the witnesses does not verify.
    """
    return tuple(
        Cosignature(key=key, timestamp=read_timestamp(line.content))
        for key, line in verify_lines(note, keys)
    )


def parse_cosigner_key(text: str) -> CosignerKey:
    """Read the vkey of a witness (type 0x04); raise MalformedTrustError for anything else."""
    key = parse_verifier_key(text)
    return CosignerKey(require_ed25519(key, COSIGNATURE, "witness"), key.name)


def format_cosigner_key(key: CosignerKey) -> str:
    """The vkey of a witness."""
    return str(VerifierKey(name=key.name, kind=COSIGNATURE, public_key=key.public_key))


def _to_message(text: str, timestamp: int) -> bytes:
    return f"cosignature/v1\ntime {timestamp}\n{text}".encode()
