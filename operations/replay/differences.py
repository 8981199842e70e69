"""Where two verification blocks differ, and which differences another CPU family explains."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How far a raw logit may lie from the stored one on a conforming machine
#: (docs/explanation/entailment.md).
LOGIT_TOLERANCE = 1e-3
#: The same for a probability: the guard band, inside which nothing is decided.
PROBABILITY_TOLERANCE = 1e-3
#: A replay does not compare the time of the verification.
_NOT_COMPARED = frozenset({"/verified_at"})
_LOGIT = re.compile(r"/verdicts/\d+/support/(?:.+/)?logits/.+")
_PROBABILITY = re.compile(r"/verdicts/\d+/support/(?:.+/)?p_[a-z]+")
_MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value: its JSON pointer in the block, the stored value and the recomputed one."""

    path: str
    stored: Any
    recomputed: Any

    @property
    def is_logit(self) -> bool:
        """Whether it is one of the raw logits."""
        return _LOGIT.fullmatch(self.path) is not None

    @property
    def size(self) -> float | None:
        """How far two numbers lie apart; None where they are not both numbers."""
        numbers = (self.stored, self.recomputed)
        if any(isinstance(n, bool) or not isinstance(n, int | float) for n in numbers):
            return None
        return abs(float(self.stored) - float(self.recomputed))

    @property
    def is_rounding(self) -> bool:
        """Whether it is a number of the model's, so near that another CPU explains it."""
        size = self.size
        if size is None:
            return False
        if self.is_logit:
            return size <= LOGIT_TOLERANCE
        # Both are rounded to six decimals before they are compared.
        is_probability = _PROBABILITY.fullmatch(self.path) is not None
        return is_probability and size <= PROBABILITY_TOLERANCE + 1e-6

    def to_json(self) -> dict[str, Any]:
        """``path``, ``stored``, ``recomputed``; a value that is not there is null."""
        return {
            "path": self.path,
            "stored": None if self.stored is _MISSING else self.stored,
            "recomputed": None if self.recomputed is _MISSING else self.recomputed,
        }


def find_differences(stored: object, recomputed: object, path: str = "") -> Iterator[Difference]:
    """Every value in which they differ, in the order of the stored block."""
    if path in _NOT_COMPARED:
        return
    if isinstance(stored, dict) and isinstance(recomputed, dict):
        for key in dict.fromkeys([*stored, *recomputed]):
            place = f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"
            values = (stored.get(key, _MISSING), recomputed.get(key, _MISSING))
            yield from find_differences(*values, place)
    elif isinstance(stored, list) and isinstance(recomputed, list):
        for index in range(max(len(stored), len(recomputed))):
            yield from find_differences(
                stored[index] if index < len(stored) else _MISSING,
                recomputed[index] if index < len(recomputed) else _MISSING,
                f"{path}/{index}",
            )
    elif isinstance(stored, bool) is not isinstance(recomputed, bool) or stored != recomputed:
        yield Difference(path=path, stored=stored, recomputed=recomputed)
