"""SHA-256 digests, whole: never a prefix, never another case."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass

from spanproof.core.errors import MalformedDigestError

_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
PREFIX = "sha256:"


@dataclass(frozen=True, slots=True, eq=False)
class Digest:
    """A SHA-256 digest (FIPS 180-4), written ``sha256:`` + 64 lower-case hexadecimal digits."""

    hex: str

    def __post_init__(self) -> None:
        if not _HEX.fullmatch(self.hex):
            msg = f"Expected 64 lower-case hexadecimal digits, got {self.hex!r}."
            raise MalformedDigestError(msg, hint="Give the whole SHA-256 in lower case.")

    @classmethod
    def parse(cls, text: str) -> Digest:
        """Read the written form; raise MalformedDigestError for anything else."""
        if not text.startswith(PREFIX) or not _HEX.fullmatch(text[len(PREFIX) :]):
            msg = f"Expected 'sha256:' and 64 lower-case hexadecimal digits, got {text!r}."
            raise MalformedDigestError(msg, hint="Give the whole SHA-256 in lower case.")
        return cls(text[len(PREFIX) :])

    @classmethod
    def of(cls, content: bytes) -> Digest:
        """Digest these bytes."""
        return cls(hashlib.sha256(content).hexdigest())

    def __str__(self) -> str:
        return PREFIX + self.hex

    def __eq__(self, other: object) -> bool:
        # The whole digest, in constant time: a prefix of it proves nothing.
        return isinstance(other, Digest) and hmac.compare_digest(self.hex, other.hex)

    def __hash__(self) -> int:
        return hash(self.hex)


def digest_text(text: str) -> Digest | None:
    """SHA-256 of the text's UTF-8 bytes; None for a text with half a character, which has none."""
    try:
        return Digest.of(text.encode("utf-8"))
    except UnicodeEncodeError:
        return None
