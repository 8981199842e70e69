"""Does another backend run this folder's weights, as near as it says? The same pairs by both.

A server reports the model name that its operator chose, and a quantised graph of an unusual model
may differ far from the model: only the logits tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL

if TYPE_CHECKING:
    from spanproof.verifier.entailment.model import LocalEntailment

_PAIRS = (ENTAILED, CONTRADICTED, NEUTRAL)


def check_agreement(model: LocalEntailment) -> None:
    """Raise ModelUnavailableError where the model's logits are not those of its folder's weights.

    Each may lie from the canonical run's as far as the backend says, and no further.
    """
    said, canonical = model.read_windows(_PAIRS), model.read_canonical(_PAIRS)
    worst = max(
        abs(one - other)
        for ours, theirs in zip(said, canonical, strict=True)
        for row, expected in zip(ours.logits, theirs.logits, strict=True)
        for one, other in zip(row, expected, strict=True)
    )
    tolerance = max(reading.tolerance for reading in said)
    if not worst <= tolerance:
        msg = f"Expected logits within {tolerance} of the model folder's, got {worst:.3f} away."
        raise ModelUnavailableError(
            msg, hint="Set SPANPROOF_RUNTIME to auto, or serve this folder."
        )
