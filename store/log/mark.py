"""The high-water mark: the last signed head, in a file outside the database.

A database that was restored from a backup does not know that it once said more; the file does.
It holds two slots of fixed size that are written in turn, each with a checksum, so that a torn
write leaves the mark before it, and so that a full disk does not stop it from moving.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import LogRolledBackError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.store.log.failpoints import Failpoint, hit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanproof.store.log.failpoints import Reach

_TITLE = b"spanproof high-water mark v1"
#: One sector of a disk: a write of it is seldom torn, and found by its checksum where it is.
SLOT_BYTES = 512
_MODE = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slot:
    """A head and the count of writes before it: the slot with the higher count is the mark."""

    count: int
    head: Checkpoint


class HighWaterMark:
    """The mark in one file. Processes take turns at it; OSError is the caller's to handle."""

    def __init__(self, path: Path, reach: Reach = hit) -> None:
        self.path = path
        self._reach = reach

    def read(self) -> Checkpoint | None:
        """The mark; None for a missing file, or one that never held a whole mark."""
        try:
            with self._locked(os.O_RDONLY) as descriptor:
                newest = _find_newest(descriptor)
        except FileNotFoundError:
            return None
        return None if newest is None else newest.head

    def create(self, head: Checkpoint) -> None:
        """Make the file for a log that has signed nothing; another log's mark is written over.

        One of the same log stays: another process made it, and may have raised it since.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._locked(os.O_RDWR | os.O_CREAT) as descriptor:
            newest = _find_newest(descriptor)
            if newest is None or newest.head.origin != head.origin:
                count = 0 if newest is None else newest.count
                # Both slots: the next write must find the room that a full disk would not give.
                for each in (count + 1, count + 2):
                    _write_slot(descriptor, _Slot(count=each, head=head))
                os.fsync(descriptor)
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self._reach(Failpoint.MARK_CREATED)

    def raise_to(self, head: Checkpoint, check: Callable[[Checkpoint], None]) -> None:
        """Make ``head`` the mark, durably, unless a higher one of the same log is there.

        ``check`` is given the mark as it is and raises where the log does not hold it.
        """
        try:
            with self._locked(os.O_RDWR) as descriptor:
                self._reach(Failpoint.MARK_LOCKED)
                newest = _find_newest(descriptor)
                if newest is None:
                    raise missing_mark(self.path)
                check(newest.head)
                if newest.head.size >= head.size:
                    return
                _write_slot(descriptor, _Slot(count=newest.count + 1, head=head))
                self._reach(Failpoint.MARK_WRITTEN)
                os.fdatasync(descriptor)
        except FileNotFoundError as error:
            raise missing_mark(self.path) from error
        self._reach(Failpoint.MARK_SYNCED)

    @contextmanager
    def _locked(self, flags: int) -> Iterator[int]:
        descriptor = os.open(self.path, flags | os.O_CLOEXEC, _MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH if flags == os.O_RDONLY else fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)


def missing_mark(path: Path) -> LogRolledBackError:
    """The error of a missing mark: without it the last signed size is unknown."""
    msg = f"Expected the log's high-water mark in {str(path)!r}, got an unreadable file."
    hint = "Put the file back, or close this log: 'spanproof log recover --new-shard'."
    return LogRolledBackError(msg, hint=hint)


def _find_newest(descriptor: int) -> _Slot | None:
    slots = (_parse_slot(os.pread(descriptor, SLOT_BYTES, at)) for at in (0, SLOT_BYTES))
    return max(filter(None, slots), key=lambda slot: slot.count, default=None)


def _write_slot(descriptor: int, slot: _Slot) -> None:
    content = _format_slot(slot)
    at = slot.count % 2 * SLOT_BYTES
    while content:
        written = os.pwrite(descriptor, content, at)
        content, at = content[written:], at + written


def _format_slot(slot: _Slot) -> bytes:
    root = base64.b64encode(slot.head.root)
    fields = (_TITLE, b"%d" % slot.count, slot.head.origin.encode(), b"%d" % slot.head.size, root)
    text = b"\n".join(fields) + b"\n"
    content = text + hashlib.sha256(text).hexdigest().encode() + b"\n"
    return content.ljust(SLOT_BYTES - 1) + b"\n"


def _parse_slot(content: bytes) -> _Slot | None:
    lines = content.split(b"\n")
    text = b"\n".join(lines[:5]) + b"\n"
    if len(lines) < 6 or lines[5] != hashlib.sha256(text).hexdigest().encode():
        return None
    try:
        root = base64.b64decode(lines[4], validate=True)
        head = Checkpoint(origin=lines[2].decode(), size=int(lines[3]), root=root)
        return _Slot(count=int(lines[1]), head=head)
    except ValueError:
        return None
