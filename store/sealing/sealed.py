"""Content sealed with AES-256-GCM under a key of its own; sealed bytes say so by how they begin.

A nonce of 12 random bytes, then ciphertext and tag; the name of the content is bound to it, so that
sealed bytes moved to another row do not open. Source: NIST SP 800-38D.
"""

from __future__ import annotations

import os
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from spanproof.core.errors import IntegrityError

#: No payload, block or blob of ours begins so: JSON has no NUL.
_MAGIC = b"\0spanproof sealed 1\n"
_NONCE_BYTES = 12
KEY_BYTES = 32


class KeyWrapper(Protocol):
    """The tenant's key: a file of the home, or a key management service in its place."""

    @property
    def key_id(self) -> str:
        """Which key it is; stands beside what it has wrapped."""

    def prepare(self) -> None:
        """Make the key if there is none yet, before the first use; KeyUnavailableError."""

    def wrap(self, key: bytes, name: bytes) -> bytes:
        """The key of some content, encrypted and bound to the content's name."""

    def unwrap(self, wrapped: bytes, name: bytes) -> bytes:
        """The inverse; KeyUnavailableError where this key does not open it."""


def seal(key: bytes, content: bytes, name: bytes) -> bytes:
    """Content under its key, bound to a name."""
    nonce = os.urandom(_NONCE_BYTES)
    return _MAGIC + nonce + AESGCM(key).encrypt(nonce, content, name)


def is_sealed(content: bytes) -> bool:
    """Whether these bytes were sealed."""
    return content.startswith(_MAGIC)


def open_sealed(key: bytes, content: bytes, name: bytes) -> bytes:
    """What was sealed; IntegrityError where it is altered, cut off, or of another name or key."""
    start = len(_MAGIC) + _NONCE_BYTES
    try:
        return AESGCM(key).decrypt(content[len(_MAGIC) : start], content[start:], name)
    except (InvalidTag, ValueError) as error:
        msg = "Expected sealed content as it was kept, got other bytes."
        raise IntegrityError(msg, hint="Restore the store from a backup.") from error
