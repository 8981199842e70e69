"""Entailment that is not asked, or not asked any more: nothing that it leaves out can pass.

A caller that needs an answer in a hundred milliseconds gets what costs no model: identity,
existence and place. Support is then ``NOT_RUN(mechanical)``; where a deadline passed while the
model was asked, what it has read stays and the rest is ``NOT_RUN(deadline)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.entailment.null import NullEntailment, not_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.model import Entailment, ModelIdentity

#: Why support did not run; both stand in docs/reference/codes.md.
MECHANICAL = "mechanical"
DEADLINE = "deadline"
#: The block's code where the second happened.
DEADLINE_PASSED = "DEADLINE_PASSED"
#: The reason that the block gives for having no model; a replay that finds it asks no model either.
UNASKED = "mode=mechanical"
#: Pairs between two looks at the clock: tens of milliseconds on one core.
_STEP = 4


class UnaskedEntailment(NullEntailment):
    """A stand-in that was asked for, so it does not warn: every pair comes back ``mechanical``."""

    def __init__(self) -> None:
        super().__init__(UNASKED)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Nothing is judged."""
        return [not_run(MECHANICAL) for _ in pairs]


class DeadlineEntailment:
    """A model that is asked until a moment of ``clock`` (seconds), and not after it.

    A pair in work is read to its end. The finished readings are the model's own answers, to the
    bit: a pair gives the same in any company.
    """

    def __init__(self, model: EntailmentModel, *, until: float, clock: Callable[[], float]) -> None:
        self._model = model
        self._until = until
        self._clock = clock
        #: Whether anything was left out.
        self.has_passed = False

    @property
    def identity(self) -> ModelIdentity:
        """The model's own."""
        return self._model.identity

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """One entailment a pair, in order; ``deadline`` for those that were not asked in time."""
        return self._ask(self._model.judge, pairs)

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """The same by the canonical run."""
        return self._ask(self._model.confirm, pairs)

    def close(self) -> None:
        """Close the model."""
        self._model.close()

    def _ask(
        self,
        ask: Callable[[Sequence[tuple[str, str]]], list[Entailment]],
        pairs: Sequence[tuple[str, str]],
    ) -> list[Entailment]:
        found: list[Entailment] = []
        while len(found) < len(pairs) and self._clock() < self._until:
            found += ask(pairs[len(found) : len(found) + _STEP])
        left = len(pairs) - len(found)
        self.has_passed = self.has_passed or left > 0
        return found + [not_run(DEADLINE)] * left
