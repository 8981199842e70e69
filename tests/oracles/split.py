"""Take a receipt apart into the files that openssl reads; nothing but Python's standard library.

    python3 split.py RECEIPT.sigstore.json VKEYS FOLDER

VKEYS holds the log's keys, NAME+HASH+KEY, a line each. Written are ``pae.bin`` and ``pae.sig``
(what the issuer signed, and the signature: ECDSA, DER), ``payload.json``, ``entry.json`` (the
leaf), ``note.txt`` and ``note.sig`` (the checkpoint, and the log's Ed25519 signature, 64 bytes). It
checks nothing: that is left to openssl.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path


def split(raw: bytes, vkeys: str) -> dict[str, bytes]:
    """The files by name; ValueError, KeyError or TypeError for what is no receipt of this log."""
    bundle = json.loads(raw)
    envelope = bundle["dsseEnvelope"]
    (signature,) = envelope["signatures"]
    (entry,) = bundle["verificationMaterial"]["tlogEntries"]
    payload = _decode(envelope["payload"])
    kind = envelope["payloadType"].encode("utf-8")
    text, line = _split_note(entry["inclusionProof"]["checkpoint"]["envelope"], vkeys)
    return {
        # DSSE v1.0.2: both lengths count bytes.
        "pae.bin": b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload),
        "pae.sig": _decode(signature["sig"]),
        "payload.json": payload,
        "entry.json": _decode(entry["canonicalizedBody"]),
        "note.txt": text.encode("utf-8"),
        "note.sig": line,
    }


def _split_note(note: str, vkeys: str) -> tuple[str, bytes]:
    """The signed text, and the first signature by a key that was given."""
    text, found, lines = note.rpartition("\n\n")
    known = {tuple(vkey.split("+", 2)[:2]) for vkey in vkeys.split()}
    for line in lines.split("\n") if found else ():
        name, _, signature = line.removeprefix("— ").partition(" ")
        content = _decode(signature)
        if (name, content[:4].hex()) in known:
            return text + "\n", content[4:]
    msg = f"Expected a signature below the checkpoint by one of {sorted(known)}, got none."
    raise ValueError(msg)


def _decode(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


if __name__ == "__main__":
    receipt, key, folder = sys.argv[1:]
    parts = split(Path(receipt).read_bytes(), Path(key).read_text(encoding="utf-8"))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for filename, content in parts.items():
        (Path(folder) / filename).write_bytes(content)
