"""What each command opens first (settings, the store, the log of warnings), and how it stops."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

from spanproof.api.cli.output import write_error
from spanproof.operations.assembly import make_context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings


def load_settings(*, log_level: int = logging.WARNING, **given: object) -> Settings:
    """The settings of the environment, with the command line's in their place.

    Events below ``log_level`` are not logged: the result itself reports success.
    """
    from spanproof.operations.settings import Settings

    route_notices(log_level)
    return Settings(**{name: value for name, value in given.items() if value is not None})


@contextmanager
def open_session() -> Iterator[Context]:
    """Context on the store of the settings; everything is closed on the way out."""
    from spanproof.operations.assembly import open_context

    with open_context(load_settings()) as context:
        yield context


@contextmanager
def open_model_session(*, cache_entries: int | None = None) -> Iterator[Context]:
    """The same for a command that may not need the store: it opens at its first use.

    With ``cache_entries`` 0 the model's readings are not kept either.
    """
    context = make_context(load_settings(cache_entries=cache_entries))
    try:
        yield context
    finally:
        context.close()


def route_notices(log_level: int) -> None:
    """Send warnings and logs to stderr: stdout holds the requested document alone."""
    # The library alone logs nothing: structlog comes with the service.
    with suppress(ModuleNotFoundError):
        import structlog

        structlog.configure(
            logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
            wrapper_class=structlog.make_filtering_bound_logger(log_level),
        )

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        if issubclass(category, UserWarning | RuntimeWarning):
            write_error("WARNING", str(message))

    warnings.showwarning = show


#: After the drain: time to write what waits and to close keys and files.
CLOSING_SECONDS = 8.0


def end_within(seconds: float, code: int) -> None:
    """End the process with this code after so many seconds, unless it has ended before.

    Nothing acknowledged is lost: it is on the disk before it is answered.
    """

    def end() -> None:
        time.sleep(seconds)
        os._exit(code)

    threading.Thread(target=end, name="spanproof-end", daemon=True).start()


def leave(code: int) -> NoReturn:
    """End the process once everything is closed.

    The interpreter would first wait for abandoned threads, such as one whose model does not answer,
    and unload modules: on a loaded machine that took up to a minute.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        # Their reader may be gone.
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
