"""Inputs too large for a job's arguments: request bodies, kept in files until the job ends.

A job names its file as ``input`` among its arguments; a watchdog removes it once the job is over,
and what no job names after a day. All of them together have a bound, across tenants and processes
of a home: a file takes its room under a lock, before its bytes come.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from spanproof.core.errors import IntegrityError
from spanproof.operations.errors import DISK, ServiceBusyError
from spanproof.store.errors import StoreUnavailableError
from spanproof.store.migration import locked_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

_NAME = re.compile(r"[0-9a-f]{32}", re.ASCII)
#: Names that one query asks for.
_SWEEP_BATCH = 500
#: Ends the name of a file that is being written.
_NEW = ".new"
_COPY_BYTES = 1024 * 1024
#: A job takes longer than a request does.
_RETRY_SECONDS = 10


class JobInputs:
    """The files of one tenant's jobs; ``most_bytes`` of all tenants' together, one file aside."""

    def __init__(self, folder: Path, *, most_bytes: int) -> None:
        self._folder = folder
        self._most_bytes = most_bytes

    def add(self, content: bytes) -> str:
        """Keep these bytes, durable when this returns; their name.

        Raises ServiceBusyError, and keeps none, where too many others wait for their jobs.
        """
        return self._add(len(content), lambda target: target.write(content))

    def add_file(self, source: Path) -> str:
        """Keep a copy of a file, durable when this returns; its name. Raises as ``add``."""
        with wrapped_input_errors(), source.open("rb") as opened:
            size = os.fstat(opened.fileno()).st_size
            return self._add(size, lambda target: shutil.copyfileobj(opened, target, _COPY_BYTES))

    def path(self, name: str) -> Path:
        """The file of that name; raise IntegrityError for a foreign name or a missing file."""
        path = self._folder / name
        if not is_input_name(name) or not path.is_file():
            msg = f"Expected the input {name[:64]!r} of a job, got none."
            raise IntegrityError(msg, hint="Send it again: what the job was given is gone.")
        return path

    def read(self, name: str) -> bytes:
        """The bytes of that name; raises as ``path``."""
        return self.path(name).read_bytes()

    def remove(self, name: str) -> None:
        """Remove a file; a missing file is no error."""
        if is_input_name(name):
            (self._folder / name).unlink(missing_ok=True)

    def list_names(self) -> tuple[str, ...]:
        """The inputs that are here."""
        with suppress(FileNotFoundError):
            return tuple(
                sorted(each.name for each in self._folder.iterdir() if is_input_name(each.name))
            )
        return ()

    def replace(self, name: str, content: bytes) -> None:
        """Put other bytes, no more than before, under a name; durable when this returns."""
        target, made = self._folder / name, self._folder / f"{name}{_NEW}"
        with wrapped_input_errors():
            made.touch(mode=0o600)
            with made.open("r+b") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX)
                stream.write(content)
                stream.truncate()
                stream.flush()
                os.fsync(stream.fileno())
                made.rename(target)
            _sync(self._folder)

    def sweep(self, seconds: float, find_named: Callable[[Sequence[str]], frozenset[str]]) -> None:
        """Remove files older than this that no job names; ``find_named`` tells which are named."""
        old: list[Path] = []
        with suppress(FileNotFoundError):
            for path in self._folder.iterdir():
                with suppress(FileNotFoundError):
                    if time.time() - path.stat().st_mtime > seconds:
                        old.append(path)
        for first in range(0, len(old), _SWEEP_BATCH):
            some = old[first : first + _SWEEP_BATCH]
            named = find_named([path.name for path in some])
            for path in some:
                if path.name not in named:
                    path.unlink(missing_ok=True)

    def _add(self, size: int, write: Callable[[BinaryIO], object]) -> str:
        name = secrets.token_hex(16)
        target, made = self._folder / name, self._folder / f"{name}{_NEW}"
        with wrapped_input_errors():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                with self._take_room(made, size) as stream:
                    write(stream)
                    stream.flush()
                    os.fsync(stream.fileno())
                    with self._locked():
                        # Under the lock: a concurrent count would see neither name.
                        made.rename(target)
            except BaseException:
                made.unlink(missing_ok=True)
                raise
            _sync(self._folder)
        return name

    def _take_room(self, made: Path, size: int) -> BinaryIO:
        """The new file, of its whole size already and locked: so it counts, and its writer lives.

        Raises ServiceBusyError where it would be too much with the others.
        """
        with self._locked():
            held = sum(map(_measure, self._folder.parent.glob("*/*")))
            # One alone is bounded by the cap of its route.
            if held and held + size > self._most_bytes:
                msg = f"Expected at most {self._most_bytes} bytes that jobs were given, got more."
                raise ServiceBusyError(msg, work=DISK, retry_seconds=_RETRY_SECONDS)
            made.touch(mode=0o600, exist_ok=False)
            stream = made.open("r+b")
            fcntl.flock(stream, fcntl.LOCK_EX)
            stream.truncate(size)
        return stream

    def _locked(self) -> AbstractContextManager[None]:
        """One writer of a name at a time, of all tenants and processes."""
        return locked_file(self._folder.parent.parent / "inputs.lock")


def _measure(path: Path) -> int:
    """The bytes of a file; the half-written file of a killed writer is removed."""
    try:
        with path.open("rb") as opened:
            if path.name.endswith(_NEW) and _is_left(opened):
                path.unlink(missing_ok=True)
                return 0
            return os.fstat(opened.fileno()).st_size
    except (FileNotFoundError, IsADirectoryError):
        # Its job is over, or its writer has just finished it: then it is counted under its name.
        return 0


def _is_left(opened: BinaryIO) -> bool:
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def wrapped_input_errors() -> Iterator[None]:
    """Raise StoreUnavailableError for a failed operation on the disk of inputs."""
    try:
        yield
    except OSError as error:
        msg = f"Expected to keep a job's input, got {error.strerror or type(error).__name__}."
        hint = "Check the disk that holds SPANPROOF_HOME: its space, its permissions."
        raise StoreUnavailableError(msg, hint=hint) from error


def is_input_name(name: str) -> bool:
    """Whether a name is one that an input can have."""
    return _NAME.fullmatch(name) is not None


def list_tenants(folder: Path) -> tuple[str, ...]:
    """The tenants that have a folder of inputs in this one."""
    try:
        return tuple(sorted(path.name for path in folder.iterdir() if path.is_dir()))
    except FileNotFoundError:
        return ()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
