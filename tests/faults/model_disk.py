"""A disk that fails when it is told to, and that forgets what was not synchronised.

What is written is durable when a synchronisation after it has succeeded; what a failed one left
behind never is, however often it is tried again (Linux marks such pages clean).
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_BUSY, _IOERR, _FULL = 5, 10, 13
_IOERR_READ, _IOERR_WRITE = _IOERR | 1 << 8, _IOERR | 3 << 8
_IOERR_FSYNC, _IOERR_TRUNCATE = _IOERR | 4 << 8, _IOERR | 6 << 8
#: As they are before anything replaces them.
_REAL = {name: getattr(os, name) for name in ("pwrite", "pread", "fsync", "fdatasync", "open")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What an operation answers when its turn has come: SQLite's code and the system's.

    ``kinds`` are the operations that it befalls; any other one passes even when it is its turn.
    ``stays``: every later operation of these kinds fails too.
    """

    name: str
    kinds: frozenset[str]
    sqlite: int
    system: int
    is_short: bool = False
    stays: bool = False


NO_FAULT = Fault(name="none", kinds=frozenset(), sqlite=0, system=0)
_WRITES = frozenset({"write", "truncate"})
FAULTS = (
    Fault(name="ENOSPC once", kinds=_WRITES, sqlite=_FULL, system=errno.ENOSPC),
    Fault(name="ENOSPC stays", kinds=_WRITES, sqlite=_FULL, system=errno.ENOSPC, stays=True),
    Fault(name="short write", kinds=_WRITES, sqlite=_FULL, system=errno.ENOSPC, is_short=True),
    Fault(name="EIO on write", kinds=_WRITES, sqlite=_IOERR_WRITE, system=errno.EIO),
    Fault(
        name="EIO on fsync once", kinds=frozenset({"sync"}), sqlite=_IOERR_FSYNC, system=errno.EIO
    ),
    Fault(
        name="EIO on fsync stays",
        kinds=frozenset({"sync"}),
        sqlite=_IOERR_FSYNC,
        system=errno.EIO,
        stays=True,
    ),
    Fault(name="EIO on read", kinds=frozenset({"read"}), sqlite=_IOERR_READ, system=errno.EIO),
    Fault(
        name="EROFS on open", kinds=frozenset({"open"}), sqlite=0, system=errno.EROFS, stays=True
    ),
    Fault(name="SQLITE_BUSY once", kinds=frozenset({"lock"}), sqlite=_BUSY, system=0),
    Fault(name="SQLITE_BUSY stays", kinds=frozenset({"lock"}), sqlite=_BUSY, system=0, stays=True),
)


class ModelDisk:
    """Counts operations, lets one fail, and knows at any time what would outlive a power cut."""

    def __init__(self, folder: Path, fault: Fault, turn: int) -> None:
        self._folder = str(folder)
        self._fault = fault
        self._left = turn
        self.operations: list[str] = []
        self.is_struck = False
        self.sync_failed = False
        self._durable: dict[str, bytearray] = {}
        self._pending: dict[str, list[tuple[int, bytes | None]]] = {}

    def start(self, files: Iterable[Path]) -> None:
        """What stands in these files is durable."""
        self._durable = {str(path): bytearray(path.read_bytes()) for path in files}

    def write_survivors(self, onto: Path) -> None:
        """What a power cut now would leave."""
        for path, content in self._durable.items():
            survivor = onto / Path(path).relative_to(self._folder)
            survivor.parent.mkdir(parents=True, exist_ok=True)
            survivor.write_bytes(content)

    # What SQLite asks.

    def read(self, path: str) -> int:
        return self._fault.sqlite if self._strikes(path, "read") else 0

    def write(self, path: str, content: bytes, offset: int) -> tuple[int, int]:
        if self._strikes(path, "write"):
            kept = len(content) // 2 if self._fault.is_short else 0
            self._note(path, offset, content[:kept])
            return self._fault.sqlite, kept
        self._note(path, offset, content)
        return 0, len(content)

    def truncate(self, path: str, size: int) -> int:
        if self._strikes(path, "truncate"):
            return _IOERR_TRUNCATE
        self._note(path, size, None)
        return 0

    def sync(self, path: str) -> int:
        if self._strikes(path, "sync"):
            self._fail_sync(path)
            return self._fault.sqlite
        self._sync(path)
        return 0

    def lock(self, path: str) -> int:
        return self._fault.sqlite if self._strikes(path, "lock") else 0

    # What the mark asks, through ``os``.

    def replace_system_calls(self) -> None:
        """Stand before the calls of this process; only in a fork."""
        for name in _REAL:
            setattr(os, name, getattr(self, f"_os_{name}"))

    def _os_pwrite(self, descriptor: int, content: bytes, offset: int) -> int:
        path = _name(descriptor)
        if self._strikes(path, "write"):
            kept = len(content) // 2
            if self._fault.is_short and kept:
                # As the kernel does: so many bytes, and the error at the next call.
                self._note(path, offset, content[:kept])
                self._left = 1
                return int(_REAL["pwrite"](descriptor, content[:kept], offset))
            self._raise()
        self._note(path, offset, bytes(content))
        return int(_REAL["pwrite"](descriptor, content, offset))

    def _os_pread(self, descriptor: int, size: int, offset: int) -> bytes:
        if self._strikes(_name(descriptor), "read"):
            self._raise()
        return bytes(_REAL["pread"](descriptor, size, offset))

    def _os_fdatasync(self, descriptor: int) -> None:
        path = _name(descriptor)
        if self._strikes(path, "sync"):
            self._fail_sync(path)
            self._raise()
        self._sync(path)

    _os_fsync = _os_fdatasync

    def _os_open(self, path: Any, flags: int, *given: Any, **named: Any) -> int:
        if self._strikes(os.fspath(path), "open"):
            self._raise()
        return int(_REAL["open"](path, flags, *given, **named))

    def _raise(self) -> None:
        raise OSError(self._fault.system, os.strerror(self._fault.system))

    # The model.

    def _strikes(self, path: str, kind: str) -> bool:
        if not path.startswith(self._folder) or path.endswith("-shm"):
            return False
        self.operations.append(kind)
        self._left -= 1
        if self.is_struck and self._fault.stays:
            return kind in self._fault.kinds
        if self._left == 0 and kind in self._fault.kinds:
            self.is_struck = True
            return True
        return False

    def _note(self, path: str, offset: int, content: bytes | None) -> None:
        self._pending.setdefault(path, []).append((offset, content))

    def _sync(self, path: str) -> None:
        if Path(path).is_dir():
            return  # A name in it: the model keeps every name.
        durable = self._durable.setdefault(path, bytearray())
        for offset, content in self._pending.pop(path, []):
            if content is None:
                del durable[offset:]
                continue
            durable.extend(bytes(max(0, offset - len(durable))))
            durable[offset : offset + len(content)] = content

    def _fail_sync(self, path: str) -> None:
        self.sync_failed = True
        # Clean in memory, never on the disk.
        self._pending.pop(path, None)


def _name(descriptor: int) -> str:
    return str(Path(f"/proc/self/fd/{descriptor}").readlink())
