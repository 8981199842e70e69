"""A published vector, and a set of them that one part of our code answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """``comes_out``: whether our code says of it what its publisher says."""

    name: str
    comes_out: Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSet:
    """Vectors of one folder of ``vectors/`` and one question; ``ours`` answers it.

    ``accepted`` counts those that must be accepted, where that is the question.
    """

    folder: str
    question: str
    ours: str
    vectors: tuple[Vector, ...]
    accepted: int | None = None

    @property
    def title(self) -> str:
        """Its name in lists."""
        return f"{self.folder}: {self.question}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Published vectors about what we do not do."""

    folder: str
    count: int
    reason: str
