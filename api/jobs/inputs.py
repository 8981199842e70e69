"""What is too large for a job's arguments: bodies that were sent, kept in files until it is over.

A job names its file as ``input`` among its arguments; a watchdog removes it once the job is over,
and what no job names after a day.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from core.errors import IntegrityError
from store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_NAME = re.compile(r"[0-9a-f]{32}", re.ASCII)
#: Names that one query asks for.
_SWEPT_AT_ONCE = 500


class JobInputs:
    """The files of one tenant's jobs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, content: bytes) -> str:
        """Keep these bytes, durable when this returns; their name."""
        return self._add(lambda target: target.write_bytes(content))

    def add_file(self, source: Path) -> str:
        """Keep a copy of a file, durable when this returns; its name."""
        return self._add(lambda target: shutil.copyfile(source, target))

    def path(self, name: str) -> Path:
        """The file of that name; raise IntegrityError where it is none of ours or gone."""
        path = self._folder / name
        if not is_input_name(name) or not path.is_file():
            msg = f"Expected the input {name[:64]!r} of a job, got none."
            raise IntegrityError(msg, hint="Send it again: what the job was given is gone.")
        return path

    def read(self, name: str) -> bytes:
        """The bytes of that name; raises as ``path``."""
        return self.path(name).read_bytes()

    def remove(self, name: str) -> None:
        """Remove a file; one that is gone is no fault."""
        if is_input_name(name):
            (self._folder / name).unlink(missing_ok=True)

    def sweep(self, seconds: float, find_named: Callable[[Sequence[str]], frozenset[str]]) -> None:
        """Remove files older than this that no job names; ``find_named`` tells which are named."""
        old: list[Path] = []
        with suppress(FileNotFoundError):
            for path in self._folder.iterdir():
                with suppress(FileNotFoundError):
                    if time.time() - path.stat().st_mtime > seconds:
                        old.append(path)
        for first in range(0, len(old), _SWEPT_AT_ONCE):
            some = old[first : first + _SWEPT_AT_ONCE]
            named = find_named([path.name for path in some])
            for path in some:
                if path.name not in named:
                    path.unlink(missing_ok=True)

    def _add(self, write: Callable[[Path], object]) -> str:
        name = secrets.token_hex(16)
        target, made = self._folder / name, self._folder / f"{name}.new"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                made.touch(mode=0o600, exist_ok=False)
                write(made)
                _sync(made)
                made.rename(target)
            except BaseException:
                made.unlink(missing_ok=True)
                raise
            _sync(self._folder)
        except OSError as error:
            msg = f"Expected to keep a job's input, got {error.strerror or type(error).__name__}."
            hint = "Check the disk that holds SPANPROOF_HOME: its space, its permissions."
            raise StoreUnavailableError(msg, hint=hint) from error
        return name


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
