"""The end of a process that serves: bounded in time, whatever its threads still wait for."""

from __future__ import annotations

import os
import threading
import time

#: Beyond the drain: what waits to be written is written, keys and files are closed.
CLOSING_SECONDS = 8.0
#: After all was closed: for threads that nothing waits for, such as one whose model does not answer.
LEAVING_SECONDS = 2.0


def end_within(seconds: float, code: int) -> None:
    """End the process with this code in so many seconds, unless it has ended before.

    Nothing is lost by it that was acknowledged: that is on the disk before it is answered.
    """

    def end() -> None:
        time.sleep(seconds)
        os._exit(code)

    threading.Thread(target=end, name="spanproof-end", daemon=True).start()
