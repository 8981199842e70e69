"""Whether the process that took an answer in still lives: it holds a lock for as long as it does.

A killed process lets go of its lock whatever killed it, so nothing has to be guessed from times.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import threading
from typing import TYPE_CHECKING, Literal

from core.errors import LogStoppedError

if TYPE_CHECKING:
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
        """Whether a process still lives; unknown where its lock is not in this home.

        One that is gone has its file removed by ``forget``.
        """
        try:
            descriptor = os.open(self._path(token), os.O_RDWR | os.O_CLOEXEC)
        except (FileNotFoundError, ValueError):
            return "unknown"
        except OSError as error:
            raise _to_stopped(error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return "alive"
        finally:
            os.close(descriptor)
        return "gone"

    def forget(self, token: str) -> None:
        """Remove the file of a process that is gone and left nothing open."""
        self._path(token).unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the lock; closing twice does nothing."""
        with self._lock:
            if self._descriptor is not None and self._process_id == os.getpid():
                os.close(self._descriptor)
                self.forget(self._token)
            self._descriptor = None

    def _take(self) -> None:
        token = secrets.token_hex(16)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(
                self._path(token), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
            )
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            raise _to_stopped(error) from error
        self._descriptor, self._process_id, self._token = descriptor, os.getpid(), token

    def _path(self, token: str) -> Path:
        if not _TOKEN.fullmatch(token):
            msg = f"Expected 32 hexadecimal digits, got {token!r}."
            raise ValueError(msg)
        return self._folder / f"{token}.lock"


def _to_stopped(error: OSError) -> LogStoppedError:
    msg = f"Expected a lock file in the home's 'log' folder, got {error.strerror!r}."
    return LogStoppedError(msg, hint="Mend the disk or the folder's rights, then start again.")
