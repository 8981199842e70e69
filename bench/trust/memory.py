"""A model that reads each pair once: three policies judge the same readings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.model import Entailment, ModelIdentity


class ReadOnce:
    """Keeps every judgement of another model for as long as it lives."""

    def __init__(self, model: EntailmentModel) -> None:
        self._model = model
        self._known: dict[tuple[str, str], Entailment] = {}

    @property
    def identity(self) -> ModelIdentity:
        """That of the other model."""
        return self._model.identity

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """One entailment a pair, in order; only new pairs are read."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        self._known.update(zip(new, self._model.judge(new), strict=True))
        return [self._known[pair] for pair in pairs]

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """The canonical run of the other model, read anew."""
        return self._model.confirm(pairs)

    def close(self) -> None:
        """Close the other model."""
        self._model.close()
