"""What a fork of the zygote does: lock itself up, say how far, take one document, answer, end."""

from __future__ import annotations

import gc
import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import BrokenDocumentError, LimitExceededError, SpanproofError
from spanproof.ingest.cage.confine import confine, die_with_parent
from spanproof.ingest.cage.exchange import Channel, error_to_head
from spanproof.ingest.cage.preload import touch_memory
from spanproof.ingest.limits import listen_to_pages

if TYPE_CHECKING:
    import mmap
    import socket
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from spanproof.ingest.cage.confine import Lock
    from spanproof.ingest.cage.preload import Preload
    from spanproof.ingest.cage.tasks import Task
    from spanproof.ingest.limits import Limits

#: What the child leaves to show how it died: whether it started, and its last page.
PROGRESS = struct.Struct("=?I")
_STANDARD_FILES = 3
_MOST_FILES = 4096
# New objects between two looks for cycles; Python's own 700 is made for small programs.
_COLLECTED_AT = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What each child of a zygote is given: what it loaded, its locks, and what it may do."""

    limits: Limits
    preload: Preload
    locks: tuple[Lock, ...]
    program: bytes | None
    readable: tuple[Path, ...]
    tasks: Mapping[str, Task]


def run_child(
    end: socket.socket,
    progress: mmap.mmap,
    given: Equipment,
    *,
    zygote: int,
    reads: Iterable[Path],
) -> None:
    """Serve one request on the socket, with more files to read; the caller ends the process."""
    limits = given.limits
    die_with_parent(zygote)
    keep_only(end.fileno())
    channel = Channel(end)
    held = confine(limits, (*given.readable, *reads), given.locks, given.program)
    channel.send({"level": held.level, "missing": list(held.missing)})
    touch_memory(given.preload)
    # Objects of a large table are kept until the end: looking for cycles among them finds none.
    gc.set_threshold(_COLLECTED_AT)
    channel.wait()
    PROGRESS.pack_into(progress, 0, True, 0)  # noqa: FBT003 - struct's signature
    try:
        head, parts = channel.receive(most=limits.max_bytes)
    except EOFError:
        return
    except MemoryError:
        channel.send(*_needs_memory())
        return
    listen_to_pages(lambda page: PROGRESS.pack_into(progress, 0, True, page))  # noqa: FBT003
    channel.send(*_work(given.tasks, head, parts, limits))


def keep_only(descriptor: int) -> None:
    """Close every file but the standard three (which are null) and this one."""
    os.closerange(_STANDARD_FILES, descriptor)
    os.closerange(descriptor + 1, _MOST_FILES)


def _work(
    tasks: Mapping[str, Task], head: dict[str, Any], parts: list[bytes], limits: Limits
) -> tuple[dict[str, Any], list[bytes]]:
    try:
        return {}, tasks[head["do"]](head, parts[0], limits)
    except SpanproofError as error:
        return error_to_head(error), []
    except MemoryError:
        gc.collect()
        return _needs_memory()
    except RecursionError:
        msg = "Expected a document that nests as deep as people write, got a deeper one."
        hint = "Open the file in a viewer and save it again."
        return error_to_head(LimitExceededError(msg, hint=hint)), []
    except Exception as error:  # noqa: BLE001 - a reader's slip costs its document, with a name
        msg = f"Expected a document that its reader takes, got a {type(error).__name__} of it."
        hint = "Open the file in a viewer and save it again."
        return error_to_head(BrokenDocumentError(msg, hint=hint)), []


def _needs_memory() -> tuple[dict[str, Any], list[bytes]]:
    msg = "Expected a document that fits in the memory allowed, got one that needs more."
    hint = "Split the document, or raise SPANPROOF_PARSE_MEMORY_BYTES."
    return error_to_head(LimitExceededError(msg, hint=hint)), []
