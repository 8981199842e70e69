"""Guardrails: who may cite, how densely, and the counts of markers that are not believed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanproof.verifier.fields.markers import DroppedMarker

#: Only its turns are parsed: a marker that a user types is not a citation.
ASSISTANT = "assistant"
#: More than one marker in so many tokens is too many, from two markers on.
TOKENS_PER_MARKER = 25
_FEWEST_MARKERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Density:
    """Markers, as many as were written, and tokens (runs of non-spaces) of the clean text."""

    markers: int
    tokens: int

    @property
    def is_over_cited(self) -> bool:
        """At least two markers, and more than one in 25 tokens."""
        return self.markers >= _FEWEST_MARKERS and self.markers * TOKENS_PER_MARKER > self.tokens


def measure_density(markers: int, clean_text: str) -> Density:
    """Count the tokens of the clean text."""
    return Density(markers=markers, tokens=len(clean_text.split()))


def count_drift(dropped: Sequence[DroppedMarker], duplicates: int) -> Mapping[str, int]:
    """How often each guardrail applied, for the drift counters of a service."""
    codes = Counter(marker.code for marker in dropped)
    return {
        "unknown": codes["UNKNOWN_PREFIX"] + codes["UNKNOWN_FIELD"],
        "hidden": codes["HIDDEN_SECTION"],
        "ambiguous": codes["FIELD_AMBIGUOUS"],
        "empty": codes["FIELD_EMPTY"],
        "duplicates": duplicates,
    }
