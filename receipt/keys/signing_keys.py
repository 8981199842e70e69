"""Keys: ECDSA P-256 signs receipts, Ed25519 signs the heads of a log; never one for both.

Private keys stay in files that only their owner reads; a key management service can stand in
behind ``EntrySigner`` and ``spanproof.core.log.checkpoint.CheckpointSigner``.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)

from spanproof.receipt.forms.checkpoint_note import format_checkpoint
from spanproof.receipt.forms.signed_note import (
    ED25519,
    Signature,
    hash_key,
    make_key_id,
    write_note,
)

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import Checkpoint

_SPKI = serialization.PublicFormat.SubjectPublicKeyInfo
_DER = serialization.Encoding.DER
_ECDSA = ec.ECDSA(hashes.SHA256())
_ECDSA_SIGNING = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
_ECDSA_OF_DIGEST = ec.ECDSA(Prehashed(hashes.SHA256()))
#: What appears before the 32 bytes of an Ed25519 key in its SubjectPublicKeyInfo (RFC 8410).
_ED25519_SPKI = bytes.fromhex("302a300506032b6570032100")


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


@dataclass(frozen=True, slots=True)
class EntryKey:
    """The public key of the signer of statements: P-256, as SubjectPublicKeyInfo (DER).

    ValueError for bytes that are anything else, or that write such a key in another way.
    """

    public_key: bytes
    #: The hint that a bundle carries.
    key_id: str = field(init=False, compare=False)
    _loaded: ec.EllipticCurvePublicKey = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_loaded", load_p256(self.public_key))
        object.__setattr__(self, "key_id", name_public_key(self.public_key))

    def verify(self, message: bytes, signature: bytes) -> bool:
        """Whether a signature over SHA-256 holds (DER)."""
        return verify_ecdsa(self._loaded, message, signature)

    def verify_digest(self, digest: bytes, signature: bytes) -> bool:
        """Whether the signature holds over bytes of this SHA-256: a leaf holds no more of them."""
        return verify_ecdsa(self._loaded, digest, signature, algorithm=_ECDSA_OF_DIGEST)


@dataclass(frozen=True, slots=True, eq=False)
class LocalEntryKey:
    """A P-256 key in this process: SubjectPublicKeyInfo (DER), and the hint in a bundle."""

    private: ec.EllipticCurvePrivateKey
    public_key: bytes = field(init=False, repr=False)
    key_id: str = field(init=False)

    def __post_init__(self) -> None:
        public_key = self.private.public_key().public_bytes(_DER, _SPKI)
        object.__setattr__(self, "public_key", public_key)
        object.__setattr__(self, "key_id", name_public_key(public_key))

    @classmethod
    def generate(cls) -> LocalEntryKey:
        """A new key from the system's random numbers."""
        return cls(ec.generate_private_key(ec.SECP256R1()))

    def sign(self, message: bytes) -> bytes:
        """A deterministic signature (RFC 6979), DER."""
        return self.private.sign(message, _ECDSA_SIGNING)


@dataclass(frozen=True, slots=True, eq=False)
class LocalLogKey:
    """An Ed25519 key in this process, for the log of one origin; a CheckpointSigner."""

    private: Ed25519PrivateKey
    origin: str
    #: The public half.
    verifier: LogKey = field(init=False, repr=False)

    def __post_init__(self) -> None:
        public_key = self.private.public_key().public_bytes_raw()
        object.__setattr__(self, "verifier", LogKey(public_key, self.origin))

    @classmethod
    def generate(cls, origin: str) -> LocalLogKey:
        """A new key from the system's random numbers."""
        return cls(Ed25519PrivateKey.generate(), origin)

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
    """The public key of a log: 32 bytes, and the name under which it signs; a NoteKey.

    ``key_id`` is the number in its signature lines. ``log_id`` is ``logId.keyId`` in bundles and
    trusted roots: the whole hash that key_id begins. Sigstore's verifiers hold its first four bytes
    against the note's signature line, so the digest of the key's SubjectPublicKeyInfo, which ECDSA
    logs use, would be refused here. Source:
    https://github.com/sigstore/protobuf-specs/blob/main/protos/sigstore_trustroot.proto
    (TransparencyLogInstance.log_id).
    """

    public_key: bytes
    name: str
    key_id: bytes = field(init=False, repr=False, compare=False)
    log_id: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key_id", make_key_id(self.name, ED25519, self.public_key))
        object.__setattr__(self, "log_id", hash_key(self.name, ED25519, self.public_key))

    @property
    def spki(self) -> bytes:
        """SubjectPublicKeyInfo, DER."""
        return _ED25519_SPKI + self.public_key

    @classmethod
    def from_spki(cls, spki: bytes, name: str) -> LogKey:
        """Read SubjectPublicKeyInfo (DER); ValueError for anything but an Ed25519 key."""
        if len(spki) != len(_ED25519_SPKI) + 32 or not spki.startswith(_ED25519_SPKI):
            msg = "Expected an Ed25519 key as SubjectPublicKeyInfo, got other bytes."
            raise ValueError(msg)
        return cls(spki[len(_ED25519_SPKI) :], name)

    def verify(self, text: str, content: bytes) -> bool:
        """Whether the bytes sign the text (RFC 8032)."""
        return verify_ed25519(self.public_key, text.encode("utf-8"), content)


def verify_ed25519(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether an Ed25519 signature holds; False also for a malformed key."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def verify_ecdsa(
    public_key: ec.EllipticCurvePublicKey,
    message: bytes,
    signature: bytes,
    *,
    algorithm: ec.ECDSA = _ECDSA,
) -> bool:
    """Whether a P-256 signature over SHA-256 holds, written as DER writes it (SEC 1, C.5).

    Another encoding of the same two numbers does not hold: no change of a receipt's bytes leaves
    it valid. (r, n - s) holds where (r, s) does, as FIPS 186-5 has it; a leaf names the
    signature that was made, so the other has no leaf.
    """
    try:
        written = encode_dss_signature(*decode_dss_signature(signature))
        public_key.verify(signature, message, algorithm)
    except (InvalidSignature, ValueError):
        return False
    # The library refuses other encodings too, today; this does not rely on it.
    return hmac.compare_digest(written, signature)


def load_p256(spki: bytes) -> ec.EllipticCurvePublicKey:
    """Read a P-256 key (SubjectPublicKeyInfo, DER); ValueError for anything else."""
    try:
        key = serialization.load_der_public_key(spki)
    except (ValueError, UnsupportedAlgorithm) as exc:
        msg = "Expected a P-256 key as SubjectPublicKeyInfo, got other bytes."
        raise ValueError(msg) from exc
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        msg = "Expected a P-256 key, got a key of another kind."
        raise ValueError(msg)  # noqa: TRY004 - the bytes are at fault, not a type
    if not hmac.compare_digest(key.public_bytes(_DER, _SPKI), spki):
        msg = "Expected a P-256 key as DER writes it, got the same key written otherwise."
        raise ValueError(msg)
    return key
