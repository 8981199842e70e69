"""The parser's child: reads requests from one socket until it closes, one document at a time.

Started by ``ingest.sandbox`` as ``python -m ingest.child FD``; it is given no secret and no file.
"""

from __future__ import annotations

import gc
import sys
from multiprocessing.connection import Connection

from core.errors import LimitExceededError, SpanproofError
from ingest.engine.library import load_pymupdf
from ingest.exchange import error_to_head, receive, send
from ingest.extraction import extract
from ingest.limits import Limits
from ingest.tasks import TASKS

_OPEN_FILES = 64


def confine(limits: Limits) -> None:
    """Cap this process's memory and open files for good, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))


def grant_seconds(seconds: float) -> None:
    """Allow so many more seconds of CPU; the parent's wall clock is the other limit."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = int(used.ru_utime + used.ru_stime + seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (most, hard))


def serve(connection: Connection, limits: Limits) -> None:
    """Answer requests until the parent hangs up."""
    while True:
        try:
            head, parts = receive(connection, most=limits.max_bytes)
        except EOFError:
            return
        grant_seconds(limits.seconds)
        try:
            found = TASKS[head["do"]](head, parts[0], limits)
        except SpanproofError as error:
            send(connection, error_to_head(error))
        except MemoryError:
            gc.collect()
            msg = "Expected a document that fits in the memory allowed, got one that needs more."
            hint = "Split the document or raise the memory limit."
            send(connection, error_to_head(LimitExceededError(msg, hint=hint)))
        else:
            send(connection, {}, found)


def main() -> None:
    """Load the engine and make the tables, confine the process, then serve."""
    connection = Connection(int(sys.argv[1]))
    head, _ = receive(connection, most=0)
    limits = Limits(**head["limits"])
    load_pymupdf()
    extract(b"warm", limits=limits)
    confine(limits)
    send(connection, {"ready": True})
    serve(connection, limits)


if __name__ == "__main__":
    main()
