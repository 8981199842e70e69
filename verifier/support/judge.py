"""Step 5, support: model, certificates, slots and coverage → one status.

A claim is ENTAILED in two ways. The premise says it word for word (``verbatim``), or it restates a
whole sentence of the premise (``restated``), whatever the model's probability. Or the model says
so, and has a certificate for claims of this group. Every doubt lowers it.

The model and its calibration may not apply to an answer: codes of the verdicts say so.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.budget import BUDGET, BudgetSpentError, checkpoint
from spanproof.core.errors import ModelError
from spanproof.core.span import Span
from spanproof.core.verdicts.calibration import CalibrationStatus
from spanproof.core.verdicts.groups import GROUPS, group_of
from spanproof.core.verdicts.status import SupportStatus
from spanproof.core.verdicts.verdict import Support, UnsupportedPart
from spanproof.verifier.entailment.guard import Boundaries, Guarded, judge_guarded
from spanproof.verifier.slots import compare_slots, measure_coverage
from spanproof.verifier.slots.agreement import find_agreement
from spanproof.verifier.support.agreed import (
    find_doubts,
    find_written_out,
    joins_cells,
    says_whole,
)
from spanproof.verifier.support.premise import Premise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.calibration import CalibrationCheck
    from spanproof.core.verdicts.model import Entailment, ModelIdentity
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.slots.coverage import Coverage

_SAYING = r"(?:claims?|statements?|hypothes[ie]s|assertions?|answers?|citations?)"
_RIGHT = r"(?:supported|entailed|entailment|verified|proven|correct|true|pass(?:ed|ing)?)"
_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}"
    r"\b(?:previous|prior|above|earlier|preceding|other)\b[^.\n]{0,30}"
    r"\b(?:instructions?|prompts?|rules|guidelines|context|messages?|text)\b"
    r"|\b(?:ignore|disregard|forget|override)\b[^.\n]{0,20}"
    r"\b(?:instructions?|prompts?|rules|guidelines)\s+(?:above|before)\b"
    r"|\b(?:note|message|instructions?|attention|reminder)\s+(?:to|for)\s+(?:(?:the|any)\s+)?"
    r"(?:ai|model|verifier|checker|assistant|llm|language model|chatbot|fact[- ]checker|evaluator"
    r"|grader)\b"
    r"|\b(?:mark|label|classify|rate|score|treat|accept|judge|report)\b[^.\n]{0,40}"
    rf"\b{_SAYING}\b[^.\n]{{0,30}}\b{_RIGHT}\b"
    rf"|\b{_SAYING}\b[^.\n]{{0,100}}\b(?:confirmed|verified|approved|checked|validated)\s+by\b"
    r"[^.\n]{0,12}\b(?:human reviewer|fact[- ]?checker|verifier)"
    rf"|\b{_SAYING}\b[^.\n]{{0,60}}\b(?:entailed|entailment|fully supported"
    r"|supported by (?:this|the) (?:document|text|passage|source|premise|span))\b"
    r"|\bfollowing (?:claims?|statements?) (?:is|are) (?:true|correct|proven|verified|supported)\b"
    r"|\b(?:label|verdict|outcome|entailment|result)\s*[:=]\s*['\"]?"
    r"(?:entail\w*|supported|pass(?:ed)?|true|1\.0)\b"
    r"|(?:^|[\n.!?>]|<<|\[\[|\{\{)\s{0,40}(?:system|assistant|developer)\s{0,40}:"
    r"|</?(?:system|instructions?)\b|\[/?INST\]|<\|im_|(?<!#)#{2,}\s{0,40}(?:system|instruction)s?\b",
    re.IGNORECASE,
)


#: The reason of a claim whose words run on from cell to cell of a table.
CELLS_JOINED = "cells_joined"


def addresses_judge(text: str) -> bool:
    """Whether a text tells how it, or a claim beside it, is to be judged."""
    return bool(_ADDRESSED.search(text))


#: What a claim that stands word for word in the premise may be lifted from.
_UNDECIDED = frozenset({SupportStatus.NEUTRAL, SupportStatus.BORDERLINE})
#: What a claim that is a whole sentence of the premise may be lifted from.
_OPPOSED = _UNDECIDED | {SupportStatus.CONTRADICTED}
_CODES = {
    CalibrationStatus.NONE: "CALIBRATION_NONE",
    CalibrationStatus.STALE: "CALIBRATION_STALE",
    CalibrationStatus.OUT_OF_SCOPE: "CALIBRATION_OUT_OF_SCOPE",
}


#: Where the shipped policies take a contradiction as one: near any of them no policy is certain,
#: or a stricter one would leave open what a milder one refuses.
_CONTRADICTION_EDGES = (0.3, 0.5)


class SupportJudge:
    """Judges premises for one verification; the same pair is read once."""

    def __init__(self, model: EntailmentModel, policy: Policy) -> None:
        self._model = model
        self._policy = policy
        self._known: dict[tuple[str, str], Guarded] = {}
        self.edges = policy.support_edges(model.identity)
        certified = (policy.support_edges(model.identity, group).entailed_from for group in GROUPS)
        edges = {self.edges.neutral_to, self.edges.threshold, self.edges.review_to, *certified}
        self._boundaries = Boundaries(
            entailment=tuple(sorted(e for e in edges if e is not None and 0 < e < 1)),
            contradiction=tuple(sorted({policy.contradiction_threshold, *_CONTRADICTION_EDGES})),
            least=policy.guard_band,
        )

    @property
    def model(self) -> ModelIdentity:
        """Which model judges."""
        return self._model.identity

    def read_ahead(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Let the model read many pairs at once, which are judged later.

        Raises ModelError where it judges nothing.
        """
        self._read(pairs)

    def judge(self, premise: str, hypothesis: str, *, premise_start: int) -> Support:
        """Whether a canonical slice, which starts at ``premise_start``, supports the hypothesis."""
        (support,) = self.judge_all(Premise.of(premise, start=premise_start), [hypothesis])
        return support

    def judge_all(
        self, premise: Premise, hypotheses: Sequence[str], *, citation: int = 0
    ) -> list[Support]:
        """Whether a premise supports each hypothesis; offsets are in that citation's document.

        ``evidence`` is None if the deciding window does not touch the citation's span.
        """
        try:
            self._read([(premise.text, hypothesis) for hypothesis in hypotheses])
            return [self._judge(premise, hypothesis, citation) for hypothesis in hypotheses]
        except ModelError:
            # The other axes are valid; a model that failed has judged nothing.
            return [Support(status=SupportStatus.NOT_RUN, reason="model_failed")] * len(hypotheses)
        except BudgetSpentError:
            return [Support(status=SupportStatus.NOT_RUN, reason=BUDGET)] * len(hypotheses)

    def carries(self, premise: Premise, hypothesis: str, *, above: float = 0.0) -> bool:
        """Whether a premise supports all of a claim by the default threshold, and ``above``.

        A premise that says it word for word supports it too; a veto rules both out. The policy is
        not asked. A premise that could not be read counts as carrying the claim.
        """
        try:
            self._read([(premise.text, hypothesis)])
        except (ModelError, BudgetSpentError):
            return True
        entailment = self._known[premise.text, hypothesis].entailment
        if entailment.p_entailment is None:
            return True
        if compare_slots(hypothesis, premise.text, premise_start=0):
            return False
        return entailment.p_entailment >= self.edges.threshold + above or (
            (entailment.p_contradiction or 0.0) < min(_CONTRADICTION_EDGES)
            and find_agreement(hypothesis, premise.text) is not None
            and not find_doubts(hypothesis, premise.text, "possible")
        )

    def _read(self, pairs: Sequence[tuple[str, str]]) -> None:
        checkpoint()
        unread = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if unread:
            found = judge_guarded(self._model, unread, self._boundaries)
            self._known.update(zip(unread, found, strict=True))

    def _judge(self, premise: Premise, hypothesis: str, citation: int) -> Support:
        guarded = self._known[premise.text, hypothesis]
        entailment = guarded.entailment
        if entailment.reason is not None or entailment.p_entailment is None:
            why = entailment.reason or "no_probability"
            return Support(status=SupportStatus.NOT_RUN, reason=why)
        found = compare_slots(hypothesis, premise.text, premise_start=0)
        status, reason = self._decide(guarded, vetoed=bool(found))
        # Of a span of hundreds of thousands of characters, each takes a second.
        checkpoint()
        coverage = measure_coverage(hypothesis, premise.text)
        checkpoint()
        if status is SupportStatus.ENTAILED:
            # Only for claims that would pass: a doubt asks for a person, it never refuses.
            found = find_doubts(hypothesis, premise.text, self._policy.doubts)
            if found:
                status, reason = SupportStatus.BORDERLINE, "slots_unconfirmed"
            else:
                status, reason = self._confirm(hypothesis, premise, coverage, entailment)
        elif (
            status in _UNDECIDED
            and not found
            and not self._is_contradicted(guarded)
            and (agreed := find_agreement(hypothesis, premise.cell_by_cell)) is not None
            and not find_doubts(hypothesis, premise.text, "possible")
        ):
            status, reason = SupportStatus.ENTAILED, agreed
        if status in _OPPOSED and says_whole(hypothesis, premise):
            status, reason, found = SupportStatus.ENTAILED, "verbatim", ()
        elif (
            status in _UNDECIDED
            and not self._is_contradicted(guarded)
            and (agreed := find_written_out(hypothesis, premise)) is not None
        ):
            status, reason, found = SupportStatus.ENTAILED, agreed, ()
        if status is SupportStatus.ENTAILED and addresses_judge(f"{premise.text}\n{hypothesis}"):
            status, reason = SupportStatus.BORDERLINE, "instruction"
        vetoes = tuple(_place_veto(veto, premise, citation) for veto in found)
        window = entailment.evidence or Span(0, len(premise.text))
        labels = self._model.identity.labels
        logits = entailment.logits
        return Support(
            status=status,
            reason=reason,
            p_entailment=entailment.p_entailment,
            p_neutral=entailment.p_neutral,
            p_contradiction=entailment.p_contradiction,
            windows=entailment.windows,
            coverage=entailment.coverage,
            evidence=premise.locate(window, citation),
            vetoes=vetoes,
            logits=tuple(zip(labels, logits, strict=True)) if logits else (),
            terms=entailment.terms,
            ordered_coverage=coverage.ordered,
            unsupported_parts=tuple(
                UnsupportedPart(claim=hypothesis[part.start : part.end], span=part)
                for part in coverage.leftover
            ),
        )

    def _confirm(
        self, hypothesis: str, premise: Premise, coverage: Coverage, entailment: Entailment
    ) -> tuple[SupportStatus, str | None]:
        """What a claim that the model calls entailed passes by: its words, else a certificate."""
        agreed = find_agreement(hypothesis, premise.cell_by_cell)
        if agreed is not None:
            return SupportStatus.ENTAILED, agreed
        if joins_cells(hypothesis, premise):
            return SupportStatus.BORDERLINE, CELLS_JOINED
        edges = self._policy.support_edges(self.model, group_of(coverage.ordered))
        if edges.certifies(entailment.p_entailment or 0.0):
            return SupportStatus.ENTAILED, None
        lacking = "claim_part_unsupported" if coverage.leftover else "no_certificate"
        return SupportStatus.BORDERLINE, lacking

    def _is_contradicted(self, guarded: Guarded) -> bool:
        """Whether the model calls it contradicted, if only within the guard band."""
        entailment = guarded.entailment
        p_contradiction = entailment.p_contradiction or 0.0
        return p_contradiction >= self._policy.contradiction_threshold and p_contradiction > (
            entailment.p_entailment or 0.0
        )

    def _decide(self, guarded: Guarded, *, vetoed: bool) -> tuple[SupportStatus, str | None]:
        entailment = guarded.entailment
        p_entailment = entailment.p_entailment or 0.0
        if entailment.coverage < 1.0:
            return SupportStatus.NOT_RUN, "premise_not_covered"
        if self._is_contradicted(guarded) and guarded.is_certain:
            return SupportStatus.CONTRADICTED, None
        # A veto can only lower: a claim that the model calls entailed or leaves open is not
        # supported.
        if vetoed:
            return SupportStatus.NEUTRAL, "veto"
        if not guarded.is_certain:
            return SupportStatus.BORDERLINE, "guard_band"
        if p_entailment <= self.edges.neutral_to:
            return SupportStatus.NEUTRAL, None
        if p_entailment < self.edges.review_to:
            return SupportStatus.BORDERLINE, "band"
        return SupportStatus.ENTAILED, None


def _place_veto(veto: Veto, premise: Premise, citation: int) -> Veto:
    if veto.source_span is None:
        return veto
    return replace(veto, source_span=premise.locate_in_document(veto.source_span, citation))


def find_scope_codes(check: CalibrationCheck) -> tuple[str, ...]:
    """The code of every verdict that the model judged; none if the calibration applies."""
    code = _CODES.get(check.status)
    return () if code is None else (code,)


def find_model_codes(model: ModelIdentity) -> tuple[str, ...]:
    """``MODEL_NON_REPLAYABLE`` if the same question may get another answer."""
    return () if model.replayable else ("MODEL_NON_REPLAYABLE",)
