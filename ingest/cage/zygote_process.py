"""The parent's side of a zygote: start it, take children from it, end them, hear how they died."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import SettingsError
from spanproof.ingest.cage.exchange import Channel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.core.documents.document import SandboxLevel
    from spanproof.ingest.cage.confine import Lock
    from spanproof.ingest.cage.preload import Preload
    from spanproof.ingest.limits import Limits

#: The module that a zygote runs.
ZYGOTE = "spanproof.ingest.cage.zygote"
# Starting Python and loading libraries is not the document's time.
_START_SECONDS = 120.0
# A zygote forks, ends and reports; none of it takes long, but the machine may be busy.
_ANSWER_SECONDS = 30.0
# An image, an annotated copy or a layout may be larger than the document it came from.
_MOST_ANSWER_BYTES = 1 << 30
_INHERITED = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
#: No telemetry, no downloads, no caches, no threads: a caged child could have none of them. And
#: large pages: a child's memory is all new, and small ones cost it a fault each.
_ENVIRONMENT = {
    "DO_NOT_TRACK": "1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "HF_HUB_OFFLINE": "1",
    "HOME": "/nonexistent",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "MKL_NUM_THREADS": "1",
    "NUMBA_CACHE_DIR": "/nonexistent",
    "NUMEXPR_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "SCARF_NO_ANALYTICS": "true",
    "TOKENIZERS_PARALLELISM": "false",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
}


class ZygoteGoneError(Exception):
    """The zygote died or does not answer: no document's fault; another can be started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildExit:
    """How a child ended: its exit status (negative: a signal), and how far it had come."""

    status: int
    has_begun: bool
    page: int

    @property
    def how(self) -> str:
        """In a word: the signal's name or the exit status."""
        try:
            return signal.Signals(-self.status).name
        except ValueError:
            return f"exit status {self.status}"


class Child:
    """One confined process that takes one document."""

    def __init__(self, pid: int, channel: Channel) -> None:
        self.pid = pid
        self.channel = channel

    def receive_level(self) -> tuple[SandboxLevel, tuple[str, ...]]:
        """How far it confined itself, and the missing locks; known before it gets a document."""
        head, _ = self.channel.receive(most=0, until=time.monotonic() + _ANSWER_SECONDS)
        return head["level"], tuple(head["missing"])

    def send_document(self, head: dict[str, Any], data: bytes, *, until: float) -> None:
        """Hand the document over."""
        # Who refuses before all of it has come has answered already: that is heard next.
        with suppress(ConnectionError):
            self.channel.send(head, (data,), until=until)

    def receive_answer(self, *, until: float) -> tuple[dict[str, Any], list[bytes]]:
        """Wait for the answer."""
        return self.channel.receive(most=_MOST_ANSWER_BYTES, until=until)


class ZygoteProcess:
    """One zygote process; threads may take children from it at the same time.

    ``tasks`` names modules whose ``TASKS`` its children can do besides the product's own.
    """

    def __init__(
        self, preload: Preload, limits: Limits, locks: Iterable[Lock], tasks: Iterable[str] = ()
    ) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, our own arguments
                # -P: the folder we run in is not ours, and a module in it would run uncaged.
                [sys.executable, "-P", "-m", ZYGOTE, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                env=_make_environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # An interrupt at the keyboard is ours to handle, not theirs.
                start_new_session=True,
            )
        self._channel = Channel(ours)
        self._lock = threading.Lock()
        try:
            head = {"preload": preload, "limits": asdict(limits), "locks": [*locks]}
            self._channel.send(head | {"tasks": [*tasks]})
            self._channel.receive(most=0, until=time.monotonic() + _START_SECONDS)
        except (OSError, EOFError, ValueError) as error:
            self.close()
            msg = f"Expected a parser that starts, got one that ended ({self._process.returncode})."
            raise SettingsError(msg, hint="Check the installation and free memory.") from error

    @property
    def pid(self) -> int:
        """The zygote's process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def take(self, reads: Sequence[str] = ()) -> Child:
        """A fresh child, already locked up; ``reads`` are paths that it may read besides."""
        until = time.monotonic() + _ANSWER_SECONDS
        try:
            with self._lock:
                self._channel.send({"do": "next", "reads": [*reads]}, until=until)
                head, _ = self._channel.receive(most=0, until=until)
                end = socket.socket(fileno=self._channel.receive_file(until=until))
        except (OSError, EOFError, ValueError) as error:
            raise ZygoteGoneError from error
        return Child(head["pid"], Channel(end))

    def end(self, child: Child) -> None:
        """Be done with a child that has answered."""
        child.channel.close()
        try:
            with self._lock:
                self._channel.send({"do": "end", "pid": child.pid})
        except (OSError, ValueError):
            # Gone with all its children: the next document starts another.
            return

    def explain(self, child: Child) -> ChildExit:
        """End a child that did not answer, and hear how it died."""
        child.channel.close()
        until = time.monotonic() + _ANSWER_SECONDS
        try:
            with self._lock:
                self._channel.send({"do": "explain", "pid": child.pid}, until=until)
                head, _ = self._channel.receive(most=0, until=until)
        except (OSError, EOFError, ValueError) as error:
            raise ZygoteGoneError from error
        return ChildExit(**head)

    def close(self) -> None:
        """End the zygote and, with it, its children."""
        # It lives by this socket: it ends its children, then itself.
        self._channel.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


def _make_environment() -> dict[str, str]:
    given = {name: value for name in _INHERITED if (value := os.environ.get(name))}
    path = os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path if entry)
    return given | {"PYTHONPATH": path} | _ENVIRONMENT
