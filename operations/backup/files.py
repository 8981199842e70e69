"""The files of a backup: which of a home go into it, copied and digested, and compared again."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from spanproof.operations.backup.manifest import HOME, BackupFile, list_files
from spanproof.operations.errors import BackupRefusedError
from spanproof.store.model_cache import FILE_NAME as READINGS
from spanproof.store.sealing.content_keys import FILE_NAME as CONTENT_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from spanproof.operations.backup.manifest import Manifest

_CHUNK_BYTES = 1 << 20
_FOLDER_MODE = 0o700
#: The databases of a home, and the files that SQLite keeps beside them.
DATABASES = ("spanproof.db", "jobs/jobs.db")
_BESIDE = ("-wal", "-shm", "-journal")
#: Folders of a home that another home makes anew: copies, what is being written, locks of
#: processes. And a witness: one that was set back could cosign a second history.
_LEFT_FOLDERS = frozenset({"blob-copies", "blobs/staging", "log/processes", "witness"})
#: The mark must not go back with the log that it guards.
_LEFT_FILES = frozenset({"log/mark"})
_HINT = "Take the backup again, or copy it here again: it is cut off or was changed."


def list_home(home: Path) -> Iterator[str]:
    """The files of a home, those of its tenants too, that a backup copies one by one."""
    for where, folders, names in os.walk(home, followlinks=True):
        inner = os.path.relpath(where, home)
        folders[:] = [each for each in folders if not _is_left(_join(inner, each), _LEFT_FOLDERS)]
        for name in names:
            path = _join(inner, name)
            if not name.endswith(".lock") and not _is_left(path, _LEFT_FILES):
                yield path


def copy_file(source: Path, root: Path, path: str, *, mode: int = 0o600) -> BackupFile:
    """Copy a file to ``path`` below a folder, and digest it on the way."""
    target = root / path
    make_private(target.parent)
    found, size = hashlib.sha256(), 0
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    with source.open("rb") as reader, os.fdopen(descriptor, "wb") as writer:
        while chunk := reader.read(_CHUNK_BYTES):
            writer.write(chunk)
            found.update(chunk)
            size += len(chunk)
        writer.flush()
        os.fsync(writer.fileno())
    return BackupFile(path=path, bytes=size, sha256=found.hexdigest())


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for their owner alone."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)


def digest_file(root: Path, path: str) -> BackupFile:
    """The entry of a file that is there."""
    with (root / path).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return BackupFile(path=path, bytes=(root / path).stat().st_size, sha256=digest)


def check_files(folder: Path, manifest: Manifest) -> None:
    """Read every file again; raise BackupRefusedError for one that is other, missing or too many.

    With a manifest of a backup that is being made it is read back.
    """
    listed = {each.path for each in manifest.files}
    others = sorted(set(list_files(folder)) - listed)
    if others:
        msg = f"Expected only files that the manifest names, got {others[0]!r}."
        raise BackupRefusedError(msg, hint=_HINT)
    for each in manifest.files:
        try:
            found = digest_file(folder, each.path)
        except OSError as error:
            msg = f"Expected the file {each.path!r}, got {error.strerror}."
            raise BackupRefusedError(msg, hint=_HINT) from error
        require_same(each, found)


def require_same(expected: BackupFile, found: BackupFile) -> None:
    """Raise BackupRefusedError unless a file has the digest of the manifest."""
    if found.sha256 != expected.sha256:
        msg = (
            f"Expected {expected.bytes} bytes of sha256:{expected.sha256} in {expected.path!r}, "
            f"got {found.bytes} bytes of sha256:{found.sha256}."
        )
        raise BackupRefusedError(msg, hint=_HINT)


def files_below(manifest: Manifest, folder: str) -> Iterable[tuple[BackupFile, str]]:
    """The files of one folder of a backup, and their paths within it."""
    start = f"{folder}/"
    return ((f, f.path.removeprefix(start)) for f in manifest.files if f.path.startswith(start))


def stage_home(folder: Path, manifest: Manifest, staged: Path) -> None:
    """Copy the home's files into a folder, each compared with the manifest."""
    for each, path in files_below(manifest, HOME):
        # Blobs are never written again.
        mode = 0o400 if "blobs/" in path else 0o600
        require_same(each, copy_file(folder / each.path, staged, path, mode=mode))


def _is_left(path: str, left: frozenset[str]) -> bool:
    own = _within_home(path)
    # Of the models only the records are ours: weights stand where they were registered.
    is_weights = own.startswith("models/") and not own.startswith("models/registered")
    # The keys of contents stay apart: where they are destroyed, no copy shall have them.
    apart = (*DATABASES, READINGS, CONTENT_KEYS)
    beside = (f"{name}{end}" for name in apart for end in ("", *_BESIDE))
    return own in left or is_weights or own in beside


def _within_home(path: str) -> str:
    """The path within the home of its tenant."""
    parts = path.split("/")
    return "/".join(parts[2:]) if parts[0] == "tenants" and len(parts) > 2 else path


def _join(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"
