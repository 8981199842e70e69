"""A part of a context: made at its first use, closed once, or shared by another owner."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Part(Generic[T]):
    """Something that is made at its first use; safe for several threads.

    A failure is not kept: the next use tries again. After ``close`` the next use makes it anew.
    """

    def __init__(
        self, make: Callable[[], T], close: Callable[[T], None], *, patience: float = -1
    ) -> None:
        """``patience`` is how many seconds closing waits for a making; without it, to its end."""
        self._make, self._close = make, close
        self._patience = patience
        self._lock = threading.Lock()
        self._made: list[T] = []

    @staticmethod
    def of(value: T) -> Part[T]:
        """A part that was made elsewhere, and is closed there."""
        return _Shared(lambda: value)

    def share(self) -> Part[T]:
        """The same part for another context, which neither makes nor closes one of its own."""
        return _Shared(self.get)

    @property
    def is_made(self) -> bool:
        """Whether it was used, and not closed since."""
        return bool(self._made)

    def get(self) -> T:
        """The part."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def close(self) -> None:
        """Close it if it was made; closing twice does nothing."""
        if not self._lock.acquire(timeout=self._patience):
            return
        try:
            made, self._made = self._made, []
        finally:
            self._lock.release()
        for each in made:
            self._close(each)


class _Shared(Part[T]):
    """A part with another owner."""

    def __init__(self, find: Callable[[], T]) -> None:
        super().__init__(find, lambda _: None)

    def get(self) -> T:
        """What its owner has now."""
        return self._make()
