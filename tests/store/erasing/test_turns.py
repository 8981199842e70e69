"""Whoever looks for a tombstone and logs one does so alone, whatever host it is on."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from spanproof.store.erasing.erasures import Erasures

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store import Store

WAIT_SECONDS = 20


def test_who_erases_waits_for_whoever_does(store: Store, tmp_path: Path) -> None:
    ours, theirs = store.erasures, store.erasures
    if ours._database.is_postgresql:
        # Another host's: its files are not here, and its database is the same.
        theirs = Erasures(ours._database, ours._blobs, tmp_path, ours._keys)
    is_in = threading.Event()

    def enter() -> None:
        with theirs.database_lock():
            is_in.set()

    thread = threading.Thread(target=enter)
    with ours.database_lock():
        thread.start()
        assert not is_in.wait(0.2)
    assert is_in.wait(WAIT_SECONDS)
    thread.join()
