"""Blobs in a local folder: durable before they are named, checked when read.

A blob is written under ``staging/``, synchronised, renamed to ``ab/abcd…`` (its SHA-256), and the
folder is synchronised.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import BlobDigestMismatchError, IntegrityError
from spanproof.store.blobs.staging import (
    BLOB_MODE,
    FOLDER_MODE,
    STAGING,
    StagedFile,
    is_intact,
    open_staging,
    sync_path,
    to_blob_path,
    wrapped_disk_errors,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class FolderStagedBlob(StagedFile):
    """Bytes that become a file of the folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / STAGING)
        self._folder = folder
        self._is_kept = False

    def commit(self) -> Digest:
        """Make the bytes a blob that survives a power cut; committing twice does nothing more.

        After a failure there is no second try: what a disk says after a failed synchronisation is
        not to be trusted, so the bytes have to be staged again.
        """
        if self._is_kept:
            return self.digest
        self._check_open()
        target = to_blob_path(self._folder, self.digest)
        try:
            with wrapped_disk_errors("keep a blob"):
                os.fchmod(self._descriptor, BLOB_MODE)
                os.fsync(self._descriptor)
                target.parent.mkdir(mode=FOLDER_MODE, exist_ok=True)
                if is_intact(target, self.digest):
                    # Kept already, perhaps by a process that dies before it synchronises.
                    sync_path(target)
                    self._path.unlink()
                else:
                    self._path.replace(target)
                self._path = target
                sync_path(target.parent)
                sync_path(self._folder)
            self._is_kept = True
        finally:
            self.close()
        return self.digest


class FolderBlobs:
    """The folder of blobs."""

    def __init__(self, folder: Path) -> None:
        """Open the folder, made where it is missing; leftovers of killed processes are removed."""
        self._folder = folder
        with wrapped_disk_errors("open the folder of blobs"):
            open_staging(folder)

    def stage(self) -> FolderStagedBlob:
        """A blob to write; use it in a ``with`` statement."""
        return FolderStagedBlob(self._folder)

    def put(self, content: bytes) -> Digest:
        """Keep these bytes; keeping them twice stores them once."""
        with self.stage() as staged:
            staged.write(content)
            return staged.commit()

    def has(self, digest: Digest) -> bool:
        """Whether a blob of that name is there (its bytes are checked when they are read)."""
        return to_blob_path(self._folder, digest).is_file()

    def check(self, digest: Digest) -> Path:
        """The file of a blob, read once to check its digest; for blobs too large for memory.

        It is never written again, so what was just checked may be mapped or read as a stream.
        """
        path = to_blob_path(self._folder, digest)
        hint = "Restore the blob from a backup."
        with wrapped_disk_errors("read a blob"):
            if not path.is_file():
                msg = f"Expected a blob {digest}, got none."
                raise IntegrityError(msg, hint=hint)
            if not is_intact(path, digest):
                msg = f"Expected a blob {digest}, got other bytes under its name."
                raise BlobDigestMismatchError(msg, hint=hint)
        return path

    def read(self, digest: Digest) -> bytes:
        """The bytes, digested again; raise BlobDigestMismatchError where they are not the same."""
        path = to_blob_path(self._folder, digest)
        hint = "Restore the blob from a backup, or ingest the document again."
        with wrapped_disk_errors("read a blob"):
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
        """Remove a blob for ever, once a leaf of the log says so; whether it was here."""
        path = to_blob_path(self._folder, digest)
        with wrapped_disk_errors("remove a blob"):
            try:
                path.unlink()
            except FileNotFoundError:
                return False
            sync_path(path.parent)
        return True

    def probe(self) -> str:
        """That blobs can be written, in words; raise StoreUnavailableError where they cannot."""
        with self.stage() as staged:
            staged.write(b"a probe")
        return "writable"

    def answer(self) -> str:
        """As ``probe``, which costs no more here."""
        return self.probe()

    def forget(self, digests: Iterable[Digest]) -> None:
        """Do nothing: there are no copies beside the blobs."""

    def forget_all(self) -> None:
        """Do nothing: there are no copies beside the blobs."""

    def close(self) -> None:
        """Nothing: no connection is open."""
