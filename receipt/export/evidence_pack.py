"""Evidence packs: which files one has, and the signature over that list.

The list is an in-toto statement whose subjects are the files, so that tools that know nothing of us
read it too; the key that signs receipts signs it. A file that is not in the list is as wrong as one
that is not what the list says: so no page can be slipped in beside the evidence.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.errors import EvidenceError, MalformedReceiptError
from spanproof.core.json_reader.json_field import Field
from spanproof.core.json_reader.strict_json import JsonLimits, parse
from spanproof.core.moment import write_short_moment
from spanproof.receipt.forms.dsse import PAYLOAD_TYPE, Envelope, open_envelope

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from spanproof.receipt.check.finding import Findings
    from spanproof.receipt.keys.signing_keys import EntryKey, EntrySigner

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:spanproof:attestation:evidence-pack:v1"
#: The list, to be read by people, and the envelope whose payload has the same bytes.
MANIFEST = "manifest.json"
SEAL = "manifest.dsse.json"
MAX_MANIFEST_BYTES = 1 << 28
MAX_FILES = 2_000_000
#: Names that mean the same on every file system and lead nowhere else.
_PATH = re.compile(r"(?!.*(?:^|/)\.{1,2}(?:/|$))[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*", re.ASCII)
_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
_HINT = "Give the pack as it was exported, with every file in its place."


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a pack holds: its files by path, the verifications that it is about, and since when."""

    files: Mapping[str, Digest]
    verifications: tuple[str, ...]
    origin: str
    made_at: str


def is_pack_path(path: str) -> bool:
    """Whether a file of a pack can be called so."""
    return len(path) <= 512 and _PATH.fullmatch(path) is not None


def write_manifest(
    files: Mapping[str, Digest], *, verifications: Iterable[str], origin: str, made_at: datetime
) -> bytes:
    """The list as it is signed (JCS); ValueError for a path that no pack may have."""
    bad = [path for path in files if not is_pack_path(path) or path in {MANIFEST, SEAL}]
    if bad or not files:
        msg = f"Expected files with plain relative names, got {bad or 'no file'!r}."
        raise ValueError(msg)
    return canonical_json.dumps(
        {
            "_type": STATEMENT_TYPE,
            "subject": [
                {"name": path, "digest": {"sha256": files[path].hex}} for path in sorted(files)
            ],
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "schema_version": 1,
                "time_made": write_short_moment(made_at),
                "log": {"origin": origin},
                "verifications": sorted(verifications),
            },
        }
    )


def seal_manifest(manifest: bytes, signer: EntrySigner) -> bytes:
    """The DSSE envelope around the list, as JSON."""
    envelope = Envelope(payload=manifest, signature=b"")
    return canonical_json.dumps(
        {
            "payload": _encode(manifest),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [
                {"keyid": signer.key_id, "sig": _encode(signer.sign(envelope.encoding))}
            ],
        }
    )


def open_manifest(manifest: bytes, seal: bytes, keys: Iterable[EntryKey]) -> Manifest:
    """The list that one of the keys signed.

    Raises MalformedReceiptError where either file cannot be read, EvidenceError where no trusted
    key signed, or where the signature is over another list.
    """
    envelope, key_id = _parse_seal(seal)
    key = next((each for each in keys if each.key_id == key_id), None)
    if key is None:
        msg = f"Expected a manifest signed by a trusted key, got one of {key_id!r}."
        raise EvidenceError(msg, hint="Use the trust file of the pack's maker.")
    payload = open_envelope(envelope, key)
    if payload != manifest:
        msg = f"Expected {MANIFEST} to be what was signed, got other bytes."
        raise EvidenceError(msg, hint=_HINT)
    return parse_manifest(payload)


def parse_manifest(raw: bytes) -> Manifest:
    """Read a list; raise MalformedReceiptError for anything else. Nothing is verified."""
    statement = _read(raw, "a manifest").fields("_type", "subject", "predicateType", "predicate")
    statement["_type"].literal(STATEMENT_TYPE)
    statement["predicateType"].literal(PREDICATE_TYPE)
    files: dict[str, Digest] = {}
    for subject in statement["subject"].items(least=1, most=MAX_FILES):
        row = subject.fields("name", "digest")
        path = row["name"].text(most=512)
        if not is_pack_path(path) or path in files or path in {MANIFEST, SEAL}:
            row["name"].refuse("a plain relative path, once")
        sha256 = row["digest"].fields("sha256")["sha256"]
        if not _HEX.fullmatch(sha256.text(most=64)):
            sha256.refuse("64 lower-case hexadecimal digits")
        files[path] = Digest(sha256.text(most=64))
    names = ("schema_version", "time_made", "log", "verifications")
    predicate = statement["predicate"].fields(*names)
    predicate["schema_version"].integer(least=1, most=1)
    made_at = predicate["time_made"].moment()
    return Manifest(
        files=files,
        verifications=tuple(
            each.text() for each in predicate["verifications"].items(most=MAX_FILES)
        ),
        origin=predicate["log"].fields("origin")["origin"].text(),
        made_at=write_short_moment(made_at),
    )


def compare_files(
    manifest: Manifest, found: Mapping[str, Digest | None], findings: Findings
) -> None:
    """Compare the files of a pack with its list: missing, changed, and beside it.

    ``found`` has every file of the folder but the list itself; None: it could not be read.
    """
    for path, digest in manifest.files.items():
        if path not in found:
            message = f"Expected a file of {digest}, got none."
            findings.add(code="FILE_MISSING", place=path, message=message)
        elif found[path] != digest:
            message = f"Expected a file of {digest}, got {found[path] or 'one that is unreadable'}."
            findings.add(code="FILE_CHANGED", place=path, message=message)
    for path in sorted(found.keys() - manifest.files.keys()):
        message = "Expected only files that the manifest lists, got this one beside them."
        findings.add(code="FILE_UNLISTED", place=path, message=message)


def _parse_seal(raw: bytes) -> tuple[Envelope, str]:
    fields = _read(raw, "a DSSE envelope").fields("payload", "payloadType", "signatures")
    (line,) = fields["signatures"].items(least=1, most=1)
    signature = line.fields("keyid", "sig")
    envelope = Envelope(
        payload=fields["payload"].base64(most=MAX_MANIFEST_BYTES),
        payload_type=fields["payloadType"].literal(PAYLOAD_TYPE),
        signature=signature["sig"].base64(most=1024),
    )
    return envelope, signature["keyid"].text()


def _read(raw: bytes, what: str) -> Field:
    value: Any = parse(
        raw,
        what=what,
        error=MalformedReceiptError,
        hint=_HINT,
        limits=JsonLimits(max_bytes=2 * MAX_MANIFEST_BYTES, max_values=8 * MAX_FILES),
    )
    return Field(value, MalformedReceiptError, _HINT)


def _encode(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
