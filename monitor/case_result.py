"""What one case of an evaluation came to: counts and our own words, without words of the answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, get_args, get_type_hints

from spanproof.core.errors import MalformedRunError
from spanproof.core.verdicts.status import Outcome

#: What a case may come to, the worst first.
WORST_FIRST = ("fail", "error", "review", "pass")
_HINT = "Give a file that 'spanproof eval --output' wrote."


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One case: its result, its expectation, and the counts for the rates.

    ``case_sha256`` is over payload, format and policy. ``citations`` are the answer's own;
    ``needing`` counts its sentences that need a citation, ``uncited`` those of them without one.
    ``trusted_top_3`` is None where no chunks were retrieved or no tier is called trusted.
    ``problem`` is the code of what kept the case from being verified.
    """

    case_id: str
    case_sha256: str
    result: str
    expected: str | None
    answer_kind: str
    abstention_reason: str | None
    citations: int
    needing: int
    uncited: int
    all_spans_present: bool
    all_claims_entailed: bool
    orphan_anchors: int
    repaired: int
    trusted_top_3: bool | None
    problem: str | None

    @property
    def is_met(self) -> bool | None:
        """Whether the expectation is met, or None."""
        return None if self.expected is None else self.result == self.expected

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, raw: object) -> CaseResult:
        """Read one case of a run file; raise MalformedRunError if it is malformed."""
        if not isinstance(raw, dict) or set(raw) != set(_KINDS):
            got = sorted(raw) if isinstance(raw, dict) else raw
            msg = f"Expected a case with {', '.join(_KINDS)}, got {got!r}."
            raise MalformedRunError(msg, hint=_HINT)
        for name, kinds in _KINDS.items():
            # Not isinstance: True would be an int.
            if type(raw[name]) not in kinds:
                msg = f"Expected another kind of {name!r} in a case, got {raw[name]!r}."
                raise MalformedRunError(msg, hint=_HINT)
        outcomes = {outcome.value for outcome in Outcome}
        if raw["result"] not in outcomes or raw["expected"] not in outcomes | {None}:
            msg = f"Expected results of {', '.join(WORST_FIRST)}, got {raw['result']!r}."
            raise MalformedRunError(msg, hint=_HINT)
        return cls(**raw)


def _list_kinds() -> dict[str, tuple[type, ...]]:
    hints = get_type_hints(CaseResult)
    return {
        each.name: get_args(hints[each.name]) or (hints[each.name],) for each in fields(CaseResult)
    }


_KINDS: dict[str, tuple[type, ...]] = _list_kinds()
