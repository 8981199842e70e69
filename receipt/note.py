"""Signed notes (C2SP signed-note v1.0): a text, and signature lines below it.

Lines of unknown keys are ignored, so that a second key or a witness can sign beside the first; a
line of a known key that does not verify refuses the whole note.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.errors import MalformedNoteError, NoteSignatureError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Signature types: Ed25519 over the text, and the timestamped Ed25519 of a witness.
ED25519 = 0x01
COSIGNATURE = 0x04
MAX_SIGNATURES = 64
MAX_NOTE_BYTES = 1 << 20
_NAME = re.compile(r"[^\s+]+")
_LINE = re.compile(r"— (?P<name>[^\s+]+) (?P<signature>[A-Za-z0-9+/]+={0,2})")
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
    """A text (it ends in a newline) and the signatures below it, none of them checked."""

    text: str
    signatures: tuple[Signature, ...]


class NoteKey(Protocol):
    """A public key that checks signature lines of its name and number."""

    @property
    def name(self) -> str:
        """Under which name it signs."""

    @property
    def key_id(self) -> bytes:
        """Four bytes that stand before each of its signatures."""

    def verify(self, text: str, content: bytes) -> bool:
        """Whether ``content`` (a line's bytes after the key's number) signs the text."""


def make_key_id(name: str, kind: int, public_key: bytes) -> bytes:
    """The number of a key: the first four bytes of SHA-256(name, newline, type, key)."""
    return hashlib.sha256(name.encode("utf-8") + b"\n" + bytes([kind]) + public_key).digest()[:4]


def write_note(text: str, signatures: Iterable[Signature]) -> str:
    """The note; ValueError for a text or a name that cannot stand in one."""
    if not text.endswith("\n") or _CONTROL.search(text):
        msg = "Expected a text that ends in a newline and has no other control character."
        raise ValueError(msg)
    lines = []
    for each in signatures:
        if not _NAME.fullmatch(each.name) or len(each.key_id) != 4:
            msg = f"Expected a key's name without white space or plus, got {each.name!r}."
            raise ValueError(msg)
        content = base64.b64encode(each.key_id + each.content).decode("ascii")
        lines.append(f"— {each.name} {content}\n")
    return f"{text}\n{''.join(lines)}"


def parse_note(raw: str) -> Note:
    """Read a note; raise MalformedNoteError for anything that is none. Nothing is verified."""
    if len(raw) > MAX_NOTE_BYTES:
        raise MalformedNoteError(
            f"Expected a note of at most {MAX_NOTE_BYTES} characters, got {len(raw)}.", hint=_HINT
        )
    text, found, below = raw.rpartition("\n\n")
    if not found or not text or not below.endswith("\n") or _CONTROL.search(raw):
        msg = "Expected a text, an empty line and signature lines, got something else."
        raise MalformedNoteError(msg, hint=_HINT)
    lines = below[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        msg = f"Expected at most {MAX_SIGNATURES} signature lines, got {len(lines)}."
        raise MalformedNoteError(msg, hint=_HINT)
    return Note(text=text + "\n", signatures=tuple(_parse_line(line) for line in lines))


def check_note(note: Note, keys: Iterable[NoteKey]) -> tuple[NoteKey, ...]:
    """The keys that signed the note, each once, in the order of its lines.

    Raises NoteSignatureError where a line of one of the keys does not verify, or none is of them.
    """
    known = {(key.name, key.key_id): key for key in keys}
    signers: dict[tuple[str, bytes], NoteKey] = {}
    for line in note.signatures:
        key = known.get((line.name, line.key_id))
        if key is None:
            continue
        if not key.verify(note.text, line.content):
            msg = f"Expected a signature of {line.name!r} over the note, got one that is not."
            raise NoteSignatureError(msg, hint=_HINT)
        signers[line.name, line.key_id] = key
    if not signers:
        names = ", ".join(repr(name) for name, _ in known) or "no key"
        msg = f"Expected a signature by one of {names}, got none."
        raise NoteSignatureError(msg, hint="Use the trust file of the log that issued it.")
    return tuple(signers.values())


def _parse_line(line: str) -> Signature:
    found = _LINE.fullmatch(line)
    try:
        content = base64.b64decode(found["signature"], validate=True) if found else b""
    except binascii.Error:
        content = b""
    if found is None or len(content) <= 4:
        msg = "Expected a signature line '— NAME BASE64', got another line."
        raise MalformedNoteError(msg, hint=_HINT)
    return Signature(name=found["name"], key_id=content[:4], content=content[4:])
