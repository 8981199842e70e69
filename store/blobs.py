"""Content-addressed bytes in a local folder: durable before they are named, checked when read.

A blob is written under ``staging/``, synchronised, renamed to ``ab/abcd…`` (its SHA-256), and the
folder is synchronised. Whoever stages holds a lock on the file, so that what a killed process left
behind is told from what another one is writing.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

from core.digest import Digest
from core.errors import BlobDigestMismatchError, IntegrityError
from store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

_STAGING = "staging"
#: Documents are confidential and are never edited.
_FOLDER_MODE = 0o700
_BLOB_MODE = 0o400


class StagedBlob:
    """Bytes on their way in, hashed while they are written; gone unless ``commit`` is called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._hash = hashlib.sha256()
        self._size = 0
        self._is_kept = False
        with _wrapped_errors("stage a blob"):
            self._path, self._descriptor = _create_locked(folder / _STAGING)

    @property
    def digest(self) -> Digest:
        """SHA-256 of what was written so far."""
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
        with _wrapped_errors("write a blob"):
            _write_whole(self._descriptor, chunk)
        self._hash.update(chunk)
        self._size += len(chunk)

    def commit(self) -> Digest:
        """Make the bytes a blob that survives a power cut; committing twice does nothing more.

        After a failure there is no second try: what a disk says after a failed synchronisation is
        not to be trusted, so the bytes have to be staged again.
        """
        if self._is_kept:
            return self.digest
        self._check_open()
        target = _blob_path(self._folder, self.digest)
        try:
            with _wrapped_errors("keep a blob"):
                os.fchmod(self._descriptor, _BLOB_MODE)
                os.fsync(self._descriptor)
                target.parent.mkdir(mode=_FOLDER_MODE, exist_ok=True)
                if _is_intact(target, self.digest):
                    # Kept already, perhaps by a process that dies before it synchronises.
                    _sync(target)
                    self._path.unlink()
                else:
                    self._path.replace(target)
                self._path = target
                _sync(target.parent)
                _sync(self._folder)
            self._is_kept = True
        finally:
            self.close()
        return self.digest

    def close(self) -> None:
        """Let go of the file; uncommitted bytes are removed."""
        if self._descriptor < 0:
            return
        if self._path.parent.name == _STAGING:
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


class Blobs:
    """The folder of blobs."""

    def __init__(self, folder: Path) -> None:
        """Open the folder, made where it is missing; leftovers of killed processes are removed."""
        self._folder = folder
        with _wrapped_errors("open the folder of blobs"):
            (folder / _STAGING).mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
            _sync(folder.parent)
            _sweep(folder / _STAGING)

    def stage(self) -> StagedBlob:
        """A blob to write; use it in a ``with`` statement."""
        return StagedBlob(self._folder)

    def put(self, content: bytes) -> Digest:
        """Keep these bytes; keeping them twice stores them once."""
        with self.stage() as staged:
            staged.write(content)
            return staged.commit()

    def has(self, digest: Digest) -> bool:
        """Whether a blob of that name is there (its bytes are checked when they are read)."""
        return _blob_path(self._folder, digest).is_file()

    def check(self, digest: Digest) -> Path:
        """The file of a blob, read once and digested anew; for what is too large to be held.

        Nobody writes to it again, so what was just checked may be mapped or read as a stream.
        """
        path = _blob_path(self._folder, digest)
        hint = "Restore the blob from a backup."
        with _wrapped_errors("read a blob"):
            if not path.is_file():
                msg = f"Expected a blob {digest}, got none."
                raise IntegrityError(msg, hint=hint)
            if not _is_intact(path, digest):
                msg = f"Expected a blob {digest}, got other bytes under its name."
                raise BlobDigestMismatchError(msg, hint=hint)
        return path

    def read(self, digest: Digest) -> bytes:
        """The bytes, digested anew; raise BlobDigestMismatchError where they are not the same."""
        path = _blob_path(self._folder, digest)
        hint = "Restore the blob from a backup, or ingest the document again."
        with _wrapped_errors("read a blob"):
            try:
                content = path.read_bytes()
            except FileNotFoundError as error:
                msg = f"Expected a blob {digest}, got none."
                raise IntegrityError(msg, hint=hint) from error
        found = Digest.of(content)
        if found != digest:
            msg = f"Expected a blob {digest}, got {len(content)} bytes of {found}."
            raise BlobDigestMismatchError(msg, hint=hint)
        return content

    def remove(self, digest: Digest) -> bool:
        """Take a blob away for good, once a leaf of the log says so; whether it was here."""
        path = _blob_path(self._folder, digest)
        with _wrapped_errors("remove a blob"):
            try:
                path.unlink()
            except FileNotFoundError:
                return False
            _sync(path.parent)
        return True


def _blob_path(folder: Path, digest: Digest) -> Path:
    return folder / digest.hex[:2] / digest.hex


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


def _is_intact(path: Path, digest: Digest) -> bool:
    # A blob that went bad is not kept in preference to the good bytes at hand.
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == digest.hex
    except FileNotFoundError:
        return False


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _wrapped_errors(work: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = f"Expected to {work}, got {error.strerror or type(error).__name__}."
        hint = "Check the disk that holds SPANPROOF_HOME: its space, its permissions, its health."
        raise StoreUnavailableError(msg, hint=hint) from error
