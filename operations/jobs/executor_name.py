"""The name under which a worker takes jobs: the same after a restart, and no two workers' at once.

A restarted worker finds the jobs of its name and runs them again at once; those of a name that
stays away are taken over by another worker's watchdog.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import socket
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class ExecutorName:
    """A name that is held by a lock on its file until it is closed, or its process is gone."""

    def __init__(self, folder: Path) -> None:
        """Take the first name of this host that nobody holds; raises OSError."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        host = re.sub("[^a-z0-9-]", "-", socket.gethostname().lower())[:63]
        descriptor = next(
            taken
            for number in count()
            if (taken := _try_take(folder / f"{host}.{number}")) is not None
        )
        self._descriptor = descriptor
        found = os.pread(descriptor, 200, 0).decode("ascii", "replace").strip()
        if not re.fullmatch(r"[a-z0-9-]+\.[0-9a-f]{16}", found):
            # Random, so that two homes on one database and one host name are two workers.
            found = f"{host}.{secrets.token_hex(8)}"
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{found}\n".encode("ascii"), 0)
            os.fsync(descriptor)
        self.name = found

    def close(self) -> None:
        """Let another process take the name; closing twice does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _try_take(path: Path) -> int | None:
    """The descriptor that holds the lock of a file; None where another one holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
