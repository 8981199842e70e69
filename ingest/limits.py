"""How much of a document is read before it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import InputError, LimitExceededError

if TYPE_CHECKING:
    from collections.abc import Callable

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Caps on one document; only a ``sandbox.Parser`` can enforce those on time and memory."""

    max_bytes: int = 100 * MEBIBYTE
    max_pages: int = 5_000
    max_characters: int = 20_000_000
    seconds: float = 60.0
    memory_bytes: int = 2048 * MEBIBYTE

    def __post_init__(self) -> None:
        for name in ("max_bytes", "max_pages", "max_characters", "seconds", "memory_bytes"):
            if getattr(self, name) <= 0:
                msg = f"Expected a limit above 0, got {name}={getattr(self, name)}."
                raise InputError(msg, hint="Give a positive limit.")


def check_limit(got: int, most: int, what: str) -> None:
    """Raise LimitExceededError where a document has more of something than the limit allows."""
    if got > most:
        msg = f"Expected at most {most} {what}, got {got}."
        raise LimitExceededError(msg, hint="Split the document or raise the limit.")


_listeners: list[Callable[[int], None]] = []


def report_page(number: int) -> None:
    """Record that a page (from 1) is being read; 0: no certain page."""
    for listener in _listeners:
        listener(number)


def listen_to_pages(listener: Callable[[int], None]) -> None:
    """Have this called with every page that is read in this process."""
    _listeners.append(listener)
