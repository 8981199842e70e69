"""The tenant's key that wraps the keys of its contents: a file of the home.

``keys/content.pem`` is a private key as the others are, made when a tenant first encrypts; the key
that wraps is derived from it (HKDF-SHA-256). A key management service can take its place: a
``KeyWrapper`` for each tenant, given to ``open_context`` or ``create_app`` as ``content_key``.
"""

from __future__ import annotations

import hashlib
import os
import threading
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from spanproof.core.errors import KeyUnavailableError
from spanproof.receipt.keys.key_files import load_log_private, write_private_key

if TYPE_CHECKING:
    from spanproof.operations.settings import Settings

FILE_NAME = "content.pem"
_USE = b"spanproof: wrap content keys, 1"
_NONCE_BYTES = 12


class LocalContentKey:
    """A KeyWrapper whose key is a file; read once, at the first use."""

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.home.absolute() / "keys"
        secret = settings.key_passphrase
        self._passphrase = None if secret is None else secret.get_secret_value()
        self._lock = threading.Lock()
        self._key: bytes | None = None

    @property
    def key_id(self) -> str:
        """Sixteen hexadecimal digits of the key's SHA-256."""
        return hashlib.sha256(_USE + self._load()).hexdigest()[:16]

    def wrap(self, key: bytes, name: bytes) -> bytes:
        """The key under this one, bound to a name."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + AESGCM(self._load()).encrypt(nonce, key, name)

    def unwrap(self, wrapped: bytes, name: bytes) -> bytes:
        """The inverse; KeyUnavailableError where this key did not wrap it."""
        try:
            key = self._load()
            return AESGCM(key).decrypt(wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], name)
        except (InvalidTag, ValueError) as error:
            msg = f"Expected a content key that {FILE_NAME!r} has wrapped, got another."
            raise KeyUnavailableError(
                msg, hint="Restore the folder 'keys' from a backup."
            ) from error

    def prepare(self) -> None:
        """Make the file where it is missing; KeyUnavailableError where that fails.

        Nothing else makes it: a second host of one store must be given the first one's.
        """
        path = self._folder / FILE_NAME
        if path.exists():
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private_key(path, Ed25519PrivateKey.generate(), self._passphrase)
        except FileExistsError:
            return
        except OSError as error:
            msg = f"Expected to write {FILE_NAME!r}, got {error.strerror!r}."
            raise KeyUnavailableError(msg, hint="Fix the disk or the folder's rights.") from error

    def _load(self) -> bytes:
        with self._lock:
            if self._key is None:
                private = load_log_private(self._folder / FILE_NAME, self._passphrase)
                derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_USE)
                self._key = derived.derive(private.private_bytes_raw())
            return self._key
