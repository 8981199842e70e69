"""End the serving process in bounded time, even if threads still wait."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from contextlib import suppress
from typing import NoReturn

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
