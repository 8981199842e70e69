"""What jobs were given, where the hosts of a service share an object store and no folder.

Each input is a file on the host that took it in, and two objects: one with its digest and time, one
with its bytes. Another host that runs the job reads the first, fetches the second and compares
them.
"""

from __future__ import annotations

import hashlib
import re
import time
from typing import TYPE_CHECKING, BinaryIO

from spanproof.core.errors import IntegrityError
from spanproof.operations.jobs.inputs import JobInputs, is_input_name
from spanproof.store.blobs.staging import StagedFile, open_staging, wrapped_disk_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from spanproof.store.blobs.object_folder import ObjectFolder

#: Below the address of the blobs; the same place as in a home.
PREFIX = "jobs/inputs"
_MARK = re.compile(rb"([0-9a-f]{64}) ([0-9]{1,12}) ([0-9]{1,15})\n", re.ASCII)
_MARK_BYTES = 128
_SENT_AGAIN = "Send it again: what the job was given is gone."


class ObjectJobInputs(JobInputs):
    """The inputs of one tenant's jobs, seen by every host."""

    def __init__(
        self, folder: Path, objects: ObjectFolder, tenant: str, *, most_bytes: int
    ) -> None:
        super().__init__(folder, most_bytes=most_bytes)
        self._objects = objects
        self._prefix = f"{PREFIX}/{tenant}"

    def path(self, name: str) -> Path:
        """The file of that name, fetched where it came in on another host.

        Raises IntegrityError for an input that is foreign, missing or changed.
        """
        target = self._folder / name
        if is_input_name(name) and not target.is_file():
            self._fetch(name, target)
        return super().path(name)

    def remove(self, name: str) -> None:
        """Remove an input here and in the store; a missing input is no error."""
        super().remove(name)
        if is_input_name(name):
            # The mark goes last: without it no sweep would look for the bytes.
            self._objects.delete(self._key(name))
            self._objects.delete(self._key(name, mark=True))

    def list_names(self) -> tuple[str, ...]:
        """The inputs that are here or in the store."""
        listed = (each.removesuffix(".mark") for each in self._objects.list(self._prefix))
        return tuple(sorted({*super().list_names(), *filter(is_input_name, listed)}))

    def replace(self, name: str, content: bytes) -> None:
        """The same here and in the store: the mark goes first, so that no half is taken."""
        super().replace(name, content)
        self._objects.delete(self._key(name, mark=True))
        self._objects.delete(self._key(name))
        self._share(name, len(content))

    def sweep(self, seconds: float, find_named: Callable[[Sequence[str]], frozenset[str]]) -> None:
        """Remove inputs older than this that no job names, here and in the store."""
        super().sweep(seconds, find_named)
        listed = self._objects.list(self._prefix)
        names = [each.removesuffix(".mark") for each in listed if each.endswith(".mark")]
        named = find_named(names) if names else frozenset()
        for name in names:
            if name not in named:
                mark = self._read_mark(name)
                if mark is None or time.time() - mark[1] > seconds:
                    self.remove(name)

    def _add(self, size: int, write: Callable[[BinaryIO], object]) -> str:
        name = super()._add(size, write)
        try:
            self._share(name, size)
        except BaseException:
            (self._folder / name).unlink(missing_ok=True)
            raise
        return name

    def _share(self, name: str, size: int) -> None:
        path = self._folder / name
        with wrapped_disk_errors("read a job's input"), path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        mark = f"{digest} {int(time.time())} {size}\n".encode()
        self._upload(mark, self._key(name, mark=True))
        self._objects.upload(path, self._key(name), size)

    def _upload(self, content: bytes, key: str) -> None:
        with StagedFile(self._open_staging()) as staged:
            staged.write(content)
            self._objects.upload(staged.path, key, staged.size)

    def _fetch(self, name: str, target: Path) -> None:
        mark = self._read_mark(name)
        if mark is None:
            return
        digest, _, size = mark
        with StagedFile(self._open_staging()) as staged:
            try:
                for part in self._objects.read_parts(self._key(name), size):
                    staged.write(part)
            except FileNotFoundError:
                return
            if staged.digest.hex != digest:
                msg = f"Expected the input {name!r} of a job as it came, got other bytes."
                raise IntegrityError(msg, hint=_SENT_AGAIN)
            with wrapped_disk_errors("keep a job's input"):
                staged.path.rename(target)

    def _read_mark(self, name: str) -> tuple[str, int, int] | None:
        try:
            parts = self._objects.read_parts(self._key(name, mark=True), _MARK_BYTES)
            content = b"".join(parts)
        except FileNotFoundError:
            return None
        found = _MARK.fullmatch(content)
        return None if found is None else (found[1].decode(), int(found[2]), int(found[3]))

    def _open_staging(self) -> Path:
        folder = self._folder.parent.parent / "staged-inputs"
        with wrapped_disk_errors("make the folder of jobs' inputs"):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            open_staging(folder)
        return folder / "staging"

    def _key(self, name: str, *, mark: bool = False) -> str:
        return f"{self._prefix}/{name}.mark" if mark else f"{self._prefix}/{name}"
