"""The zygote: loads what readers need once, then forks a confined child for each document.

``spanproof.ingest.cage.zygote_process`` starts it as ``python -m spanproof.ingest.cage.zygote FD``.
It has one thread, gets no secret, and never sees a document. Requests come on one socket, in turn:

- ``next``: give a child (its socket goes along); ``reads`` names what else it may read
- ``end``: kill and reap that child (no answer)
- ``explain``: the same; the answer says how it ended and where it was
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import select
import signal
import socket
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spanproof.ingest.cage.child import PROGRESS, Equipment, run_child
from spanproof.ingest.cage.confine import find_readable
from spanproof.ingest.cage.exchange import Channel
from spanproof.ingest.cage.preload import PRELOADS
from spanproof.ingest.cage.system_calls import compile_filter
from spanproof.ingest.cage.tasks import load_tasks
from spanproof.ingest.limits import Limits

_HEAD_ONLY = 0
# How long a dying child is left alone before the next look; it takes milliseconds to die.
_LOOK_MILLISECONDS = 5


@dataclass(slots=True, kw_only=True)
class _Forked:
    """A child, our ends of what joins us to it."""

    pid: int
    end: socket.socket
    progress: mmap.mmap


@dataclass(slots=True, kw_only=True)
class _Zygote:
    """Children by their process id; a spare one waits, locked up, for the next document."""

    control: socket.socket
    equipment: Equipment
    handed_out: dict[int, _Forked] = field(default_factory=dict)
    dying: dict[int, _Forked] = field(default_factory=dict)
    spare: _Forked | None = None

    def serve(self) -> None:
        """Take requests until the parent hangs up; no child outlives that."""
        channel = Channel(self.control)
        try:
            channel.send({"ready": True})
            self.spare = self._fork(())
            while True:
                self._reap_children()
                head, _ = channel.receive(most=_HEAD_ONLY)
                self._answer(channel, head)
        except (EOFError, ConnectionError):
            return
        finally:
            for forked in (*self.handed_out.values(), *self.dying.values()):
                self._finish(forked)
            if self.spare is not None:
                self._finish(self.spare)

    def _answer(self, channel: Channel, head: dict[str, Any]) -> None:
        if head["do"] == "next":
            self._give_child(channel, tuple(head["reads"]))
            return
        forked = self.handed_out.pop(head["pid"])
        os.kill(forked.pid, signal.SIGKILL)
        if head["do"] == "end":
            self.dying[forked.pid] = forked
            return
        status, has_begun, page = self._finish(forked)
        channel.send({"status": status, "has_begun": has_begun, "page": page})

    def _give_child(self, channel: Channel, reads: tuple[str, ...]) -> None:
        forked, self.spare = (self._fork(reads), self.spare) if reads else (self.spare, None)
        if forked is None:
            forked = self._fork(())
        self.handed_out[forked.pid] = forked
        channel.send({"pid": forked.pid})
        channel.send_file(forked.end.fileno())
        forked.end.close()
        if self.spare is None:
            # Now, while that child works: no one then waits for forking and locking up.
            self.spare = self._fork(())

    def _fork(self, reads: tuple[str, ...]) -> _Forked:
        zygote = os.getpid()
        progress = mmap.mmap(-1, PROGRESS.size)
        end, theirs = socket.socketpair()
        with theirs:
            pid = os.fork()
            if pid == 0:
                status = 1
                try:
                    self._close_siblings()
                    run_child(
                        theirs, progress, self.equipment, zygote=zygote, reads=map(Path, reads)
                    )
                    status = 0
                finally:
                    os._exit(status)
        return _Forked(pid=pid, end=end, progress=progress)

    def _close_siblings(self) -> None:
        """In a child: unmap the memory that its siblings write to; files are closed later."""
        for forked in (*self.handed_out.values(), *self.dying.values(), self.spare):
            if forked is not None:
                forked.progress.close()

    def _reap_children(self) -> None:
        """Wait for children that were ended, until the next request comes."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        while self.dying and not poll.poll(_LOOK_MILLISECONDS):
            for forked in tuple(self.dying.values()):
                if os.waitpid(forked.pid, os.WNOHANG)[0]:
                    self.dying.pop(forked.pid).progress.close()

    def _finish(self, forked: _Forked) -> tuple[int, bool, int]:
        """End a child and wait for it: its exit status, whether it had started, its last page."""
        os.kill(forked.pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(forked.pid, 0)[1])
        has_begun, page = PROGRESS.unpack_from(forked.progress)
        forked.progress.close()
        forked.end.close()
        return status, has_begun, page


def compact_memory() -> None:
    """Free unused memory and freeze the rest, so that forks and collections copy little."""
    gc.collect()
    # Only glibc has it.
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    gc.freeze()


def main() -> None:
    """Take the settings, load, then serve."""
    control = socket.socket(fileno=int(sys.argv[1]))
    head, _ = Channel(control).receive(most=_HEAD_ONLY)
    # Before anything is locked: the binding starts programs to find its library.
    program = compile_filter() if "seccomp" in head["locks"] else None
    PRELOADS[head["preload"]]()
    equipment = Equipment(
        preload=head["preload"],
        limits=Limits(**head["limits"]),
        locks=tuple(head["locks"]),
        program=program,
        readable=find_readable(),
        # Loaded here: a child can read the product's own modules only.
        tasks=load_tasks(head["tasks"]),
    )
    compact_memory()
    _Zygote(control=control, equipment=equipment).serve()


if __name__ == "__main__":
    main()
