"""Signed notes (C2SP signed-note v1.0): a text, and signature lines below it.

Lines of unknown keys are ignored, so that a second key or a witness can sign beside the first; a
line of a known key that does not verify refuses the whole note.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from spanproof.core.errors import MalformedNoteError, NoteSignatureError
from spanproof.core.json_reader.base64_text import decode_base64, encode_base64

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Signature types: Ed25519 over the text, and the timestamped Ed25519 of a witness.
ED25519 = 0x01
COSIGNATURE = 0x04
MAX_SIGNATURES = 64
#: More than 64 signatures of the longest kind (ML-DSA-44: 2.5 kB) need.
MAX_NOTE_BYTES = 1 << 20
#: ``\s`` is every white space of Unicode, and a few controls more.
_NAME = re.compile(r"[^\s+]+")
_LINE = re.compile(r"— (?P<name>[^\s+]+) (?P<signature>[A-Za-z0-9+/]+={0,2})")
#: The controls of ASCII but the newline.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_HINT = "Give the note as the log served it, byte for byte."


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A signature line: the key's name, its number, and the bytes of its type."""

    name: str
    key_id: bytes
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A text (it ends in a newline) and the unchecked signatures below it."""

    text: str
    signatures: tuple[Signature, ...]


class NoteKey(Protocol):
    """A public key that checks signature lines of its name and number."""

    @property
    def name(self) -> str:
        """Under which name it signs."""

    @property
    def key_id(self) -> bytes:
        """Four bytes that appear before each of its signatures."""

    def verify(self, text: str, content: bytes) -> bool:
        """Whether ``content`` (a line's bytes after the key's number) signs the text."""


K = TypeVar("K", bound=NoteKey)


def hash_key(name: str, kind: int, public_key: bytes) -> bytes:
    """SHA-256(name, newline, type, key); a key's number is its beginning."""
    return hashlib.sha256(name.encode("utf-8") + b"\n" + bytes([kind]) + public_key).digest()


def make_key_id(name: str, kind: int, public_key: bytes) -> bytes:
    """The number of a key in signature lines: four bytes of its hash."""
    return hash_key(name, kind, public_key)[:4]


def is_key_name(name: str) -> bool:
    """Whether a key can have this name: not empty, no white space, no plus, no control."""
    return bool(_NAME.fullmatch(name)) and not _CONTROL.search(name) and _is_unicode(name)


def write_line(signature: Signature) -> str:
    """A signature line with its newline; ValueError for one that cannot appear in a note."""
    if not is_key_name(signature.name):
        msg = f"Expected a key's name without white space or plus, got {signature.name!r}."
        raise ValueError(msg)
    if len(signature.key_id) != 4 or not signature.content:
        msg = f"Expected a key's number of four bytes and a signature, got {signature!r}."
        raise ValueError(msg)
    return f"— {signature.name} {encode_base64(signature.key_id + signature.content)}\n"


def write_note(text: str, signatures: Iterable[Signature]) -> str:
    """The note; ValueError for a text or signatures that cannot appear in one."""
    if not text.endswith("\n") or _CONTROL.search(text) or not _is_unicode(text):
        msg = "Expected a text that ends in a newline and has no other control character."
        raise ValueError(msg)
    lines = [write_line(each) for each in signatures]
    if not 0 < len(lines) <= MAX_SIGNATURES:
        msg = f"Expected 1 to {MAX_SIGNATURES} signatures, got {len(lines)}."
        raise ValueError(msg)
    return f"{text}\n{''.join(lines)}"


def parse_note(raw: str | bytes) -> Note:
    """Read a note; raise MalformedNoteError for anything else. Nothing is verified.

    The text ends at the last empty line: what appears above may hold empty lines of its own.
    """
    if len(raw) > MAX_NOTE_BYTES:
        msg = f"Expected a note of at most {MAX_NOTE_BYTES} bytes, got {len(raw)}."
        raise MalformedNoteError(msg, hint=_HINT)
    try:
        # Text from elsewhere may hold half a surrogate pair, which no UTF-8 has.
        whole = raw.decode("utf-8") if isinstance(raw, bytes) else raw.encode("utf-8").decode()
    except UnicodeError as error:
        msg = "Expected a note in UTF-8, got other bytes."
        raise MalformedNoteError(msg, hint=_HINT) from error
    text, found, below = whole.rpartition("\n\n")
    if not found or not below.endswith("\n") or _CONTROL.search(whole):
        msg = "Expected a text, an empty line and signature lines, got something else."
        raise MalformedNoteError(msg, hint=_HINT)
    return Note(text=text + "\n", signatures=parse_lines(below))


def parse_lines(raw: str) -> tuple[Signature, ...]:
    """Read signature lines, each with its newline; raise MalformedNoteError for anything else."""
    lines = raw.split("\n")
    if lines.pop() or not 0 < len(lines) <= MAX_SIGNATURES:
        msg = f"Expected 1 to {MAX_SIGNATURES} signature lines, got {len(lines)}."
        raise MalformedNoteError(msg, hint=_HINT)
    return tuple(_parse_line(line) for line in lines)


def check_note(note: Note, keys: Iterable[K]) -> tuple[K, ...]:
    """The keys that signed the note, each once, in the order of its lines.

    Raises NoteSignatureError where a line of one of the keys does not verify, or none is of them.
    """
    known = tuple(keys)
    signers = tuple(dict.fromkeys(key for key, _ in verify_lines(note, known)))
    if not signers:
        names = ", ".join(dict.fromkeys(repr(key.name) for key in known)) or "no key"
        msg = f"Expected a signature by one of {names}, got none."
        raise NoteSignatureError(msg, hint="Use the trust file of the log that issued it.")
    return signers


def verify_lines(note: Note, keys: Iterable[K]) -> tuple[tuple[K, Signature], ...]:
    """The lines of these keys, each with its key; all others are left out, as unknown.

    Raises NoteSignatureError where a line of one of the keys does not verify.
    """
    known = tuple(keys)
    found = []
    for line in note.signatures:
        # A number is short: two keys may share it with their name, and either may have signed.
        named = [key for key in known if (key.name, key.key_id) == (line.name, line.key_id)]
        signer = next((key for key in named if key.verify(note.text, line.content)), None)
        if signer is not None:
            found.append((signer, line))
        elif named:
            msg = f"Expected a signature of {line.name!r} over the note, got one that is not."
            raise NoteSignatureError(msg, hint=_HINT)
    return tuple(found)


def _parse_line(line: str) -> Signature:
    found = _LINE.fullmatch(line)
    content = decode_base64(found["signature"]) if found else None
    if found is None or content is None or len(content) <= 4:
        msg = "Expected a signature line '— NAME BASE64', got another line."
        raise MalformedNoteError(msg, hint=_HINT)
    return Signature(name=found["name"], key_id=content[:4], content=content[4:])


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
