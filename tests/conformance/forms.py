"""Forms: canonical JSON (RFC 8785), DSSE's encoding, the examples of C2SP's specifications."""

from __future__ import annotations

import base64
import json
import re
from functools import partial
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from spanproof.core import canonical_json
from spanproof.receipt.forms.checkpoint_note import format_checkpoint, parse_checkpoint
from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.forms.signed_note import check_note, parse_note, write_note
from spanproof.receipt.keys.signing_keys import EntryKey, LocalEntryKey
from spanproof.receipt.keys.verifier_key import parse_log_key
from tests.conformance.vectors import Vector, VectorSet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JCS = "jcs-rfc8785"
DSSE = "dsse"
C2SP = "c2sp-specs"
_VKEY = re.compile(r"^ *(\S+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: In a block that was shortened for the page.
_LEFT_OUT = "[...]"


def load_jcs(folder: Path) -> Iterator[VectorSet]:
    """Each input becomes the output, byte for byte."""
    inputs = sorted((folder / "testdata" / "input").glob("*.json"))
    yield VectorSet(
        folder=JCS,
        question="canonical JSON",
        ours="spanproof.core.canonical_json.dumps",
        vectors=tuple(
            Vector(name=path.name, comes_out=partial(_is_canonical, path)) for path in inputs
        ),
    )


def load_dsse(folder: Path) -> Iterator[VectorSet]:
    """The one vector of the protocol: encoding, signature, and the same signature made anew."""
    raw = json.loads((folder / "vector.json").read_text(encoding="utf-8"))
    content = base64.b64decode(raw["envelope"]["signatures"][0]["sig"])
    envelope = Envelope(
        payload=base64.b64decode(raw["envelope"]["payload"]),
        payload_type=raw["envelope"]["payloadType"],
        # The protocol's example has the two numbers as they are; ours are in DER.
        signature=encode_dss_signature(
            int.from_bytes(content[:32], "big"), int.from_bytes(content[32:], "big")
        ),
    )
    key = LocalEntryKey(ec.derive_private_key(int(raw["d"]), ec.SECP256R1()))
    yield VectorSet(
        folder=DSSE,
        question="encoding, verification, deterministic signature",
        ours="spanproof.receipt.forms.dsse.Envelope, spanproof.receipt.keys.signing_keys",
        vectors=(
            Vector(name="encoding", comes_out=lambda: envelope.encoding == raw["pae"].encode()),
            Vector(
                name="verification",
                comes_out=lambda: EntryKey(key.public_key).verify(
                    envelope.encoding, envelope.signature
                ),
            ),
            Vector(
                name="signature",
                comes_out=lambda: key.sign(envelope.encoding) == envelope.signature,
            ),
        ),
    )


def load_c2sp(folder: Path) -> Iterator[VectorSet]:
    """Notes in the specifications, read and written back; the one whose key is named, verified."""
    notes = {
        f"{path.name}, block {number}": text
        for path in sorted(folder.glob("*.md"))
        for number, text in enumerate(_BLOCK.findall(path.read_text(encoding="utf-8")), 1)
        if "\n\n— " in text and _LEFT_OUT not in text
    }
    yield VectorSet(
        folder=C2SP,
        question="notes and checkpoints in the specifications",
        ours="spanproof.receipt.forms.signed_note, spanproof.receipt.forms.checkpoint_note",
        vectors=tuple(
            Vector(name=name, comes_out=partial(_is_read, text)) for name, text in notes.items()
        ),
    )
    page = (folder / "signed-note.md").read_text(encoding="utf-8")
    (vkey,) = _VKEY.findall(page)
    yield VectorSet(
        folder=C2SP,
        question="the signed note whose key is named",
        ours="spanproof.receipt.forms.signed_note.check_note",
        vectors=tuple(
            Vector(name=name, comes_out=partial(_is_signed, text, vkey))
            for name, text in notes.items()
            if f"— {vkey.partition('+')[0]} " in text
        ),
    )


def _is_canonical(path: Path) -> bool:
    expected = path.parent.parent / "output" / path.name
    value = json.loads(path.read_text(encoding="utf-8"))
    return canonical_json.dumps(value) == expected.read_bytes().rstrip(b"\n")


def _is_read(text: str) -> bool:
    note = parse_note(text)
    written = write_note(note.text, note.signatures) == text
    lines = note.text.split("\n")
    if len(lines) == 4 and lines[1].isdigit():
        return written and format_checkpoint(parse_checkpoint(note.text)) == note.text
    return written


def _is_signed(text: str, vkey: str) -> bool:
    return bool(check_note(parse_note(text), [parse_log_key(vkey)]))
