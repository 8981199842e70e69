"""Keys: ECDSA P-256 signs receipts, Ed25519 signs the heads of a log; never one for both.

Private keys stay in files that only their owner reads; a key management service can stand in
behind ``EntrySigner`` and ``core.checkpoint.CheckpointSigner``.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from receipt.checkpoint_note import format_checkpoint
from receipt.note import ED25519, Signature, make_key_id, write_note

if TYPE_CHECKING:
    from core.checkpoint import Checkpoint

_SPKI = serialization.PublicFormat.SubjectPublicKeyInfo
_DER = serialization.Encoding.DER


class EntrySigner(Protocol):
    """Signs statements with ECDSA P-256 over SHA-256 (DER)."""

    @property
    def public_key(self) -> bytes:
        """SubjectPublicKeyInfo, DER."""

    @property
    def key_id(self) -> str:
        """The hint that a bundle carries."""

    def sign(self, message: bytes) -> bytes:
        """The signature over these bytes; the same bytes give the same signature (RFC 6979)."""


def name_public_key(public_key: bytes) -> str:
    """The id of a public key (SPKI, DER): base64 of its SHA-256, as Sigstore's tools write it."""
    return base64.b64encode(hashlib.sha256(public_key).digest()).decode("ascii")


@dataclass(frozen=True, slots=True, eq=False)
class LocalEntryKey:
    """A P-256 key in this process."""

    private: ec.EllipticCurvePrivateKey

    @classmethod
    def generate(cls) -> LocalEntryKey:
        """A new key from the system's random numbers."""
        return cls(ec.generate_private_key(ec.SECP256R1()))

    @property
    def public_key(self) -> bytes:
        """SubjectPublicKeyInfo, DER."""
        return self.private.public_key().public_bytes(_DER, _SPKI)

    @property
    def key_id(self) -> str:
        """The hint that a bundle carries."""
        return name_public_key(self.public_key)

    def sign(self, message: bytes) -> bytes:
        """A deterministic signature (RFC 6979), DER."""
        return self.private.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))


@dataclass(frozen=True, slots=True, eq=False)
class LocalLogKey:
    """An Ed25519 key in this process, for the log of one origin; a CheckpointSigner."""

    private: Ed25519PrivateKey
    origin: str

    @classmethod
    def generate(cls, origin: str) -> LocalLogKey:
        """A new key from the system's random numbers."""
        return cls(Ed25519PrivateKey.generate(), origin)

    @property
    def verifier(self) -> LogKey:
        """The public half."""
        return LogKey(self.private.public_key().public_bytes_raw(), self.origin)

    def sign(self, checkpoint: Checkpoint) -> str:
        """The signed note; ValueError for a checkpoint of another log."""
        if checkpoint.origin != self.origin:
            msg = f"Expected a checkpoint of {self.origin!r}, got {checkpoint.origin!r}."
            raise ValueError(msg)
        text = format_checkpoint(checkpoint)
        return write_note(
            text,
            [
                Signature(
                    name=self.origin,
                    key_id=self.verifier.key_id,
                    content=self.private.sign(text.encode("utf-8")),
                )
            ],
        )


@dataclass(frozen=True, slots=True)
class LogKey:
    """The public key of a log: 32 bytes, and the name under which it signs; a NoteKey."""

    public_key: bytes
    name: str

    @property
    def key_id(self) -> bytes:
        """The number in its signature lines."""
        return make_key_id(self.name, ED25519, self.public_key)

    def verify(self, text: str, content: bytes) -> bool:
        """Whether the bytes sign the text (RFC 8032)."""
        return verify_ed25519(self.public_key, text.encode("utf-8"), content)


def verify_ed25519(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether an Ed25519 signature holds; False also for a key that is none."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def verify_ecdsa(public_key: ec.EllipticCurvePublicKey, message: bytes, signature: bytes) -> bool:
    """Whether a P-256 signature over SHA-256 holds (DER)."""
    try:
        public_key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, ValueError):
        return False
    return True
