"""A progress bar on stderr if it is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
