"""An entailment model whose time is told to Prometheus; it judges as the one inside does."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.model import Entailment, ModelIdentity
    from spanproof.operations.metrics.verifier import VerifierMetrics

    Pairs = Sequence[tuple[str, str]]


class TimedEntailment:
    """The same answers; a reading that the cache knew counts with the little time it took."""

    def __init__(self, model: EntailmentModel, metrics: VerifierMetrics) -> None:
        self._model = model
        self._metrics = metrics

    @property
    def identity(self) -> ModelIdentity:
        """The model's own."""
        return self._model.identity

    def judge(self, pairs: Pairs) -> list[Entailment]:
        """One entailment a pair, in order."""
        return self._time(self._model.judge, pairs)

    def confirm(self, pairs: Pairs) -> list[Entailment]:
        """The same by the canonical run."""
        return self._time(self._model.confirm, pairs)

    def close(self) -> None:
        """Close the model."""
        self._model.close()

    def _time(self, ask: Callable[[Pairs], list[Entailment]], pairs: Pairs) -> list[Entailment]:
        if not pairs:
            return ask(pairs)
        began = perf_counter()
        answered = ask(pairs)
        self._metrics.observe_entailment(perf_counter() - began)
        return answered
