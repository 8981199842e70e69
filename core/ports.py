"""Protocols through which the packages meet without importing each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span
    from spanproof.core.verdicts.model import Entailment, ModelIdentity


class EntailmentModel(Protocol):
    """Judges whether premises entail hypotheses; a pair gives the same bits in any company.

    The port of other packages too: an entry point of the group ``spanproof.entailment`` names a
    factory without arguments that gives one, and ``SPANPROOF_MODEL=entry:NAME`` asks for it. What
    it raises and what it says is checked on the way in. A model that cannot promise the same
    answer twice says ``replayable=False`` in its identity: then none of its judgements pass.
    A model of another package may lack ``close()``.
    """

    @property
    def identity(self) -> ModelIdentity:
        """What appears in every block."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """One entailment a ``(premise, hypothesis)`` pair, in order."""

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """The same by the canonical run: it decides where another backend is near a threshold."""

    def close(self) -> None:
        """Free the model's resources; called once, at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCheckReading:
    """What a second engine reads where a span appears.

    ``AGREES``: the same words (up to safe folds) at the same origins; ``DISAGREES``: other words or
    other places; ``NOT_RUN``: it was asked and could not read (``reason`` says why). ``read`` is
    what it read there, ``moved`` the share in [0, 1] of the span's mapped characters whose origin
    it puts more than half a user unit away.
    """

    status: Literal["AGREES", "DISAGREES", "NOT_RUN"]
    engine: str
    read: str | None = None
    moved: float | None = None
    reason: str | None = None


class CrossChecker(Protocol):
    """A second engine that reads the same bytes, asked about single spans."""

    def read(self, extraction: Extraction, span: Span) -> CrossCheckReading | None:
        """What the engine reads at a span; None if the span is not in the sample."""
