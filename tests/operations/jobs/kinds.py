"""Kinds of jobs for tests: what they write is a line of a ledger, so that every run can be told.

A worker process finds them by the environment variable that ``spanproof worker`` never reads: the
test's own worker (``tests.operations.jobs.worker``) adds them to the registry before it starts.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any

from spanproof.operations.jobs import KINDS, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.context import Context
    from spanproof.operations.jobs import ProgressCall

#: Held by tests that want a job to wait.
GATE = threading.Event()


def run_counted(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Begin, take a while, make a file of the job's own name; made already, it stays."""
    total = int(arguments.get("units", 1))
    folder = context.settings.home / "made"
    folder.mkdir(exist_ok=True)
    name = str(arguments["name"])
    _write_line(folder / "begun", f"{name} {os.getpid()}")
    for unit in range(total):
        progress(unit, total)
        time.sleep(float(arguments.get("seconds", 0.0)))
    try:
        # One of two runs makes it, as one of two inserts under one key does.
        (folder / f"{name}.done").touch(exist_ok=False)
    except FileExistsError:
        return {"name": name, "tenant": context.tenant}
    _write_line(folder / "made", name)
    return {"name": name, "tenant": context.tenant}


def run_gated(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Go on unit by unit until the gate is open."""
    del context, arguments
    for unit in range(10_000):
        progress(unit, 10_000)
        if GATE.wait(0.01):
            break
    return {}


def run_faulty(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Fail with words of a document, which nobody may read."""
    del context, arguments, progress
    raise ValueError("words of a document")


def _write_line(path: Any, line: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        # One write of one line: several processes append to one file.
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def register() -> None:
    """Add the kinds to the registry of this process."""
    for name, run in (("counted", run_counted), ("gated", run_gated), ("faulty", run_faulty)):
        KINDS[name] = Kind(name=name, place=run)
