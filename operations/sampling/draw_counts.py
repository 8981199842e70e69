"""How many answers of a closed epoch were drawn, group by group, and what that shows in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.monitor.fit import DrawCount
from spanproof.monitor.sampling import RandomnessSource

if TYPE_CHECKING:
    from spanproof.monitor.sampling import SamplingDecision
    from spanproof.monitor.sampling_plan import MonitoringPlan
    from spanproof.store.samples.records import SubmittedAnswer

#: A stratum, and the model or the index version within it.
_Group = tuple[str, str | None, str | None]
_BY_KEY = (
    "weak: the epoch's key draws, and the operator has it before the answers come."
    " Who has the key can choose answer ids that are never drawn; only the test of the"
    " rates stands against that."
)
_BY_WITNESS = (
    "the epoch's key and the first signature of witness {name} above each answer's leaf draw"
    " together: who takes answers in cannot foresee it, whatever their ids."
)
_FIRST_IS_SAID = (
    " That no earlier signature was held back is the operator's word:"
    " give the witness's own list with --cosigned."
)
_FIRST_IS_SHOWN = " The witness's own list shows that no earlier signature was held back."
_NOT_LOGGED = (
    "weak: the plan is of a version that did not log answers as they came,"
    " so one that was left out before the epoch was closed is not found."
)
_TRUSTED = " The plan trusts trace ids: who submits chooses what is drawn."


class DrawCounts:
    """Counts decisions as they are made again."""

    def __init__(self) -> None:
        self._counts: dict[_Group, list[int]] = {}
        self._probabilities: dict[str, float] = {}
        self._traces: set[tuple[str, int]] = set()

    def add(self, answer: SubmittedAnswer, decision: SamplingDecision) -> None:
        """Count an answer; those of one trace are drawn together, and count once."""
        bits = decision.randomness
        if bits.source in {RandomnessSource.TRACE_ID, RandomnessSource.TRACE_STATE}:
            key = (decision.stratum, bits.value)
            if key in self._traces:
                return
            self._traces.add(key)
        self._probabilities[decision.stratum] = float(decision.probability)
        groups: list[_Group] = [(decision.stratum, None, None)]
        if answer.model is not None:
            groups.append((decision.stratum, answer.model, None))
        if answer.index_version is not None:
            groups.append((decision.stratum, None, answer.index_version))
        for group in groups:
            count = self._counts.setdefault(group, [0, 0])
            count[0] += 1
            count[1] += decision.is_sampled

    def list(self) -> list[DrawCount]:
        """The counts of every stratum, and of every model and index version in it."""
        return [
            DrawCount(
                stratum=stratum,
                model=model,
                index_version=index_version,
                probability=self._probabilities[stratum],
                answers=answers,
                chosen=chosen,
            )
            for (stratum, model, index_version), (answers, chosen) in self._counts.items()
        ]


def describe_group(count: DrawCount) -> str:
    """A group by what tells it apart."""
    if count.model is not None:
        return f"stratum {count.stratum!r}, model {count.model!r}"
    if count.index_version is not None:
        return f"stratum {count.stratum!r}, index version {count.index_version!r}"
    return f"stratum {count.stratum!r}"


def describe_claim(plan: MonitoringPlan, *, has_list: bool = False) -> str:
    """What an audit of this plan's draw shows, in words: no more than its source allows.

    ``has_list``: the witness's own list was given, and compared.
    """
    if plan.draw is not None and plan.draw.witness is not None:
        name = plan.draw.witness.partition("+")[0]
        return _BY_WITNESS.format(name=name) + (_FIRST_IS_SHOWN if has_list else _FIRST_IS_SAID)
    claim = _NOT_LOGGED if plan.draw is None else _BY_KEY
    return claim + _TRUSTED if plan.trusts_trace_ids else claim
