"""What a job makes that is too large for its result: a folder of its own, gone with the job."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Begins the names of folders that hold what a job was given, in a shape that it can read.
_SCRATCH = ".given-"


class JobOutputs:
    """The folders of one tenant's jobs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, job_id: str) -> Path:
        """The folder of a job, which may not exist yet; ``job_id`` is one that ``Jobs`` found."""
        return self._folder / job_id

    @contextmanager
    def scratch(self, job_id: str) -> Iterator[Path]:
        """A folder beside what the job makes, for this one run of it; removed on the way out."""
        folder = self.path(job_id)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=folder))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def tidy(self, job_id: str) -> None:
        """Remove what killed runs of a job that is over have left of what it was given."""
        with suppress(FileNotFoundError):
            for left in self.path(job_id).glob(f"{_SCRATCH}*"):
                shutil.rmtree(left, ignore_errors=True)

    def remove(self, job_id: str) -> None:
        """Remove all that a job made; nothing there is no fault."""
        shutil.rmtree(self.path(job_id), ignore_errors=True)
