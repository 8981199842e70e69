"""The end of a process that serves: bounded in time, whatever its threads still wait for."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from contextlib import suppress
from typing import NoReturn

#: Beyond the drain: what waits to be written is written, keys and files are closed.
CLOSING_SECONDS = 8.0


def end_within(seconds: float, code: int) -> None:
    """End the process with this code in so many seconds, unless it has ended before.

    Nothing is lost by it that was acknowledged: that is on the disk before it is answered.
    """

    def end() -> None:
        time.sleep(seconds)
        os._exit(code)

    threading.Thread(target=end, name="spanproof-end", daemon=True).start()


def leave(code: int) -> NoReturn:
    """End the process now that all of it is closed.

    The interpreter would first wait for threads that nobody waits for, such as one whose model does
    not answer, and take the modules apart: on a loaded machine that took up to a minute.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        # Whoever reads them may be gone.
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
