"""Copies of objects on this disk: each digested again when it is used, the oldest dropped first.

A copy is never the only one, so nothing is synchronised here, and one that went bad is dropped.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.store.blobs.staging import (
    BLOB_MODE,
    FOLDER_MODE,
    STAGING,
    is_intact,
    open_staging,
    to_blob_path,
    wrapped_disk_errors,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

#: A caller that just got a file may not have opened it yet.
_USED_SECONDS = 60.0
#: The folder is looked through again when so much of its limit came in.
_LOOK_SHARE = 8


class ObjectCache:
    """The folder of copies. Processes of one home share it, and each keeps it within its limit."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.folder = folder
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        # What the folder held at the last look, and what came in since; None: not looked yet.
        self._held: int | None = None
        self._new = 0
        with wrapped_disk_errors("open the folder of copies"):
            open_staging(folder)

    @property
    def staging(self) -> Path:
        """Where files are written that are to be copies."""
        return self.folder / STAGING

    def read(self, digest: Digest) -> bytes | None:
        """The bytes of a copy, digested again, or None if it is missing or went bad."""
        path = to_blob_path(self.folder, digest)
        with wrapped_disk_errors("read a copy"):
            try:
                content = path.read_bytes()
            except FileNotFoundError:
                return None
        if Digest.of(content) == digest:
            _touch(path)
            return content
        self.drop([digest])
        return None

    def check(self, digest: Digest) -> Path | None:
        """The file of a copy, digested again; None as ``read``."""
        path = to_blob_path(self.folder, digest)
        _touch(path)
        with wrapped_disk_errors("read a copy"):
            if is_intact(path, digest):
                return path
        self.drop([digest])
        return None

    def adopt(self, staged: Path, digest: Digest, size: int) -> Path:
        """Make a staged file, whose bytes were checked, the copy; its new place."""
        path = to_blob_path(self.folder, digest)
        with wrapped_disk_errors("keep a copy"):
            path.parent.mkdir(mode=FOLDER_MODE, exist_ok=True)
            staged.chmod(BLOB_MODE)
            staged.replace(path)
            _touch(path)
            self._make_room(size)
        return path

    def drop(self, digests: Iterable[Digest]) -> None:
        """Remove copies, where there are any."""
        with wrapped_disk_errors("remove a copy"):
            for digest in digests:
                to_blob_path(self.folder, digest).unlink(missing_ok=True)

    def drop_all(self) -> None:
        """Remove every copy."""
        with wrapped_disk_errors("remove a copy"):
            for path in self._list():
                path.unlink(missing_ok=True)

    def _make_room(self, size: int) -> None:
        with self._lock:
            self._new += size
            held = None if self._held is None else self._held + self._new
            is_due = self._new * _LOOK_SHARE > self._max_bytes
            if held is None or held > self._max_bytes or is_due:
                self._held, self._new = self._drop_oldest(), 0

    def _drop_oldest(self) -> int:
        """Drop copies until the rest is within the limit; how many bytes are left."""
        found: list[tuple[float, int, Path]] = []
        for path in self._list():
            with suppress(FileNotFoundError):
                stat = path.stat()
                found.append((stat.st_mtime, stat.st_size, path))
        held = sum(size for _, size, _ in found)
        young = time.time() - _USED_SECONDS
        for used_at, size, path in sorted(found):
            if held <= self._max_bytes or used_at > young:
                break
            path.unlink(missing_ok=True)
            held -= size
        return held

    def _list(self) -> Iterator[Path]:
        for shard in self.folder.iterdir():
            if shard.name != STAGING:
                yield from shard.iterdir()


def _touch(path: Path) -> None:
    # Its time says when it was used. One that is gone was dropped by another process.
    with suppress(FileNotFoundError):
        os.utime(path)
