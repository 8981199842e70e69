"""The folder of a pack while it is made: staged beside its place, and there only when it is whole.

A reader sees no pack or a whole one: the export writes the files under a temporary name, makes them
durable, and puts them in place with one rename.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import zipfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import OutputError
from spanproof.receipt.export.evidence_pack import is_pack_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

#: The same files give the same archive: its moments say nothing.
_ZIP_MOMENT = (1980, 1, 1, 0, 0, 0)
_FOLDER_MODE = 0o700
_FILE_MODE = 0o600


class PackFolder:
    """Files of a pack by their path, each written once and digested on the way."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[str, Digest] = {}
        self._size = 0

    @property
    def size(self) -> int:
        """How many bytes were written so far."""
        return self._size

    @property
    def files(self) -> dict[str, Digest]:
        """What was written so far, and the digest of each."""
        return dict(self._files)

    def write(self, path: str, content: bytes) -> str:
        """Write a file; ValueError for a name that no pack may have, or that is taken."""
        if not is_pack_path(path) or path in self._files:
            msg = f"Expected a plain relative path that is not taken, got {path!r}."
            raise ValueError(msg)
        target = self._root / path
        target.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        # Evidence holds confidential documents: only its owner reads it.
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        self._files[path] = Digest.of(content)
        self._size += len(content)
        return path

    def write_stream(self, path: str, pieces: Iterable[bytes]) -> str:
        """The same piece by piece, for what is longer than memory."""
        self.write(path, b"")
        hashed = hashlib.sha256()
        with (self._root / path).open("ab") as stream:
            for piece in pieces:
                hashed.update(piece)
                self._size += stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())
        self._files[path] = Digest(hashed.hexdigest())
        return path


@contextmanager
def staged_pack(output: Path, *, is_zip: bool) -> Iterator[PackFolder]:
    """A folder to fill; on the way out it is ``output``, or nothing is left of it.

    Raises OutputError where something of that name is there already, or cannot be written.
    """
    hint = "Name a folder that does not exist yet, on a disk with space."
    if os.path.lexists(output):
        msg = f"Expected no file or folder at {str(output)!r}, got one."
        raise OutputError(msg, hint=hint)
    staging = output.parent / f".{output.name}.{secrets.token_hex(8)}.partial"
    archive = staging.with_suffix(".zip")
    try:
        try:
            staging.mkdir(mode=_FOLDER_MODE)
            folder = PackFolder(staging)
            yield folder
            if is_zip:
                write_zip(archive, staging, sorted(folder.files))
                # Unlike a rename, a link does not take the place of a file that came meanwhile.
                os.link(archive, output)
            else:
                _sync_folders(staging)
                _rename(staging, output)
            _sync(output.parent)
        except OSError as error:
            msg = f"Expected to write {str(output)!r}, got {error.strerror or error!r}."
            raise OutputError(msg, hint=hint) from error
    finally:
        archive.unlink(missing_ok=True)
        shutil.rmtree(staging, ignore_errors=True)


def _rename(staging: Path, output: Path) -> None:
    # An empty folder that came meanwhile would be replaced; any other refuses.
    if os.path.lexists(output):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(output))
    staging.rename(output)


def write_zip(archive: Path, staging: Path, paths: list[str]) -> None:
    """Pack these files of a folder into one, which does not exist yet."""
    descriptor = os.open(archive, os.O_RDWR | os.O_CREAT | os.O_EXCL, _FILE_MODE)
    with os.fdopen(descriptor, "w+b") as stream:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in paths:
                info = zipfile.ZipInfo(path, _ZIP_MOMENT)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = _FILE_MODE << 16
                packed.writestr(info, (staging / path).read_bytes())
        stream.flush()
        os.fsync(stream.fileno())


def _sync_folders(root: Path) -> None:
    for folder in (root, *(path for path in root.rglob("*") if path.is_dir())):
        _sync(folder)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
