"""The interface between the readings (windows, claims) and the code that computes logits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

#: How far the canonical run's logits may lie apart between conforming machines: a hundred times
#: what instruction sets were seen to differ by (1e-5).
CANONICAL_TOLERANCE = 1e-3
#: The same for a GPU, a server and lower precision: twice the largest distance that was seen where
#: bfloat16 batches were padded (0.09).
FAST_TOLERANCE = 0.2

Logits = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One window of a premise beside the whole claim: as token ids and as the text they spell.

    Backends that share the tokenizer read the ids; a remote server reads the texts.
    """

    ids: tuple[int, ...]
    types: tuple[int, ...]
    premise: str
    claim: str


class Backend(Protocol):
    """Computes the logits of calls; their company moves none further than the tolerance.

    In the canonical backend it moves no bit.
    """

    @property
    def runtime(self) -> str:
        """Library, version, precision and device: its part of ``verifier_version``."""

    @property
    def tolerance(self) -> float:
        """How far a logit may lie from the canonical run's."""

    def run(self, calls: Sequence[Call]) -> list[Logits]:
        """The finite logits of each call in the model's own order of labels.

        Raises ModelUnavailableError where a call cannot be computed or is not finite.
        """

    def close(self) -> None:
        """Give memory, threads and connections back; closing twice does nothing."""
