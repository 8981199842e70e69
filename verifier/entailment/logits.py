"""What the runtime hands over for one pair before any decision: one row of logits a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Raw logits of each window in the model's own order, and where the windows lie in the premise.

    ``tolerance`` is how far the logits may lie from the canonical run's. ``reason`` is set, and the
    rest empty, where the pair could not be read.
    """

    reason: str | None
    logits: tuple[tuple[float, ...], ...]
    spans: tuple[Span, ...]
    coverage: float
    tolerance: float = 0.0


def unread(reason: str) -> Reading:
    """A pair that could not be read."""
    return Reading(reason=reason, logits=(), spans=(), coverage=0.0)
