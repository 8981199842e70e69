"""What a check found: how many cases it looked at, and each that broke the invariant."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import BrokenDocumentError, SpanproofError
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Most violations that are listed one by one: a broken reader breaks thousands at once.
MAX_REPORTED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One case that broke an invariant, and where."""

    invariant: str
    detail: str
    page: int | None = None
    span: Span | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields, the span as its two offsets."""
        return {
            "invariant": self.invariant,
            "page": self.page,
            "span": None if self.span is None else [self.span.start, self.span.end],
            "detail": self.detail,
        }

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Violation:
        """Read that form."""
        return cls(
            invariant=str(raw["invariant"]),
            page=None if raw["page"] is None else int(raw["page"]),
            span=None if raw["span"] is None else Span(*map(int, raw["span"])),
            detail=str(raw["detail"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one invariant came to on one document.

    ``checked`` counts cases of ``unit`` (characters, spans, pages, …), ``violated`` those that
    broke it, of which ``violations`` tells the first. ``counts`` tells kinds of cases apart;
    ``skipped`` is the reason why the check could not be made.
    """

    invariant: str
    unit: str
    checked: int
    violated: int = 0
    violations: tuple[Violation, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    skipped: str | None = None

    @classmethod
    def of(
        cls,
        unit: str,
        checked: int,
        violations: Sequence[Violation],
        *,
        invariant: str,
        counts: Mapping[str, int] | None = None,
    ) -> Finding:
        """The finding of a check that lists every case that broke."""
        return cls(
            invariant=invariant,
            unit=unit,
            checked=checked,
            violated=len(violations),
            violations=tuple(violations[:MAX_REPORTED]),
            counts=counts or {},
        )

    @classmethod
    def skip(cls, invariant: str, unit: str, reason: str) -> Finding:
        """The finding of a check that could not be made."""
        return cls(invariant=invariant, unit=unit, checked=0, skipped=reason)

    @classmethod
    def none(cls, invariant: str, unit: str) -> Finding:
        """The finding on a document that has no case: no geometry, no pages."""
        return cls(invariant=invariant, unit=unit, checked=0)

    @property
    def holds(self) -> bool:
        """Whether at least one case was looked at and none broke."""
        return self.checked > 0 and self.violated == 0

    def to_json(self) -> dict[str, Any]:
        """The fields as they are."""
        return {
            "invariant": self.invariant,
            "unit": self.unit,
            "checked": self.checked,
            "violated": self.violated,
            "violations": [violation.to_json() for violation in self.violations],
            "counts": dict(self.counts),
            "skipped": self.skipped,
        }

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Finding:
        """Read that form."""
        return cls(
            invariant=str(raw["invariant"]),
            unit=str(raw["unit"]),
            checked=int(raw["checked"]),
            violated=int(raw["violated"]),
            violations=tuple(Violation.from_json(one) for one in raw["violations"]),
            counts={str(name): int(count) for name, count in raw["counts"].items()},
            skipped=None if raw["skipped"] is None else str(raw["skipped"]),
        )


def read_findings(encoded: bytes) -> tuple[Finding, ...]:
    """The findings that a child sent as JSON; raise BrokenDocumentError if they are malformed."""
    try:
        return tuple(Finding.from_json(raw) for raw in json.loads(encoded))
    except (ValueError, KeyError, TypeError, AttributeError, SpanproofError) as error:
        msg = f"Expected findings as JSON, got {error!r}."
        raise BrokenDocumentError(
            msg, hint="Report the document: it may attack the parser."
        ) from error
