"""Step 5, support: model, thresholds and the slot veto → one status. Every doubt lowers it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.errors import ModelError
from core.span import Span
from core.verdict import Support, SupportStatus
from verifier.readable import Readable
from verifier.slots import compare_slots

if TYPE_CHECKING:
    from core.policy import Policy
    from core.ports import Entailment, EntailmentModel

#: What a model without a calibration of its own is read with.
DEFAULT_THRESHOLD = 0.5


class SupportJudge:
    """Judges premises for one verification; the same pair is read once."""

    def __init__(self, model: EntailmentModel, policy: Policy) -> None:
        self._model = model
        self._policy = policy
        self._known: dict[tuple[str, str], Entailment] = {}
        own = model.identity.threshold
        self.threshold = policy.threshold or own or DEFAULT_THRESHOLD

    def judge(self, premise: str, hypothesis: str, *, premise_start: int) -> Support:
        """Whether a canonical slice, which starts at ``premise_start``, supports the hypothesis."""
        readable = Readable.of(premise)
        pair = (readable.text, hypothesis)
        entailment = self._known.get(pair)
        if entailment is None:
            try:
                (entailment,) = self._model.judge([pair])
            except ModelError:
                # The other axes stand; a model that broke down has judged nothing.
                return Support(status=SupportStatus.NOT_RUN, reason="model_failed")
            self._known[pair] = entailment
        if entailment.reason is not None or entailment.p_entailment is None:
            why = entailment.reason or "no_probability"
            return Support(status=SupportStatus.NOT_RUN, reason=why)
        vetoes = tuple(
            veto
            if veto.source_span is None
            else replace(veto, source_span=readable.to_slice(veto.source_span).shift(premise_start))
            for veto in compare_slots(hypothesis, readable.text, premise_start=0)
        )
        status, reason = self._decide(entailment, vetoed=bool(vetoes))
        evidence = readable.to_slice(entailment.evidence or Span(0, len(readable.text)))
        return Support(
            status=status,
            reason=reason,
            p_entailment=entailment.p_entailment,
            p_neutral=entailment.p_neutral,
            p_contradiction=entailment.p_contradiction,
            windows=entailment.windows,
            coverage=entailment.coverage,
            evidence=evidence.shift(premise_start),
            vetoes=vetoes,
        )

    def _decide(self, entailment: Entailment, *, vetoed: bool) -> tuple[SupportStatus, str | None]:
        p_entailment = entailment.p_entailment or 0.0
        p_contradiction = entailment.p_contradiction or 0.0
        if entailment.coverage < 1.0:
            return SupportStatus.NOT_RUN, "premise_not_covered"
        contradicted = p_contradiction >= self._policy.contradiction_threshold
        if contradicted and p_contradiction > p_entailment:
            return SupportStatus.CONTRADICTED, None
        distance = p_entailment - self.threshold
        # A veto can only lower: what the model would call entailed or leave open is not supported.
        if vetoed:
            return SupportStatus.NEUTRAL, "veto"
        if abs(distance) < self._policy.guard_band:
            return SupportStatus.BORDERLINE, "guard_band"
        if -self._policy.review_below < distance < self._policy.review_above:
            return SupportStatus.BORDERLINE, "band"
        return (SupportStatus.ENTAILED if distance > 0 else SupportStatus.NEUTRAL), None
