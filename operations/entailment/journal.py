"""What a run of ``entail`` has done so far, on disk: a killed run continues.

Beside ``OUT.jsonl`` stand, until it is whole, ``OUT.jsonl.partial`` (its lines so far) and
``OUT.jsonl.partial.json`` (the mark: how far input and output were got through, both digested, and
by which verifier). What stands in the partial behind its mark is dropped, a torn line with it. A
mark whose digests do not hold, of a power cut or another input, is not believed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from typing import IO, TYPE_CHECKING, Any

from spanproof.core.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FORMAT = 1
_CHUNK_BYTES = 1024**2
_AGAIN = "Run the same command again: it continues this run."


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePoint:
    """How far a run has come: whole lines, and the bytes and SHA-256 (hex) of both files so far."""

    lines: int = 0
    not_run: int = 0
    input_bytes: int = 0
    input_sha256: str = hashlib.sha256().hexdigest()
    output_bytes: int = 0
    output_sha256: str = hashlib.sha256().hexdigest()


class Journal:
    """The partial output and its mark. One run holds it; get one from ``open_journal``."""

    def __init__(self, output: Path, stream: IO[bytes]) -> None:
        self._output = output
        self._stream = stream
        self._partial, self._mark_path = _paths(output)
        self._verifier = ""
        self._hash = hashlib.sha256()
        self.mark = ResumePoint()

    def resume(self, source: IO[bytes], *, verifier: str) -> str | None:
        """Continue an earlier run of the same input and verifier, or start a new one.

        Leaves ``source`` where the next line begins. Returns why it does not continue the earlier
        run; None where there was no run, or where it continues.
        """
        self._verifier = verifier
        found, why = self._read_mark()
        if found is not None:
            why = self._check(found, source)
        if found is not None and why is None:
            self.mark = found
        with self._wrapped():
            source.seek(self.mark.input_bytes)
            self._stream.truncate(self.mark.output_bytes)
            self._stream.seek(0)
            self._hash = hash_bytes(self._stream, self.mark.output_bytes)
            self._stream.seek(self.mark.output_bytes)
        return why

    def add(self, content: bytes, mark: ResumePoint) -> None:
        """Write whole lines and how far they bring the run; ``mark``'s output fields are ours."""
        self._hash.update(content)
        with self._wrapped():
            self._stream.write(content)
            self._stream.flush()
        self.mark = ResumePoint(
            lines=mark.lines,
            not_run=mark.not_run,
            input_bytes=mark.input_bytes,
            input_sha256=mark.input_sha256,
            output_bytes=self.mark.output_bytes + len(content),
            output_sha256=self._hash.hexdigest(),
        )
        self._write_mark()

    def finish(self) -> None:
        """Give the whole output its name."""
        with self._wrapped():
            os.fsync(self._stream.fileno())
            self._partial.replace(self._output)
            self._mark_path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the files; for a run that has written no line."""
        for path in (self._partial, self._mark_path):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _read_mark(self) -> tuple[ResumePoint | None, str | None]:
        try:
            raw: dict[str, Any] = json.loads(self._mark_path.read_bytes())
            is_ours = raw["format"] == _FORMAT and raw["verifier"] == self._verifier
            mark = ResumePoint(
                **{each.name: raw["mark"][each.name] for each in fields(ResumePoint)}
            )
        except FileNotFoundError:
            return None, None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None, "its mark cannot be read"
        return (mark, None) if is_ours else (None, "another verifier made it")

    def _check(self, mark: ResumePoint, source: IO[bytes]) -> str | None:
        source.seek(0)
        if hash_bytes(source, mark.input_bytes).hexdigest() != mark.input_sha256:
            return "its input was another"
        self._stream.seek(0)
        if hash_bytes(self._stream, mark.output_bytes).hexdigest() != mark.output_sha256:
            return "its lines are not those that it wrote"
        return None

    def _write_mark(self) -> None:
        raw = {"format": _FORMAT, "verifier": self._verifier, "mark": asdict(self.mark)}
        staged = self._mark_path.with_name(self._mark_path.name + ".new")
        with self._wrapped():
            staged.write_text(json.dumps(raw), encoding="utf-8")
            staged.replace(self._mark_path)

    @contextmanager
    def _wrapped(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise _to_error(self._output, error, done=self.mark.lines) from error


def count_kept(output: Path) -> int:
    """How many lines a run that was stopped has left for the next; 0 where no mark tells."""
    try:
        return int(json.loads(_paths(output)[1].read_bytes())["mark"]["lines"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return 0


@contextmanager
def open_journal(output: Path) -> Iterator[Journal]:
    """The journal of an output, held by this run alone; raise OutputError where it cannot be."""
    partial, _ = _paths(output)
    try:
        stream = _open_locked(partial)
    except BlockingIOError as error:
        msg = f"Expected {str(output)!r} to be written by one run, got another that writes it."
        raise OutputError(msg, hint="Wait for the other run, or give another --output.") from error
    except OSError as error:
        raise _to_error(output, error, done=0) from error
    journal = Journal(output, stream)
    try:
        yield journal
    finally:
        if not journal.mark.lines:
            journal.discard()
        # What a full disk did not take cannot be flushed now either.
        with suppress(OSError):
            stream.close()


def _open_locked(partial: Path) -> IO[bytes]:
    while True:
        descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        stream = os.fdopen(descriptor, "r+b")
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another run may have given this very file its final name before we got the lock.
            with suppress(FileNotFoundError):
                if partial.stat().st_ino == os.fstat(descriptor).st_ino:
                    return stream
        except BaseException:
            stream.close()
            raise
        stream.close()


def _paths(output: Path) -> tuple[Path, Path]:
    partial = output.with_name(output.name + ".partial")
    return partial, partial.with_name(partial.name + ".json")


def hash_bytes(stream: IO[bytes], count: int) -> hashlib._Hash:
    """The hash of the next ``count`` bytes, or of fewer where the stream ends."""
    digest = hashlib.sha256()
    while count > 0 and (chunk := stream.read(min(count, _CHUNK_BYTES))):
        digest.update(chunk)
        count -= len(chunk)
    return digest


def _to_error(output: Path, error: OSError, *, done: int) -> OutputError:
    msg = f"Expected to write {str(output)!r}, got {error.strerror or error!s}"
    msg += f" after {done} lines." if done else "."
    hint = "Check the path, its permissions and the space on the disk."
    return OutputError(msg, hint=f"{hint} {_AGAIN}" if done else hint)
