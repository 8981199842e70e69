"""What a job makes that is too large for its result: a folder of its own, gone with the job."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_NAME = re.compile(r"[a-z]{1,32}/[A-Za-z0-9_][A-Za-z0-9._-]{0,127}", re.ASCII)
#: Ids that one query asks for.
_SWEEP_BATCH = 500
#: Begins the names of folders that hold what a job was given, in a shape that it can read.
_SCRATCH = ".given-"


class JobOutputs:
    """The folders of one tenant's jobs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, job_id: str) -> Path:
        """The folder of a job, which may not exist yet; ``job_id`` is one that ``Jobs`` found."""
        return self._folder / job_id

    def share(self, job_id: str) -> None:
        """Let every host read a job's output, which is whole now.

        Raises StoreUnavailableError.
        """

    def list_files(self, job_id: str, folder: str) -> tuple[Path, ...]:
        """The files that a job, which is done, made in this folder of its own, by their names.

        Raises StoreUnavailableError, and IntegrityError for a file that has changed.
        """
        found = (self.path(job_id) / folder).glob("*")
        return tuple(sorted(each for each in found if is_output_name(f"{folder}/{each.name}")))

    def sweep(self, seconds: float, find_known: Callable[[Sequence[str]], frozenset[str]]) -> None:
        """Remove local outputs, older than this, of jobs that another host has forgotten.

        ``find_known`` tells which of these ids are jobs.
        """
        old: list[str] = []
        with suppress(FileNotFoundError):
            for path in self._folder.iterdir():
                with suppress(FileNotFoundError):
                    if time.time() - path.stat().st_mtime > seconds:
                        old.append(path.name)
        for first in range(0, len(old), _SWEEP_BATCH):
            some = old[first : first + _SWEEP_BATCH]
            known = find_known(some)
            for job_id in some:
                if job_id not in known:
                    shutil.rmtree(self.path(job_id), ignore_errors=True)

    @contextmanager
    def scratch(self, job_id: str) -> Iterator[Path]:
        """A folder beside the job's output for this run alone; removed at its end."""
        folder = self.path(job_id)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=folder))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def remove_scratch(self, job_id: str) -> None:
        """Remove the scratch folders that killed runs of a finished job have left."""
        with suppress(FileNotFoundError):
            for left in self.path(job_id).glob(f"{_SCRATCH}*"):
                shutil.rmtree(left, ignore_errors=True)

    def remove(self, job_id: str) -> None:
        """Remove all of a job's output; a missing output is no error."""
        shutil.rmtree(self.path(job_id), ignore_errors=True)


def is_output_name(name: str) -> bool:
    """Whether a name is one that a file of a job's can have: a folder's, a slash, and its own."""
    return _NAME.fullmatch(name) is not None
