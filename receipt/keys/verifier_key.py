"""Verifier keys (C2SP signed-note, "vkey"): ``<name>+<key id in hex>+<base64 of type and key>``."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass

from spanproof.core.errors import MalformedTrustError
from spanproof.core.json_reader.base64_text import decode_base64, encode_base64
from spanproof.receipt.forms.signed_note import ED25519, is_key_name, make_key_id
from spanproof.receipt.keys.signing_keys import LogKey

MAX_VKEY_CHARACTERS = 8192
#: Neither the number nor the name has a plus; the standard alphabet of the key does.
_VKEY = re.compile(r"(?P<name>[^\s+]+)\+(?P<key_id>[0-9a-f]{8})\+(?P<key>[A-Za-z0-9+/]+={0,2})")
_HINT = "Copy the whole line that the log or the witness prints."


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierKey:
    """A public key as a note names it: the signer's name, the signature type, the key's bytes."""

    name: str
    kind: int
    public_key: bytes

    @property
    def key_id(self) -> bytes:
        """The number in signature lines."""
        return make_key_id(self.name, self.kind, self.public_key)

    def __str__(self) -> str:
        return (
            f"{self.name}+{self.key_id.hex()}+{encode_base64(bytes([self.kind]) + self.public_key)}"
        )


def parse_verifier_key(text: str) -> VerifierKey:
    """Read a vkey of any type; raise MalformedTrustError for anything else.

    The number must be the one that the name, the type and the key come to: signed-note recommends
    it, tlog-cosignature demands it, and a key of another is a slip of the hand or worse.
    """
    found = _VKEY.fullmatch(text) if len(text) <= MAX_VKEY_CHARACTERS else None
    content = decode_base64(found["key"]) if found else None
    if found is None or content is None or len(content) < 2 or not is_key_name(found["name"]):
        msg = f"Expected a verifier key NAME+HEX+BASE64, got {text[:200]!r}."
        raise MalformedTrustError(msg, hint=_HINT)
    key = VerifierKey(name=found["name"], kind=content[0], public_key=content[1:])
    if not hmac.compare_digest(key.key_id, bytes.fromhex(found["key_id"])):
        msg = f"Expected the number {key.key_id.hex()} of this key, got {found['key_id']}."
        raise MalformedTrustError(msg, hint=_HINT)
    return key


def require_ed25519(key: VerifierKey, kind: int, role: str) -> bytes:
    """The 32 bytes of a key of the type that its role needs; raise MalformedTrustError for none."""
    if key.kind != kind or len(key.public_key) != 32:
        msg = (
            f"Expected an Ed25519 key of type 0x{kind:02x} for a {role}, got "
            f"{len(key.public_key)} bytes of type 0x{key.kind:02x} for {key.name!r}."
        )
        raise MalformedTrustError(msg, hint=f"Give the {role}'s own verifier key.")
    return key.public_key


def parse_log_key(text: str) -> LogKey:
    """Read the vkey of a log (type 0x01); raise MalformedTrustError for anything else."""
    key = parse_verifier_key(text)
    return LogKey(require_ed25519(key, ED25519, "log"), key.name)


def format_log_key(key: LogKey) -> str:
    """The vkey of a log."""
    return str(VerifierKey(name=key.name, kind=ED25519, public_key=key.public_key))
