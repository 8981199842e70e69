"""An auditor's finding: a stable code, its place, the expected and the actual value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Findings that are kept whole; the others are counted. A log that is damaged from its beginning on
#: has as many as it has leaves.
MOST_FINDINGS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be; ``place`` is a resource, an index or a name."""

    code: str
    place: str
    message: str

    def to_json(self) -> dict[str, str]:
        """The row that ``--json`` prints."""
        return {"code": self.code, "place": self.place, "detail": self.message}


class Findings:
    """What was found so far: the first of it whole, all of it counted."""

    def __init__(self) -> None:
        self._listed: list[Finding] = []
        self._count = 0

    def add(self, code: str, place: str, message: str) -> None:
        """Take in one more."""
        self.extend((Finding(code=code, place=place, message=message),))

    def extend(self, found: tuple[Finding, ...] | list[Finding], *, unkept: int = 0) -> None:
        """Take in several, and the number of those that were not kept."""
        self._count += len(found) + unkept
        self._listed += found[: MOST_FINDINGS - len(self._listed)]

    @property
    def listed(self) -> tuple[Finding, ...]:
        """The first of them."""
        return tuple(self._listed)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._listed)
