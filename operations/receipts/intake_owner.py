"""Whether the process that took an answer in still lives: it holds a lock for as long as it does.

The system frees the lock of every dead process, so we guess nothing from times.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from spanproof.core.errors import LogStoppedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_TOKEN = re.compile(r"[0-9a-f]{32}", re.ASCII)
OwnerState = Literal["alive", "gone", "unknown"]


class IntakeOwner:
    """This process among those that verify with one home."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._descriptor: int | None = None
        self._process_id = 0
        self._token = ""

    @property
    def token(self) -> str:
        """The name under which this process takes answers in; its lock is held from now on."""
        with self._lock:
            # A child of a fork shares its parent's lock, and must not be taken for it.
            if self._descriptor is None or self._process_id != os.getpid():
                self._take()
            return self._token

    def find_state(self, token: str) -> OwnerState:
        """Whether a process still lives; unknown where its file is not in this home."""
        with self._try_lock(self._path(token)) as state:
            return state

    def list_dead_owners(self) -> frozenset[str]:
        """The names of the processes that are gone."""
        names = (path.stem for path in self._folder.glob("*.lock"))
        return frozenset(each for each in names if self._is_dead(each))

    def forget(self, tokens: Iterable[str]) -> None:
        """Remove the files of processes that were gone before all that they left was closed.

        One that is killed meanwhile keeps its file, by which the next look finds what it left.
        """
        for token in tokens:
            with self._try_lock(self._path(token)) as state:
                if state == "gone":
                    self._path(token).unlink(missing_ok=True)

    def _is_dead(self, token: str) -> bool:
        return _TOKEN.fullmatch(token) is not None and self.find_state(token) == "gone"

    def close(self, *, is_kept: bool = False) -> None:
        """Let go of the lock; ``is_kept`` leaves the file, by which the next start sees that."""
        with self._lock:
            if self._descriptor is not None and self._process_id == os.getpid():
                if not is_kept:
                    self._path(self._token).unlink(missing_ok=True)
                os.close(self._descriptor)
            self._descriptor = None

    @contextmanager
    def _try_lock(self, path: Path) -> Iterator[OwnerState]:
        """The state of a process by its file; locked by us while one that is gone is looked at."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            yield "unknown"
            return
        except OSError as error:
            raise _to_stopped(error) from error
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                state: OwnerState = "gone"
            except BlockingIOError:
                state = "alive"
            yield state
        finally:
            os.close(descriptor)

    def _take(self) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            is_taken = False
            while not is_taken:
                is_taken = self._try_take(secrets.token_hex(16))
        except OSError as error:
            raise _to_stopped(error) from error

    def _try_take(self, token: str) -> bool:
        path = self._path(token)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if not path.exists():
            # Between the two somebody took it for one that is gone.
            os.close(descriptor)
            return False
        self._descriptor, self._process_id, self._token = descriptor, os.getpid(), token
        return True

    def _path(self, token: str) -> Path:
        if not _TOKEN.fullmatch(token):
            msg = f"Expected 32 hexadecimal digits, got {token!r}."
            raise ValueError(msg)
        return self._folder / f"{token}.lock"


def _to_stopped(error: OSError) -> LogStoppedError:
    msg = f"Expected a lock file in the home's 'log' folder, got {error.strerror!r}."
    return LogStoppedError(msg, hint="Fix the disk or the folder's rights, then start again.")
