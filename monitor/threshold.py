"""Thresholds that a run must keep without a baseline: shares of answers, and false passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import InputError
from spanproof.monitor.evaluation import BETTER_HIGHER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.monitor.evaluation_run import EvaluationRun

_HINT = "Write it as --fail-under passed=0.9, with a rate of which more is better."
#: What people call a rate.
_OTHER_NAMES = {"pass": "passed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The least share that a rate must have, in [0, 1]."""

    rate: str
    least: float


def parse_threshold(text: str) -> Threshold:
    """Read ``pass=0.9``; raise InputError for another name or number."""
    name, _, share = text.partition("=")
    name = _OTHER_NAMES.get(name.strip(), name.strip())
    if name not in BETTER_HIGHER:
        msg = f"Expected one of {', '.join(('pass', *BETTER_HIGHER))}, got {name!r}."
        raise InputError(msg, hint=_HINT)
    try:
        least = float(share)
    except ValueError:
        least = -1.0
    if not 0 <= least <= 1:
        msg = f"Expected a share from 0 to 1 for {name}, got {share!r}."
        raise InputError(msg, hint=_HINT)
    return Threshold(rate=name, least=least)


def find_faults(
    run: EvaluationRun, thresholds: Iterable[Threshold], most_false: int | None
) -> list[str]:
    """What a run does not keep, a sentence each; a rate that was not measured keeps nothing.

    A false pass is a case that passes although its ``expect`` says otherwise.
    """
    rates = {rate.name: rate for rate in run.rates.rates}
    faults = []
    for each in thresholds:
        interval = rates[each.rate].interval
        if interval is None:
            faults.append(f"{each.rate} was not measured, and should be at least {each.least:g}.")
        elif interval.estimate < each.least:
            faults.append(
                f"{each.rate} is {interval.estimate:.4f}, and should be at least {each.least:g}."
            )
    if most_false is None:
        return faults
    labelled = [case for case in run.cases if case.expected is not None]
    false = [case for case in labelled if case.result == "pass" and case.expected != "pass"]
    if not labelled:
        faults.append("No case says what it should come to, so false passes cannot be counted.")
    elif len(false) > most_false:
        named = ", ".join(case.case_id for case in false[:5])
        faults.append(f"{len(false)} cases pass and should not, at most {most_false}: {named}.")
    return faults
