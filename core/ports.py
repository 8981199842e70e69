"""Protocols through which the packages meet without importing each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.span import Span
    from core.verdict import ModelIdentity


@dataclass(frozen=True, slots=True, kw_only=True)
class Entailment:
    """What a model says of one premise and hypothesis, the premise read whole in windows.

    ``reason`` is None when it ran; else why not (``claim_too_long``, ``model_unavailable``,
    ``no_premise``), and the probabilities are None. The probabilities are those of the deciding
    window, ``evidence`` is that window in the premise (code points), ``coverage`` the share of the
    premise's tokens that some window held.
    """

    reason: str | None
    p_entailment: float | None
    p_neutral: float | None
    p_contradiction: float | None
    windows: int
    coverage: float
    evidence: Span | None


class EntailmentModel(Protocol):
    """Judges whether premises entail hypotheses; a pair gives the same bits in any company."""

    @property
    def identity(self) -> ModelIdentity:
        """What stands in every block."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """One entailment a ``(premise, hypothesis)`` pair, in order."""
