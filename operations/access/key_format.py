"""API keys: their text, and the digest that the database keeps.

``sp_<id>.<secret>``: twelve characters that name the key anywhere, and 256 random bits that are
shown once. The database stores HMAC-SHA-256 of the whole text under a pepper. The pepper is a file
of the home, outside every backup of the database: the database alone lets no one test a guess.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
from typing import TYPE_CHECKING, NamedTuple

from spanproof.core.errors import KeyUnavailableError
from spanproof.receipt.keys.key_files import create_file

if TYPE_CHECKING:
    from pathlib import Path

PEPPER_NAME = "access-pepper"
_PEPPER_BYTES = 32
_SECRET_BYTES = 32
#: 60 bits: enough that no two keys get the same name.
_ID_CHARACTERS = 12
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_KEY = re.compile(r"(sp_[a-z2-7]{12})\.[A-Za-z0-9_-]{43}", re.ASCII)
_RESTORE = "Restore it from a backup of the home; else you must make every key again."


class NewKey(NamedTuple):
    """A new key: its id, and the whole text, which cannot be shown again."""

    key_id: str
    text: str


def make_key() -> NewKey:
    """A new key from the system's random numbers."""
    key_id = "sp_" + "".join(secrets.choice(_ALPHABET) for _ in range(_ID_CHARACTERS))
    secret = base64.urlsafe_b64encode(secrets.token_bytes(_SECRET_BYTES)).rstrip(b"=").decode()
    return NewKey(key_id, f"{key_id}.{secret}")


def find_key_id(text: str) -> str | None:
    """The id in a text with the form of a key; None for any other text."""
    found = _KEY.fullmatch(text)
    return None if found is None else found[1]


class Pepper:
    """The secret of a home under which keys are digested, and sessions signed; read once."""

    def __init__(self, home: Path) -> None:
        self.path = home.absolute() / PEPPER_NAME
        self._secret: bytes | None = None

    def digest(self, text: str) -> str:
        """The stored digest of a key, 64 hexadecimal digits; raise KeyUnavailableError."""
        return self._mac(b"key\0", text)

    def sign(self, text: str) -> str:
        """A signature that only this home can make; raise KeyUnavailableError."""
        return self._mac(b"session\0", text)

    def make(self) -> None:
        """Make the file if it is missing; raise KeyUnavailableError where that fails."""
        try:
            create_file(self.path, os.urandom(_PEPPER_BYTES))
        except FileExistsError:
            return
        except OSError as error:
            msg = f"Expected to write {self.path.name!r}, got {error.strerror!r}."
            raise KeyUnavailableError(msg, hint="Fix the disk or the folder's rights.") from error

    def _mac(self, use: bytes, text: str) -> str:
        if self._secret is None:
            self._secret = self._read()
        return hmac.new(self._secret, use + text.encode(), hashlib.sha256).hexdigest()

    def _read(self) -> bytes:
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            with os.fdopen(descriptor, "rb") as file:
                mode = os.fstat(descriptor).st_mode & 0o777
                content = file.read(_PEPPER_BYTES + 1)
        except OSError as error:
            msg = f"Expected the file {self.path.name!r} in the home, got {error.strerror!r}."
            raise KeyUnavailableError(msg, hint=_RESTORE) from error
        if mode & 0o077:
            msg = f"Expected the mode 600 of {self.path.name!r}, got {mode:o}."
            raise KeyUnavailableError(msg, hint="Others may have read it: 'chmod 600' at least.")
        if len(content) != _PEPPER_BYTES:
            msg = f"Expected {_PEPPER_BYTES} bytes in {self.path.name!r}, got {len(content)}."
            raise KeyUnavailableError(msg, hint=_RESTORE)
        return content


def is_same(left: str, right: str) -> bool:
    """Whether two digests are one, in a time that does not tell where they differ."""
    return hmac.compare_digest(left.encode(), right.encode())
