"""The stand-in for a model that cannot be used: it shouts, and nothing it judges has run."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from spanproof.core.verdicts.model import Entailment, ModelIdentity

if TYPE_CHECKING:
    from collections.abc import Sequence


class EntailmentNotRunWarning(UserWarning):
    """Claims are being judged without a model: no verdict of theirs can pass."""


class NullEntailment:
    """Judges nothing: every pair comes back ``model_unavailable``; its name is in every block."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    @property
    def identity(self) -> ModelIdentity:
        """``NullEntailment`` and why: a block without a model cannot be taken for another."""
        return ModelIdentity(
            name="NullEntailment",
            weights_digest=None,
            runtime=f"none: {self.reason}",
            calibration="none",
            threshold=None,
        )

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Warn, and give one entailment that did not run for each pair."""
        warnings.warn(
            f"No entailment model ({self.reason}): {len(pairs)} claims are not judged.",
            EntailmentNotRunWarning,
            stacklevel=2,
        )
        return [not_run("model_unavailable") for _ in pairs]

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Nothing is confirmed either."""
        return self.judge(pairs)

    def close(self) -> None:
        """It holds nothing."""


def not_run(reason: str) -> Entailment:
    """An entailment that did not run."""
    return Entailment(
        reason=reason,
        p_entailment=None,
        p_neutral=None,
        p_contradiction=None,
        windows=0,
        coverage=0.0,
        evidence=None,
    )
