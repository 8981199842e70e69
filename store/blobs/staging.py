"""Bytes on their way into the blobs: a local file, hashed while it is written.

A writer holds a lock on its file, so that what a killed process left behind is told from what
another one is writing.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

from spanproof.core.digest import Digest
from spanproof.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

#: The name of the folder of what is being written, beside the blobs.
STAGING = "staging"
#: Documents are confidential and are never edited.
FOLDER_MODE = 0o700
BLOB_MODE = 0o400


class StagedFile:
    """Bytes on their way in; gone unless ``commit``, of the classes that have it, is called."""

    def __init__(self, staging: Path) -> None:
        self._staging = staging
        self._hash = hashlib.sha256()
        self._size = 0
        with wrapped_disk_errors("stage a blob"):
            self._path, self._descriptor = _create_locked(staging)

    @property
    def digest(self) -> Digest:
        """SHA-256 of the bytes written so far."""
        return Digest(self._hash.hexdigest())

    @property
    def size(self) -> int:
        """How many bytes were written so far."""
        return self._size

    @property
    def path(self) -> Path:
        """The file that holds the bytes: the staged one, and the blob once committed."""
        return self._path

    def write(self, chunk: bytes) -> None:
        """Add bytes; raise ValueError after ``commit`` or ``close``."""
        self._check_open()
        with wrapped_disk_errors("write a blob"):
            _write_whole(self._descriptor, chunk)
        self._hash.update(chunk)
        self._size += len(chunk)

    def close(self) -> None:
        """Let go of the file; uncommitted bytes are removed."""
        if self._descriptor < 0:
            return
        if self._path.parent == self._staging:
            # What cannot be removed now is swept at the next opening.
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = -1

    def _check_open(self) -> None:
        if self._descriptor < 0:
            msg = "Expected a staged blob that is open, got one that is closed."
            raise ValueError(msg)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def open_staging(folder: Path) -> None:
    """Make the folder of staged files; remove the leftovers of killed processes."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    (folder / STAGING).mkdir(mode=FOLDER_MODE, exist_ok=True)
    sync_path(folder.parent)
    _sweep(folder / STAGING)


def to_blob_path(folder: Path, digest: Digest) -> Path:
    """Where a blob appears in a folder."""
    return folder / digest.hex[:2] / digest.hex


def is_intact(path: Path, digest: Digest) -> bool:
    """Whether a file is there and holds the bytes of its digest."""
    # A blob that went bad is not kept in preference to the good bytes at hand.
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == digest.hex
    except FileNotFoundError:
        return False


def sync_path(path: Path) -> None:
    """Make a file, or the names in a folder, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def wrapped_disk_errors(work: str) -> Iterator[None]:
    """Raise StoreUnavailableError for a failed operation of the disk."""
    try:
        yield
    except OSError as error:
        msg = f"Expected to {work}, got {error.strerror or type(error).__name__}."
        hint = "Check the disk that holds SPANPROOF_HOME: its space, its permissions, its health."
        raise StoreUnavailableError(msg, hint=hint) from error


def _create_locked(staging: Path) -> tuple[Path, int]:
    while True:
        path = staging / secrets.token_hex(16)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return path, descriptor
        except OSError:
            os.close(descriptor)
            raise
        # A sweep came between the creation and the lock: begin again under another name.
        os.close(descriptor)


def _sweep(staging: Path) -> None:
    for path in staging.iterdir():
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, PermissionError):
            # Committed meanwhile, or another user's: not ours to remove.
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
        except BlockingIOError:
            pass  # Its writer lives.
        finally:
            os.close(descriptor)


def _write_whole(descriptor: int, chunk: bytes) -> None:
    rest = memoryview(chunk)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
