"""What jobs made, where the hosts of a service share an object store and no folder.

Each file is an object named by its SHA-256, and the list of a job's files is one more, written last
and in one piece: two hosts that ran the same job, one mistaken for dead, spoil nothing of each
other's. The host that serves the result fetches missing files and compares them with the list.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import IntegrityError
from spanproof.operations.jobs.outputs import JobOutputs, is_output_name
from spanproof.store.blobs.staging import StagedFile, open_staging, wrapped_disk_errors

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store.blobs.object_folder import ObjectFolder

#: Below the address of the blobs; the same place as in a home.
PREFIX = "jobs/outputs"
_LIST = "list"
_WORK = "keep what a job made"
#: A list of 100,000 files: more than any job makes.
_LIST_BYTES = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    name: str
    sha256: str
    size: int


class ObjectJobOutputs(JobOutputs):
    """What one tenant's jobs made, seen by every host."""

    def __init__(self, folder: Path, objects: ObjectFolder, tenant: str) -> None:
        super().__init__(folder)
        self._objects = objects
        self._prefix = f"{PREFIX}/{tenant}"

    def share(self, job_id: str) -> None:
        """Upload the files that are not there yet, then their list."""
        files: list[_File] = []
        folder = self.path(job_id)
        with wrapped_disk_errors(_WORK):
            paths = sorted(each for each in folder.glob("*/*") if each.is_file())
        for path in paths:
            name = path.relative_to(folder).as_posix()
            if is_output_name(name):
                with wrapped_disk_errors(_WORK):
                    file = _File(name=name, sha256=_digest(path), size=path.stat().st_size)
                if self._objects.size_of(self._key(job_id, file.sha256)) != file.size:
                    self._objects.upload(path, self._key(job_id, file.sha256), file.size)
                files.append(file)
        listed = [[file.name, file.sha256, file.size] for file in files]
        content = json.dumps(listed).encode()
        with StagedFile(self._open_staging()) as staged:
            staged.write(content)
            self._objects.upload(staged.path, self._key(job_id, _LIST), len(content))

    def list_files(self, job_id: str, folder: str) -> tuple[Path, ...]:
        """The files on the list, fetched where this host lacks one or has another of that name."""
        files = self._read_list(job_id)
        if files is None:
            # Made before there was an object store.
            return super().list_files(job_id, folder)
        return tuple(
            self._fetch(job_id, file)
            for file in sorted(files, key=lambda each: each.name)
            if file.name.startswith(f"{folder}/")
        )

    def remove(self, job_id: str) -> None:
        """Remove a job's output, here and in the store."""
        super().remove(job_id)
        names = self._objects.list(f"{self._prefix}/{job_id}")
        # The list last: as long as it is there, a removal that was cut off is known.
        for name in sorted(names, key=lambda each: each == _LIST):
            self._objects.delete(self._key(job_id, name))

    def _fetch(self, job_id: str, file: _File) -> Path:
        target = self.path(job_id) / file.name
        with wrapped_disk_errors(_WORK):
            if target.is_file() and _digest(target) == file.sha256:
                return target
        with StagedFile(self._open_staging()) as staged:
            try:
                for part in self._objects.read_parts(self._key(job_id, file.sha256), file.size):
                    staged.write(part)
            except FileNotFoundError as error:
                raise _damaged(file) from error
            if staged.digest.hex != file.sha256:
                raise _damaged(file)
            with wrapped_disk_errors(_WORK):
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                staged.path.rename(target)
        return target

    def _read_list(self, job_id: str) -> list[_File] | None:
        try:
            parts = self._objects.read_parts(self._key(job_id, _LIST), _LIST_BYTES)
            content = b"".join(parts)
        except FileNotFoundError:
            return None
        try:
            return _to_files(json.loads(content))
        except (ValueError, TypeError) as error:
            msg = f"Expected the list of what job {job_id!r} made, got something else."
            raise IntegrityError(msg, hint="Run the job again.") from error

    def _open_staging(self) -> Path:
        folder = self._folder.parent.parent / "staged-outputs"
        with wrapped_disk_errors(_WORK):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            open_staging(folder)
        return folder / "staging"

    def _key(self, job_id: str, name: str) -> str:
        return f"{self._prefix}/{job_id}/{name}"


def _to_files(listed: Any) -> list[_File]:  # noqa: ANN401 - any JSON value
    files = []
    for name, sha256, size in listed if isinstance(listed, list) else [listed]:
        if not is_output_name(name) or len(bytes.fromhex(sha256)) != hashlib.sha256().digest_size:
            msg = "Expected the name of a file and its digest, got others."
            raise ValueError(msg)
        files.append(_File(name=name, sha256=sha256, size=int(size)))
    return files


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _damaged(file: _File) -> IntegrityError:
    msg = f"Expected {file.name!r} of a job as it was made, got none or other bytes."
    return IntegrityError(msg, hint="Run the job again: what it made is gone.")
