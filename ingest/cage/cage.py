"""The cage as its users see it: ask, and a locked-up child of a warm zygote answers."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import (
    BrokenDocumentError,
    ExtractionError,
    LimitExceededError,
    SandboxUnavailableError,
    SettingsError,
)
from spanproof.ingest.cage.confine import LOCKS
from spanproof.ingest.cage.exchange import error_from_head
from spanproof.ingest.cage.preload import PRELOADS
from spanproof.ingest.cage.zygote_process import ZygoteGoneError, ZygoteProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import SandboxLevel
    from spanproof.ingest.cage.confine import Lock
    from spanproof.ingest.cage.preload import Preload
    from spanproof.ingest.cage.zygote_process import Child, ChildExit
    from spanproof.ingest.limits import CageChoice, Limits

# A zygote that was ended from outside is replaced; one that keeps dying is not.
_MOST_STARTS = 3
_SIGKILL, _SIGXCPU = -9, -24


class CrashedError(BrokenDocumentError):
    """A document that ended the parser, the page in work (0: none), and the time it took."""

    def __init__(self, death: ChildExit, seconds: float) -> None:
        msg = f"Expected a document that the parser survives, got one that ended it ({death.how})."
        super().__init__(msg, hint="Open the file in a viewer and save it again.")
        self.page = death.page if death.status < 0 else 0
        self.how = death.how
        self.seconds = seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The parts that a child handed over, and how far it was locked up when it got the document."""

    parts: list[bytes]
    level: SandboxLevel


class Cage:
    """Zygotes by their loaded modules; up to ``workers`` threads have a child at once.

    ``without`` leaves locks out as if the kernel had none: how the refusal of ``required`` is seen.
    ``tasks`` names modules with further tasks, each under ``TASKS``.
    """

    def __init__(
        self,
        limits: Limits,
        choice: CageChoice,
        *,
        workers: int,
        without: Sequence[Lock] = (),
        tasks: Sequence[str] = (),
    ) -> None:
        self._limits = limits
        self._choice = choice
        self._tasks = tuple(tasks)
        self._locks = () if choice == "off" else tuple(one for one in LOCKS if one not in without)
        self._slots = threading.BoundedSemaphore(workers)
        # One lock a kind: who reads a PDF does not wait until the other readers are loaded.
        self._doors = {preload: threading.Lock() for preload in PRELOADS}
        self._zygotes: dict[Preload, ZygoteProcess] = {}
        # How often this was closed: a request from before a closing starts nothing after it.
        self._closings = 0

    def close(self) -> None:
        """End every process and refuse the documents in work; a later call starts new processes."""
        self._closings += 1
        for preload, door in self._doors.items():
            with door:
                zygote = self._zygotes.pop(preload, None)
                if zygote is not None:
                    zygote.close()

    @property
    def zygotes(self) -> tuple[int, ...]:
        """The process ids of the zygotes that run."""
        return tuple(zygote.pid for zygote in tuple(self._zygotes.values()))

    def check(self, preload: Preload) -> SandboxLevel:
        """How far a child locks itself up here; raise what reading a document would raise."""
        zygote, child, level = self._take(preload, (), self._closings)
        zygote.end(child)
        return level

    def ask(
        self,
        head: dict[str, Any],
        data: bytes,
        preload: Preload,
        *,
        reads: Sequence[str],
        seconds: float,
    ) -> Answer:
        """Have one of ``spanproof.ingest.cage.tasks`` done.

        ``reads`` are paths that the child may read besides. The parts of the answer are not checked
        yet.
        """
        closings = self._closings
        with self._slots:
            for _ in range(_MOST_STARTS):
                zygote, child, level = self._take(preload, reads, closings)
                began = time.monotonic()
                try:
                    child.send_document(head, data, until=began + seconds)
                    answer, parts = child.receive_answer(until=began + seconds)
                except (OSError, EOFError, ValueError) as error:
                    death = _find_death(zygote, child)
                    if self._closings != closings:
                        raise _closed() from error
                    if isinstance(error, TimeoutError):
                        raise self._too_late() from error
                    if isinstance(error, ValueError):
                        raise invalid_answer() from error
                    if death is None or not death.has_begun:
                        # Ended from outside while it had nothing to do: not this document's doing.
                        continue
                    raise self._explain(death, time.monotonic() - began) from error
                zygote.end(child)
                refusal = error_from_head(answer)
                if refusal is not None:
                    raise refusal
                return Answer(parts=parts, level=level)
        raise _cannot_start(got="one that is ended before it reads")

    def _take(
        self, preload: Preload, reads: Sequence[str], closings: int
    ) -> tuple[ZygoteProcess, Child, SandboxLevel]:
        for _ in range(_MOST_STARTS):
            zygote = self._find_zygote(preload, closings)
            try:
                child = zygote.take(reads)
            except ZygoteGoneError:
                self._discard(preload, zygote)
                continue
            try:
                level, missing = child.receive_level()
            except (OSError, EOFError, ValueError):
                zygote.end(child)
                continue
            if self._choice == "required" and missing:
                zygote.end(child)
                msg = f"Expected every lock of the cage, got none for {'; '.join(missing)}."
                hint = "Use a kernel with Landlock and seccomp, or set SPANPROOF_SANDBOX=auto."
                raise SandboxUnavailableError(msg, hint=hint)
            return zygote, child, level
        raise _cannot_start(got="one that keeps ending")

    def _find_zygote(self, preload: Preload, closings: int) -> ZygoteProcess:
        with self._doors[preload]:
            if self._closings != closings:
                raise _closed()
            zygote = self._zygotes.get(preload)
            if zygote is None or not zygote.is_alive:
                if zygote is not None:
                    zygote.close()
                zygote = ZygoteProcess(preload, self._limits, self._locks, self._tasks)
                self._zygotes[preload] = zygote
            return zygote

    def _discard(self, preload: Preload, zygote: ZygoteProcess) -> None:
        with self._doors[preload]:
            if self._zygotes.get(preload) is zygote:
                del self._zygotes[preload]
            zygote.close()

    def _explain(self, death: ChildExit, seconds: float) -> ExtractionError:
        # The kernel ends a process over its CPU limit with SIGXCPU before our clock does.
        if death.status == _SIGXCPU:
            return self._too_late()
        if death.status == _SIGKILL:
            msg = "Expected a document that the system lets us read, got a parser that was killed."
            return LimitExceededError(msg, hint="Free memory: the system may have run out of it.")
        return CrashedError(death, seconds)

    def _too_late(self) -> LimitExceededError:
        most = self._limits.seconds
        msg = f"Expected a document that is read in {most:g} s, got one that takes longer."
        hint = "Split it, or raise SPANPROOF_PARSE_SECONDS; OCR takes 2 to 8 seconds a page."
        return LimitExceededError(msg, hint=hint)


def _find_death(zygote: ZygoteProcess, child: Child) -> ChildExit | None:
    try:
        return zygote.explain(child)
    except ZygoteGoneError:
        return None


def invalid_answer() -> BrokenDocumentError:
    """What is raised where a child's answer does not hold together."""
    msg = "Expected an answer of the parser that holds together, got one that does not."
    return BrokenDocumentError(msg, hint="Report the document: it may attack the parser.")


def _closed() -> SettingsError:
    msg = "Expected a parser that stays open, got one that was closed while it read."
    return SettingsError(msg, hint="Read the document again.")


def _cannot_start(*, got: str) -> SettingsError:
    msg = f"Expected a parser that starts, got {got}."
    return SettingsError(msg, hint="Check the installation and free memory.")
