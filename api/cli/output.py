"""Output: one JSON document or text on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

    from spanproof.core.errors import SpanproofError


class OutputClosedError(Exception):
    """The reader of stdout is gone; not an OSError, which typer would turn into exit 1."""


def write_bytes(content: bytes) -> None:
    """Write raw bytes to stdout, unchanged."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        # The interpreter flushes stdout once more at its end: give it a place to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OutputClosedError from error


def write_json(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Write one JSON document to stdout."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    # A file's name may hold bytes outside UTF-8; JSON escapes them.
    write_bytes(text.encode("utf-8", "backslashreplace") + b"\n")


def write_rich(*renderables: RenderableType) -> None:
    """Write to stdout, coloured on a terminal; long lines are left to the terminal to wrap."""
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False)
    with console.capture() as capture:
        for renderable in renderables:
            console.print(renderable, soft_wrap=True)
    write_bytes(capture.get().encode("utf-8", "replace"))


def write_error(code: str, message: str) -> None:
    """Write the one line of an error to stderr."""
    # A file's name may hold a newline or an escape sequence; keep both from the terminal.
    line = "".join(c if c.isprintable() else " " for c in f"spanproof: {code}: {message}")
    print(" ".join(line.split()), file=sys.stderr)  # noqa: T201 - this is the command line


def write_problem(error: SpanproofError) -> None:
    """Write an error's code, what was expected and got, and its next step."""
    write_error(error.code, f"{error.message} {error.hint}")


def write_note(message: str) -> None:
    """Write a line of progress to stderr."""
    print(message, file=sys.stderr, flush=True)  # noqa: T201 - this is the command line


def is_watched() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr.isatty()


@contextmanager
def show_progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Show how many of ``total`` are done; the yielded function counts one more (any thread)."""
    if total <= 1 or not is_watched():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # Transient: the bar disappears at the end; lines written meanwhile go above it.
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
