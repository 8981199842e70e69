"""Which page is being read: an engine says it, whoever watches over the process may listen.

A crash leaves no time to say where it happened; the page that was said last tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_listeners: list[Callable[[int], None]] = []


def report_page(number: int) -> None:
    """Say that a page (from 1) is read from now on; 0: none in particular."""
    for listener in _listeners:
        listener(number)


def listen_to_pages(listener: Callable[[int], None]) -> None:
    """Have this called with every page that is read in this process."""
    _listeners.append(listener)
