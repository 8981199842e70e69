"""Bodies that are too large for memory: files that are sent or received, lines as they come."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import secrets
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from spanproof.core.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from io import BufferedReader
    from pathlib import Path
    from typing import BinaryIO

#: What is held of a body at once.
CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBody:
    """A file to send unchanged, with the SHA-256 of its content at the time of the check.

    It is read again for each try. The service refuses it if it has changed since.
    """

    path: Path
    size: int
    digest: bytes

    @classmethod
    def of(cls, path: Path) -> Self:
        """The file at a path, digested; raise InputError where it cannot be read."""
        with _reading(path) as opened:
            found = hashlib.file_digest(opened, "sha256")
            size = opened.tell()
        return cls(path=path, size=size, digest=found.digest())

    def read(self) -> Iterator[bytes]:
        """Its bytes, a chunk at a time; raises as ``of``, and where it has another length now."""
        left = self.size
        with _reading(self.path) as opened:
            while chunk := opened.read(CHUNK_BYTES):
                left -= len(chunk)
                if left < 0:
                    break
                yield chunk
        if left:
            msg = f"Expected {self.size} bytes of {str(self.path)!r}, got another length."
            raise InputError(msg, hint="Send it again when no process writes it any more.")

    async def read_async(self) -> AsyncIterator[bytes]:
        """The same for coroutines, whose loop does not wait for the disk."""
        chunks = self.read()
        while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
            yield chunk


def note_digest(digest: bytes) -> dict[str, str]:
    """The digest that the service compares a body with (RFC 9530)."""
    return {"Content-Digest": f"sha-256=:{base64.b64encode(digest).decode('ascii')}:"}


def save(target: Path, chunks: Iterator[bytes]) -> None:
    """Write these bytes into a file, which gets its name when it is complete."""
    with PartFile(target) as part:
        for chunk in chunks:
            part.write(chunk)
        part.commit()


async def save_async(target: Path, chunks: AsyncIterator[bytes]) -> None:
    """The same for coroutines."""
    with await asyncio.to_thread(PartFile, target) as part:
        async for chunk in chunks:
            await asyncio.to_thread(part.write, chunk)
        await asyncio.to_thread(part.commit)


class PartFile:
    """A file on its way to its name: beside it under another one, and gone unless ``commit``."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._path = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
        with _writing(target):
            self._stream: BinaryIO = self._path.open("xb")

    def write(self, chunk: bytes) -> None:
        """Add bytes; raise OutputError where the disk does not take them."""
        with _writing(self._target):
            self._stream.write(chunk)

    def commit(self) -> None:
        """Give the file its name, whole and durable; what bore it before is replaced."""
        with _writing(self._target):
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self._stream.close()
            self._path.replace(self._target)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        with suppress(OSError):
            self._stream.close()
            self._path.unlink(missing_ok=True)


class LineSplitter:
    """Cuts chunks into lines, without their ends; empty ones are left out."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that end in this chunk."""
        # Not splitlines: a string of a row may hold what that takes for the end of a line.
        first, *others = chunk.split(b"\n")
        self._parts.append(first)
        if not others:
            return []
        lines = [b"".join(self._parts), *others[:-1]]
        self._parts = [others[-1]]
        return [line for line in lines if line]

    def end(self) -> list[bytes]:
        """The last line, where nothing ended it."""
        line, self._parts = b"".join(self._parts), []
        return [line] if line else []


@contextmanager
def _reading(path: Path) -> Iterator[BufferedReader]:
    try:
        with path.open("rb") as opened:
            yield opened
    except OSError as error:
        msg = f"Expected a file that can be read, got {str(path)!r} ({error.strerror})."
        raise InputError(msg, hint="Check the path.") from error


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = f"Expected to write {str(target)!r}, got {error.strerror or type(error).__name__}."
        raise OutputError(msg, hint="Check the folder: its space, its permissions.") from error
