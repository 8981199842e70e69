"""The plan of sampling: the probability of each stratum, and the limits of the rates."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.errors import InputError
from spanproof.core.json_reader import schema, strict_json
from spanproof.core.json_reader.schema import Mismatch, Read
from spanproof.monitor.sampling import SamplingPlan

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The stratum of an answer that no rule names.
EVERYTHING_ELSE = "all"
#: Each is a label of every metric.
MAX_STRATA = 50
_NAME = r"[a-z0-9][a-z0-9._-]{0,63}"
#: The least probability that a receipt can tell: six decimals.
_LEAST = 1e-6
_MATCHED = ("tenant", "model", "index_version")
_HINT = "Compare the plan with docs/how-to/monitoring.md."


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What the bits of an answer are drawn from, once the log holds the answer.

    Without a ``witness`` the epoch's key alone draws, which the operator has all along. With one
    (its verifier key) its first signature above the answer's leaf draws too.
    """

    witness: str | None = None

    def to_json(self) -> dict[str, str]:
        """The draw as the plan keeps it."""
        if self.witness is None:
            return {"source": "key"}
        return {"source": "witness", "witness": self.witness}


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
    ``draw`` is None of a plan of an earlier version alone: the log does not hold its answers.
    """

    default: float
    rules: tuple[StratumRule, ...]
    contract: Contract
    review_flagged: float
    review_others: float
    epoch_hours: float
    trusts_trace_ids: bool
    keeps_every_payload: bool
    draw: Draw | None = None

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
            **({} if self.draw is None else {"draw": self.draw.to_json()}),
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

    A plan may leave any field to its default.
    """
    given = strict_json.parse(
        raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw,
        what="a plan as a JSON object",
        error=InputError,
        hint=_HINT,
        limits=None,
    )
    return schema.read(_PLAN, given, what="the plan", error=InputError, hint=_HINT)


def _number(what: str, *, least: float, above: bool = False) -> Read[float]:
    def read_number(value: Any) -> float:  # noqa: ANN401 - any JSON value
        # As it is kept, a number is a string.
        number = float("nan")
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            with suppress(ValueError, OverflowError):
                number = float(value)
        if not least <= number < float("inf") or (above and number == least):
            raise Mismatch(value, what)
        return number

    return read_number


def _probability(value: Any) -> float:  # noqa: ANN401 - any JSON value
    number = _number("a probability", least=0)(value)
    if number > 1 or 0 < number < _LEAST:
        raise Mismatch(value, f"0, or a probability from {_LEAST} to 1")
    return number


def _share(value: Any) -> float:  # noqa: ANN401 - any JSON value
    number = _number("a share", least=0)(value)
    if not 0 < number < 1:
        raise Mismatch(value, "a share between 0 and 1, without them")
    return number


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if type(value) is not str:
        raise Mismatch(value, "a text")
    return value


def _make_rule(
    name: str, probability: float, budget: float | None = None, **fields: str | None
) -> StratumRule:
    matched = tuple((each, value) for each, value in fields.items() if value is not None)
    if not matched:
        got = "none of them"
        raise Mismatch(got, f"one of {', '.join(_MATCHED)}")
    return StratumRule(name=name, matched=matched, probability=probability, budget=budget)


def _strata(value: Any) -> tuple[StratumRule, ...]:  # noqa: ANN401 - any JSON value
    if type(value) is not list or len(value) > MAX_STRATA:
        raise Mismatch(value, f"a list of at most {MAX_STRATA} strata")
    rules = schema.array(_RULE)(value)
    names = [rule.name for rule in rules]
    if len(set(names)) != len(names) or EVERYTHING_ELSE in names:
        raise Mismatch(names, f"names that differ, none of them {EVERYTHING_ELSE!r}")
    return rules


def _make_review(flagged: float = 0.2, others: float = 0.02) -> tuple[float, float]:
    return flagged, others


def _make_draw(source: str, witness: str | None = None) -> Draw:
    if (source == "witness") != (witness is not None):
        raise Mismatch(witness, "a verifier key where the source is a witness, and nowhere else")
    return Draw(witness=witness)


def _make_plan(  # noqa: PLR0913 - the fields of a plan, each with its default
    *,
    default: float = 0.05,
    strata: tuple[StratumRule, ...] = (),
    budget: float = 0.03,
    alpha: float = 0.01,
    gap: float = 1e5,
    review: tuple[float, float] | None = None,
    epoch_hours: float = 24.0,
    trust_trace_ids: bool = False,
    keep_every_payload: bool = False,
    draw: Draw | None = None,
) -> MonitoringPlan:
    flagged, others = review or _make_review()
    if trust_trace_ids and draw is not None and draw.witness is not None:
        raise Mismatch(trust_trace_ids, "'trust_trace_ids' false where a witness draws")
    return MonitoringPlan(
        default=default,
        rules=strata,
        contract=Contract(budget=budget, alpha=alpha, gap=gap),
        review_flagged=flagged,
        review_others=others,
        epoch_hours=epoch_hours,
        trusts_trace_ids=trust_trace_ids,
        keeps_every_payload=keep_every_payload,
        draw=draw,
    )


_RULE = schema.known(
    _make_rule,
    "name",
    "probability",
    name=schema.matching(_NAME, "up to 64 of a-z, 0-9, '.', '_', '-'"),
    **{each: schema.nullable(_text) for each in _MATCHED},
    probability=_probability,
    budget=schema.nullable(_share),
)
_PLAN = schema.known(
    _make_plan,
    default=_probability,
    strata=_strata,
    budget=_share,
    alpha=_share,
    gap=_number("a number of answers above 1", least=1, above=True),
    review=schema.known(_make_review, flagged=_probability, others=_probability),
    epoch_hours=_number("hours above 0", least=0, above=True),
    trust_trace_ids=schema.flag,
    keep_every_payload=schema.flag,
    draw=schema.known(
        _make_draw,
        "source",
        source=schema.one_of(("key", "witness")),
        witness=schema.nullable(_text),
    ),
)
