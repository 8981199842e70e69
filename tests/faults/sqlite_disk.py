"""A disk that fails under SQLite: its own file system layer with our functions between.

A copy of SQLite's default VFS is registered as the new default; each file that it opens gets a
table of methods in which read, write, truncate, sync and lock ask ``Disk`` first. By ctypes on the
very library that Python's ``sqlite3`` uses, so the real SQLite meets the fault, wherever it may be
in its work. A process that has done this cannot undo it: only in a fork.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sqlite3
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ctypes import _CFunctionType, _Pointer

SQLITE_OK = 0

_READ = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_WRITE = _READ
_TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
_SYNC = CFUNCTYPE(c_int, c_void_p, c_int)
_LOCK = _SYNC
_SHM_LOCK = CFUNCTYPE(c_int, c_void_p, c_int, c_int, c_int)
_OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)


class _Methods(Structure):
    """sqlite3_io_methods, version 3."""

    _fields_ = (
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        ("file_size", c_void_p),
        ("lock", c_void_p),
        ("unlock", c_void_p),
        ("check_reserved_lock", c_void_p),
        ("file_control", c_void_p),
        ("sector_size", c_void_p),
        ("device_characteristics", c_void_p),
        ("shm_map", c_void_p),
        ("shm_lock", c_void_p),
        ("shm_barrier", c_void_p),
        ("shm_unmap", c_void_p),
        ("fetch", c_void_p),
        ("unfetch", c_void_p),
    )


class _Vfs(Structure):
    """sqlite3_vfs, version 3."""

    _fields_ = (
        ("version", c_int),
        ("file_bytes", c_int),
        ("most_path", c_int),
        ("following", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("others", c_void_p * 14),
    )


class Disk(Protocol):
    """Asked before each operation: 0 lets it through, anything else is SQLite's error code."""

    def read(self, path: str) -> int:
        """Before a read."""

    def write(self, path: str, content: bytes, offset: int) -> tuple[int, int]:
        """Before a write: the code, and how many bytes are written all the same."""

    def truncate(self, path: str, size: int) -> int:
        """Before a file is cut."""

    def sync(self, path: str) -> int:
        """Before a file is synchronised; 0 means that it will be."""

    def lock(self, path: str) -> int:
        """Before a lock is taken."""


def install(disk: Disk) -> None:
    """Put the disk under every database that this process opens from now on."""
    global _installed  # noqa: PLW0603 - SQLite keeps pointers into it until the process ends
    _installed = _Layer(disk)


class _Layer:
    """What SQLite calls, kept alive with its tables."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        library = ctypes.CDLL(_find_library())
        library.sqlite3_vfs_find.restype = POINTER(_Vfs)
        library.sqlite3_vfs_register.argtypes = (c_void_p, c_int)
        default: _Pointer[_Vfs] = library.sqlite3_vfs_find(None)
        self._vfs = _Vfs.from_buffer_copy(default.contents)
        self._vfs.name = b"spanproof-faults"
        self._open = _OPEN(default.contents.open)
        self._own_open = _OPEN(self._on_open)
        self._vfs.open = ctypes.cast(self._own_open, c_void_p).value
        self._paths: dict[int, str] = {}
        self._tables: dict[int, tuple[_Methods, _Methods, list[_CFunctionType]]] = {}
        self._real: dict[int, _Methods] = {}
        assert library.sqlite3_vfs_register(ctypes.byref(self._vfs), 1) == SQLITE_OK

    def _on_open(
        self, vfs: int, name: int | None, file: int, flags: int, flags_out: int | None
    ) -> int:
        code: int = self._open(vfs, name, file, flags, flags_out)
        if code != SQLITE_OK or name is None:
            return code
        self._paths[file] = os.fsdecode(ctypes.string_at(name))
        slot = c_void_p.from_address(file)
        assert slot.value is not None
        table, real, _ = self._wrap(slot.value)
        self._real[file] = real
        slot.value = ctypes.addressof(table)
        return code

    def _wrap(self, address: int) -> tuple[_Methods, _Methods, list[_CFunctionType]]:
        known = self._tables.get(address)
        if known is not None:
            return known
        real = _Methods.from_buffer_copy(_Methods.from_address(address))
        table = _Methods.from_buffer_copy(real)
        own: dict[str, _CFunctionType] = {
            "read": _READ(self._on_read),
            "write": _WRITE(self._on_write),
            "truncate": _TRUNCATE(self._on_truncate),
            "sync": _SYNC(self._on_sync),
            "lock": _LOCK(self._on_lock),
            "shm_lock": _SHM_LOCK(self._on_shm_lock),
        }
        for name, function in own.items():
            setattr(table, name, ctypes.cast(function, c_void_p).value)
        self._tables[address] = table, real, list(own.values())
        return self._tables[address]

    def _on_read(self, file: int, into: int, size: int, offset: int) -> int:
        code = self._disk.read(self._paths[file])
        return code or _READ(self._real[file].read)(file, into, size, offset)

    def _on_write(self, file: int, content: int, size: int, offset: int) -> int:
        written = ctypes.string_at(content, size)
        code, kept = self._disk.write(self._paths[file], written, offset)
        if kept:
            done: int = _WRITE(self._real[file].write)(file, content, kept, offset)
            return code or done
        return code

    def _on_truncate(self, file: int, size: int) -> int:
        code = self._disk.truncate(self._paths[file], size)
        return code or _TRUNCATE(self._real[file].truncate)(file, size)

    def _on_sync(self, file: int, flags: int) -> int:
        # Not carried out: what counts is what the model says is durable.
        del flags
        return self._disk.sync(self._paths[file])

    def _on_lock(self, file: int, level: int) -> int:
        code = self._disk.lock(self._paths[file])
        return code or _LOCK(self._real[file].lock)(file, level)

    def _on_shm_lock(self, file: int, first: int, count: int, flags: int) -> int:
        unlock = flags & 1
        code = 0 if unlock else self._disk.lock(self._paths[file])
        return code or _SHM_LOCK(self._real[file].shm_lock)(file, first, count, flags)


_installed: _Layer | None = None


def _find_library() -> str:
    """The libsqlite3 that this process has loaded."""
    assert sqlite3.sqlite_version
    with open("/proc/self/maps", encoding="utf-8") as maps:  # noqa: PTH123 - no file of a disk
        found = {line.split()[-1] for line in maps if "libsqlite3" in line}
    return found.pop() if found else ctypes.util.find_library("sqlite3") or "libsqlite3.so.0"
