"""A plan of retention: rules by kind, tenant, label and age, as a TOML or JSON file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core import canonical_json
from spanproof.core.errors import InputError, SettingsError
from spanproof.core.json_reader import schema, strict_json

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.operations.settings import Settings

#: What a rule is of.
KeptKind = Literal["answers", "documents", "accesses"]
_HINT = "Compare the plan with docs/how-to/erasing.md."
#: A thousand years; the calendar has no more days than these behind it.
_MOST_DAYS = 365_000
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule:
    """What goes once it is older than this many days.

    Without ``tenants`` the rule is for every tenant. With ``labels`` it is for what has all of
    them.
    """

    name: str
    of: KeptKind
    older_than_days: int
    tenants: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def age(self) -> timedelta:
        """The age at which it goes."""
        return timedelta(days=self.older_than_days)

    def fits(self, labels: frozenset[str]) -> bool:
        """Whether what has these labels (``name=value``) has all of the rule's."""
        return {f"{name}={value}" for name, value in self.labels} <= labels


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPlan:
    """Rules; what fits none is kept for ever. ``digest`` is over the whole plan."""

    rules: tuple[RetentionRule, ...]
    digest: Digest

    def rules_of(self, kind: KeptKind, tenant: str) -> tuple[RetentionRule, ...]:
        """The rules for one kind of one tenant."""
        return tuple(
            each
            for each in self.rules
            if each.of == kind and (not each.tenants or tenant in each.tenants)
        )


def load_plan(settings: Settings) -> RetentionPlan:
    """The plan of the settings, empty without one; raise SettingsError for another content."""
    path = settings.retention_plan
    if path is None:
        return RetentionPlan(rules=(), digest=canonical_json.digest({"rule": []}))
    try:
        raw = path.read_bytes()
        return parse_plan(raw, is_toml=path.suffix == ".toml")
    except OSError as error:
        msg = f"Expected a plan in {str(path)!r}, got {error.strerror or type(error).__name__}."
        raise SettingsError(msg, hint="Set SPANPROOF_RETENTION_PLAN to a file of yours.") from error
    except InputError as error:
        raise SettingsError(error.message, hint=error.hint) from error


def parse_plan(raw: bytes, *, is_toml: bool) -> RetentionPlan:
    """Read ``rule``, a list of rules; raise InputError for anything else."""
    if is_toml:
        try:
            value: Any = tomllib.loads(raw.decode("utf-8"))
        except ValueError as error:
            raise InputError(f"Expected a plan as TOML, got: {error}.", hint=_HINT) from error
    else:
        what = "a plan of retention"
        limits = strict_json.JsonLimits(max_bytes=_MOST_BYTES)
        value = strict_json.parse(raw, what=what, error=InputError, hint=_HINT, limits=limits)
    rules = schema.read(_PLAN, value, what="the plan of retention", error=InputError, hint=_HINT)
    names = [each.name for each in rules]
    if len(set(names)) != len(names):
        msg = "Expected a name of its own for each rule, got one twice."
        raise InputError(msg, hint=_HINT)
    return RetentionPlan(rules=rules, digest=canonical_json.digest(value))


def _read_labels(value: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 - any JSON value
    return tuple(sorted(_LABELS(value).items()))


def _read_days(value: Any) -> int:  # noqa: ANN401 - any JSON value
    days = schema.count(value)
    if days > _MOST_DAYS:
        raise schema.Mismatch(value, f"at most {_MOST_DAYS} days")
    return days


_LABELS = schema.table(schema.text)
_RULE = schema.known(
    RetentionRule,
    "name",
    "of",
    "older_than_days",
    name=schema.matching(r"[a-z0-9][a-z0-9 ._-]{0,63}", "a name of a-z, 0-9, space . _ -"),
    of=schema.one_of(("answers", "documents", "accesses")),
    older_than_days=_read_days,
    tenants=schema.array(schema.text),
    labels=_read_labels,
)


def _read_plan(*, rule: tuple[RetentionRule, ...]) -> tuple[RetentionRule, ...]:
    return rule


_PLAN = schema.known(_read_plan, "rule", rule=schema.array(_RULE))
