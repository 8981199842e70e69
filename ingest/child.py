"""The parser's child: reads requests from one socket until it closes, one document at a time.

Started by ``ingest.sandbox`` as ``python -m ingest.child FD``; it is given no secret and no file.
"""

from __future__ import annotations

import gc
import sys
from dataclasses import astuple
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from core.errors import LimitExceededError, SpanproofError
from core.extraction_record import to_record
from ingest.choices import OcrChoice
from ingest.engine.library import load_pymupdf
from ingest.exchange import error_to_head, receive, send
from ingest.extraction import extract
from ingest.limits import Limits
from ingest.render import Highlight, annotate_pdf, render_page

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def answer(head: dict[str, Any], parts: list[bytes], limits: Limits) -> list[bytes]:
    """Do what a request asks."""
    data = parts[0]
    if head["do"] == "extract":
        extraction = extract(
            data,
            media_type=head["media_type"],
            filename=head["filename"],
            limits=limits,
            engine=head["engine"],
            ocr=None if head["ocr"] is None else OcrChoice(**head["ocr"]),
        )
        return list(astuple(to_record(extraction)))
    if head["do"] == "render_page":
        marks = _to_highlights(head["highlights"])
        return [render_page(data, head["page"], marks, dpi=head["dpi"])]
    by_page = {int(page): _to_highlights(raw) for page, raw in head["highlights"].items()}
    return [annotate_pdf(data, by_page)]


def _to_highlights(raw: Iterable[dict[str, Any]]) -> tuple[Highlight, ...]:
    return tuple(Highlight.from_json(one) for one in raw)


def serve(connection: Connection, limits: Limits) -> None:
    """Answer requests until the parent hangs up."""
    while True:
        try:
            head, parts = receive(connection, most=limits.max_bytes)
        except EOFError:
            return
        grant_seconds(limits.seconds)
        try:
            found = answer(head, parts, limits)
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
