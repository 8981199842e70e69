"""A model that answers by rule from premise and hypothesis, and tells what it was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.span import Span
from spanproof.core.verdicts.model import Entailment, ModelIdentity
from tests.builders import CERTIFIED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

YES, NO, AGAINST = (0.97, 0.02, 0.01), (0.03, 0.95, 0.02), (0.01, 0.02, 0.97)
OPEN = (0.52, 0.42, 0.06)


class PairModel:
    """For what is made of a model's answers: which pairs are read, and what they come to.

    ``window`` is the words whose place the model names as its evidence; all where they are absent.
    Unless it is ``certified``, its word alone lets nothing pass.
    """

    def __init__(
        self,
        rule: Callable[[str, str], tuple[float, float, float] | str],
        *,
        window: str | None = None,
        certified: bool = True,
    ) -> None:
        self._rule = rule
        self._window = window
        self.asked: list[tuple[str, str]] = []
        self.identity = ModelIdentity(
            name="rule",
            thresholds=CERTIFIED if certified else (),
            weights_digest=Digest.of(b"rule"),
            runtime="test",
            calibration="none",
            threshold=0.5,
            labels=("entailed", "neutral", "contradicted"),
        )

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """What the rule says: probabilities, or the reason why it did not run."""
        self.asked.extend(pairs)
        return [self._say(premise, hypothesis) for premise, hypothesis in pairs]

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """The rule is its own canonical run."""
        return [self._say(premise, hypothesis) for premise, hypothesis in pairs]

    def close(self) -> None:
        """It holds nothing."""

    def _say(self, premise: str, hypothesis: str) -> Entailment:
        said = self._rule(premise, hypothesis)
        if isinstance(said, str):
            return Entailment(
                reason=said,
                p_entailment=None,
                p_neutral=None,
                p_contradiction=None,
                windows=0,
                coverage=0.0,
                evidence=None,
            )
        start = premise.find(self._window) if self._window else -1
        end = start + len(self._window or "")
        return Entailment(
            reason=None,
            p_entailment=said[0],
            p_neutral=said[1],
            p_contradiction=said[2],
            windows=1,
            coverage=1.0,
            evidence=Span(start, end) if start >= 0 else Span(0, len(premise)),
            logits=(said[0] * 3.3, said[1], said[2]),
        )
