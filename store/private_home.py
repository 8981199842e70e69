"""A home that only its owner can read, with any umask and any maker of the folder."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_OTHERS = 0o077
#: SQLite gives the files beside a database the mode of the database.
_DATABASE = "spanproof.db"
_BESIDE = ("-wal", "-shm")


def keep_private(home: Path, *, has_database: bool) -> None:
    """Make the home, and SQLite's file in it; take from others what they may do there.

    A folder that belongs to somebody else stays as it is: what we write in it is still ours alone.
    """
    home.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    paths = [home, home / "blobs"]
    if has_database:
        path = home / _DATABASE
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE))
        paths += [path, *(home / f"{_DATABASE}{end}" for end in _BESIDE)]
    narrowed = [path.name for path in paths if _narrow(path)]
    if narrowed:
        import structlog

        structlog.get_logger().warning("home_was_readable_by_others", narrowed=narrowed)


def _narrow(path: Path) -> bool:
    """Whether others could do something there, and can no longer."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    mode = stat.S_IMODE(found.st_mode)
    if not mode & _OTHERS or found.st_uid != os.geteuid():
        return False
    path.chmod(mode & ~_OTHERS)
    return True
