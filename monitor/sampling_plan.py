"""The plan of sampling: who is verified with which probability, and what the rates are held to."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.errors import FieldProblem, InputError
from spanproof.monitor.sampling import SamplingPlan

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The stratum of an answer that no rule names.
EVERYTHING_ELSE = "all"
#: Each is a label of every metric.
MAX_STRATA = 50
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
#: The least probability that a receipt can tell: six decimals.
_LEAST = 1e-6
_MATCHED = ("tenant", "model", "index_version")
_HINT = "Compare the plan with docs/how-to/monitoring.md."


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What the citations of a stratum are held to.

    ``budget`` is the share that may fail, ``alpha`` the chance that the budget alarm is ever
    raised while it is kept, ``gap`` the answers between false alarms of a change, on average.
    """

    budget: float
    alpha: float
    gap: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumRule:
    """Which answers are a stratum: those whose fields equal all of ``matched``."""

    name: str
    matched: tuple[tuple[str, str], ...]
    probability: float
    budget: float | None

    def matches(self, fields: Mapping[str, str | None]) -> bool:
        """Whether an answer with these fields is of the stratum."""
        return all(fields.get(name) == value for name, value in self.matched)


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoringPlan:
    """One plan; it holds for a whole epoch, and another one begins another epoch.

    ``review_flagged`` and ``review_others`` are the chances of a verified answer to be shown to
    people. ``trusts_trace_ids``: whether a trace id may decide, which who chooses ids can aim.
    """

    default: float
    rules: tuple[StratumRule, ...]
    contract: Contract
    review_flagged: float
    review_others: float
    epoch_hours: float
    trusts_trace_ids: bool
    keeps_every_payload: bool

    @property
    def sampling(self) -> SamplingPlan:
        """The probabilities alone."""
        return SamplingPlan(
            default=self.default, strata={rule.name: rule.probability for rule in self.rules}
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Every stratum, the one of all others last."""
        return (*(rule.name for rule in self.rules), EVERYTHING_ELSE)

    def find_stratum(self, fields: Mapping[str, str | None]) -> str:
        """The stratum of an answer: the first rule that matches, else ``all``."""
        return next((rule.name for rule in self.rules if rule.matches(fields)), EVERYTHING_ELSE)

    def find_contract(self, stratum: str) -> Contract:
        """What a stratum is held to; one of an earlier plan as all others are."""
        for rule in self.rules:
            if rule.name == stratum and rule.budget is not None:
                return Contract(
                    budget=rule.budget, alpha=self.contract.alpha, gap=self.contract.gap
                )
        return self.contract

    def to_json(self) -> dict[str, Any]:
        """The plan as it is kept; a number with a point is a string that reads back the same."""
        return {
            "default": repr(self.default),
            "strata": [
                {"name": rule.name, **dict(rule.matched), "probability": repr(rule.probability)}
                | ({} if rule.budget is None else {"budget": repr(rule.budget)})
                for rule in self.rules
            ],
            "budget": repr(self.contract.budget),
            "alpha": repr(self.contract.alpha),
            "gap": repr(self.contract.gap),
            "review": {"flagged": repr(self.review_flagged), "others": repr(self.review_others)},
            "epoch_hours": repr(self.epoch_hours),
            "trust_trace_ids": self.trusts_trace_ids,
            "keep_every_payload": self.keeps_every_payload,
        }

    def dumps(self) -> str:
        """JCS of the plan."""
        return canonical_json.dumps(self.to_json()).decode("utf-8")

    @property
    def digest(self) -> Digest:
        """SHA-256 of JCS of the plan."""
        return Digest.of(canonical_json.dumps(self.to_json()))


def parse_plan(raw: bytes | str) -> MonitoringPlan:
    """Read a plan; raise InputError, which names the field, for anything else.

    What a plan leaves out is the default's.
    """
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError) as error:
        msg = f"Expected a plan as a JSON object, got text that is none ({error})."
        raise InputError(msg, hint=_HINT) from error
    fields = _check_object(
        given,
        "",
        {
            "default",
            "strata",
            "budget",
            "alpha",
            "gap",
            "review",
            "epoch_hours",
            "trust_trace_ids",
            "keep_every_payload",
        },
    )
    review = _check_object(fields.get("review", {}), "/review", {"flagged", "others"})
    strata = fields.get("strata", [])
    place = "/strata"
    if not isinstance(strata, list) or len(strata) > MAX_STRATA:
        raise _wrong(place, f"a list of at most {MAX_STRATA} strata", strata)
    rules = tuple(_read_rule(each, f"/strata/{at}") for at, each in enumerate(strata))
    names = [rule.name for rule in rules]
    if len(set(names)) != len(names) or EVERYTHING_ELSE in names:
        raise _wrong(place, f"names that differ, none of them {EVERYTHING_ELSE!r}", names)
    return MonitoringPlan(
        default=_read_probability(fields.get("default", 0.05), "/default"),
        rules=rules,
        contract=Contract(
            budget=_read_open(fields.get("budget", 0.03), "/budget"),
            alpha=_read_open(fields.get("alpha", 0.01), "/alpha"),
            gap=_read_number(
                fields.get("gap", 1e5), "/gap", "a number of answers above 1", least=1, above=True
            ),
        ),
        review_flagged=_read_probability(review.get("flagged", 0.2), "/review/flagged"),
        review_others=_read_probability(review.get("others", 0.02), "/review/others"),
        epoch_hours=_read_number(
            fields.get("epoch_hours", 24.0), "/epoch_hours", "hours above 0", least=0, above=True
        ),
        trusts_trace_ids=_read_flag(fields.get("trust_trace_ids", True), "/trust_trace_ids"),
        keeps_every_payload=_read_flag(
            fields.get("keep_every_payload", False), "/keep_every_payload"
        ),
    )


def _read_rule(value: object, pointer: str) -> StratumRule:
    fields = _check_object(value, pointer, {"name", "probability", "budget", *_MATCHED})
    name = fields.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise _wrong(f"{pointer}/name", "up to 64 of a-z, 0-9, '.', '_', '-'", name)
    matched = tuple((each, fields[each]) for each in _MATCHED if fields.get(each) is not None)
    for each, wanted in matched:
        if not isinstance(wanted, str):
            raise _wrong(f"{pointer}/{each}", "a text", wanted)
    if not matched:
        raise _wrong(pointer, f"one of {', '.join(_MATCHED)}", "none of them")
    budget = fields.get("budget")
    return StratumRule(
        name=name,
        matched=matched,
        probability=_read_probability(fields.get("probability"), f"{pointer}/probability"),
        budget=None if budget is None else _read_open(budget, f"{pointer}/budget"),
    )


def _check_object(value: object, pointer: str, known: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(pointer or "/", "an object", value)
    unknown = sorted(value.keys() - known)
    if unknown:
        raise _wrong(f"{pointer}/{unknown[0]}", f"one of {', '.join(sorted(known))}", unknown[0])
    return value


def _read_probability(value: object, pointer: str) -> float:
    number = _read_number(value, pointer, "a probability", least=0)
    if number > 1 or 0 < number < _LEAST:
        raise _wrong(pointer, f"0, or a probability from {_LEAST} to 1", value)
    return number


def _read_open(value: object, pointer: str) -> float:
    number = _read_number(value, pointer, "a share", least=0)
    if not 0 < number < 1:
        raise _wrong(pointer, "a share between 0 and 1, without them", value)
    return number


def _read_number(
    value: object, pointer: str, what: str, *, least: float, above: bool = False
) -> float:
    # As it is kept, a number is a string.
    number = float("nan")
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = float("nan")
    if not least <= number < float("inf") or (above and number == least):
        raise _wrong(pointer, what, value)
    return number


def _read_flag(value: object, pointer: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(pointer, "true or false", value)
    return value


def _wrong(pointer: str, expected: str, got: object) -> InputError:
    shown = FieldProblem(pointer=pointer, expected=expected, got=repr(got)[:80])
    msg = f"Expected {shown.expected} at {shown.pointer} of the plan, got {shown.got}."
    return InputError(msg, hint=_HINT)
