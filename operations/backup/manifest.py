"""What a backup holds: every file with its digest, and how each tenant's store stood.

The manifest is written last, so a backup that was cut off has none. Its signature (DSSE, by the
key that signs receipts) stands beside it; a home without keys has nothing to sign with.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError
from spanproof.core.json_reader.base64_text import decode_base64, encode_base64
from spanproof.core.json_reader.object_reader import load_json
from spanproof.operations.errors import BackupRefusedError
from spanproof.receipt.forms.dsse import encode
from spanproof.store.blobs.staging import sync_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from spanproof.receipt.keys.signing_keys import EntryKey, EntrySigner

FORMAT = "spanproof-backup-1"
PAYLOAD_TYPE = "application/vnd.spanproof.backup+json"
MANIFEST = "manifest.json"
SIGNATURE = "manifest.sig.json"
#: The folders of a backup: files of the home, and objects of an object store.
HOME, OBJECTS = "home", "objects"
#: The dump of a PostgreSQL database.
DUMP = "database.pgdump"
_HINT = "Take another backup: this one is cut off or was changed."


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupFile:
    """A file of a backup, by its path within it."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPosition:
    """How a log stood: its newest head, and the largest that a witness had cosigned, if any."""

    origin: str
    size: int
    root: str
    cosigned_size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantState:
    """A tenant's store as it was backed up: rows by table, and its log if it had one."""

    name: str
    rows: dict[str, int]
    log: LogPosition | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A backup's content; ``made_at`` is when the databases were read."""

    made_at: str
    version: str
    database: str
    has_objects: bool
    tenants: tuple[TenantState, ...]
    files: tuple[BackupFile, ...]

    def to_bytes(self) -> bytes:
        """The file, and what its signature covers."""
        return json.dumps({"format": FORMAT} | asdict(self), indent=1).encode("ascii") + b"\n"

    @property
    def total_bytes(self) -> int:
        """The size of all files."""
        return sum(each.bytes for each in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedManifest:
    """A manifest as it was read: its bytes' digest, and who signed it (None: nobody)."""

    manifest: Manifest
    digest: Digest
    key_id: str | None
    signature: bytes
    raw: bytes

    def is_signed_by(self, keys: Mapping[str, EntryKey]) -> bool:
        """Whether one of these keys made the signature."""
        key = keys.get(self.key_id or "")
        return key is not None and key.verify(encode(PAYLOAD_TYPE, self.raw), self.signature)


def write_manifest(folder: Path, manifest: Manifest, key: EntrySigner | None) -> Digest:
    """Write the manifest and its signature, durable on return; the manifest's digest."""
    raw = manifest.to_bytes()
    if key is not None:
        signature = encode_base64(key.sign(encode(PAYLOAD_TYPE, raw)))
        _write(folder / SIGNATURE, _to_json({"key_id": key.key_id, "signature": signature}))
    _write(folder / MANIFEST, raw)
    sync_path(folder)
    return Digest.of(raw)


def read_manifest(folder: Path) -> SignedManifest:
    """Read both; raise BackupRefusedError for anything but a whole backup's manifest."""
    try:
        raw = (folder / MANIFEST).read_bytes()
    except OSError as error:
        msg = f"Expected a whole backup in {str(folder)!r}, got no {MANIFEST} ({error.strerror})."
        raise BackupRefusedError(msg, hint=_HINT) from error
    signature = folder / SIGNATURE
    try:
        manifest = _parse(dict(load_json(raw)))
        signed = dict(load_json(signature.read_bytes())) if signature.exists() else None
        content = None if signed is None else decode_base64(signed["signature"])
    except (InputError, OSError, KeyError, TypeError, ValueError) as error:
        msg = f"Expected a manifest of the format {FORMAT}, got another file ({error!r})."
        raise BackupRefusedError(msg, hint=_HINT) from error
    return SignedManifest(
        manifest=manifest,
        digest=Digest.of(raw),
        key_id=None if signed is None else str(signed["key_id"]),
        signature=content or b"",
        raw=raw,
    )


def list_files(folder: Path) -> Iterator[str]:
    """The paths of all files of a backup but the manifest and its signature."""
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(where, name), folder)  # noqa: PTH118 - as os.walk
            if path not in {MANIFEST, SIGNATURE}:
                yield path


def _parse(value: dict[str, Any]) -> Manifest:
    if value.pop("format") != FORMAT:
        msg = "another format"
        raise ValueError(msg)
    tenants = tuple(
        TenantState(**{**each, "log": each["log"] and LogPosition(**each["log"])})
        for each in value.pop("tenants")
    )
    files = tuple(BackupFile(**each) for each in value.pop("files"))
    for each in files:
        path = PurePosixPath(each.path)
        if path.is_absolute() or ".." in path.parts:
            msg = f"a path that leads out of the backup, {each.path!r}"
            raise ValueError(msg)
    return Manifest(tenants=tenants, files=files, **value)


def _to_json(value: dict[str, str]) -> bytes:
    return json.dumps(value, indent=1).encode("ascii") + b"\n"


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
