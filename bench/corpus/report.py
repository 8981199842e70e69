"""The result of a corpus run: files, pages, characters; cases and violations by invariant."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core.moment import write_moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from bench.invariants.finding import Finding, Violation

Status = Literal["ok", "degraded", "refused"]
#: The statement of each invariant, in order.
INVARIANTS: Mapping[str, str] = {
    "I1": "every character has exactly one owner",
    "I2": "pages and runs partition the text, counts are true",
    "I3": "strict UTF-8, no NUL, no surrogate",
    "I4": "read again elsewhere: the same identity, layout and blocks",
    "I5": "code points, UTF-16 and UTF-8 lead to each other and back",
    "I6": "user space to the displayed page and back, within 0.001",
    "I7": "span to quads to glyphs: the same glyphs",
    "I8": "quads are the union of their glyphs and grow with the span",
    "I9": "match views are monotone and keep superscripts apart",
    "I10": "a block's text is a slice of the text; blocks nest",
    "I11": "a page read alone is the same page",
    "I12": "rotation, origin and user unit move nothing",
    "I13": "a file written anew has the same text",
    "I14": "time a character does not grow with the document",
    "I15": "ink where the text stands",
    "I16": "pdfium puts the glyphs at the same places",
}
#: The least share of cases that must hold; other invariants must hold in every case.
SHARES: Mapping[str, float] = {"I7": 0.99, "I16": 0.99}
#: Reported without a target: text may be painted in the paper's own colour.
REPORTED = frozenset({"I15"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusFile:
    """One file: its status and its findings."""

    path: str
    status: Status
    code: str | None = None
    detail: str | None = None
    media_type: str | None = None
    pipeline: str | None = None
    pages: int = 0
    characters: int = 0
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class InvariantRow:
    """One invariant over all files; ``counts`` is by kind of case."""

    invariant: str
    files: int
    checked: int
    violated: int
    skipped: int
    unit: str
    counts: Mapping[str, int]

    @property
    def share(self) -> float:
        """The share of cases that hold; 1 without cases."""
        return 1 - self.violated / self.checked if self.checked else 1.0

    @property
    def is_met(self) -> bool:
        """Whether the target is met; an invariant without cases meets it."""
        if self.invariant in REPORTED:
            return True
        least = SHARES.get(self.invariant)
        return self.violated == 0 if least is None else self.share >= least

    @property
    def word(self) -> str:
        """``met``, ``missed``, ``reported`` or ``no case``."""
        if not self.checked:
            return "no case"
        if self.invariant in REPORTED:
            return "reported"
        return "met" if self.is_met else "missed"

    def to_json(self) -> dict[str, Any]:
        """The fields, the invariant's statement, and its target."""
        return {
            "invariant": self.invariant,
            "says": INVARIANTS[self.invariant],
            "files": self.files,
            "checked": self.checked,
            "unit": self.unit,
            "violated": self.violated,
            "share": self.share,
            "skipped": self.skipped,
            "counts": dict(self.counts),
            "target": self.word,
        }


@dataclass(frozen=True, kw_only=True)
class CorpusReport:
    """Every file of one run, and the totals."""

    taken_at: datetime
    engine: str
    cage: str
    workers: int
    files: tuple[CorpusFile, ...]
    seconds: float

    @cached_property
    def rows(self) -> tuple[InvariantRow, ...]:
        """One row for each invariant."""
        return tuple(self._row(invariant) for invariant in INVARIANTS)

    @property
    def is_met(self) -> bool:
        """At least one file was read, something was checked, and no target is missed."""
        return any(row.checked for row in self.rows) and all(row.is_met for row in self.rows)

    @property
    def violations(self) -> tuple[tuple[str, Violation], ...]:
        """Every reported violation, with its file."""
        return tuple(
            (file.path, violation)
            for file in self.files
            for finding in file.findings
            for violation in finding.violations
        )

    @property
    def skips(self) -> tuple[tuple[str, str, str], ...]:
        """``(file, invariant, why)`` where a check could not be made although it has cases."""
        return tuple(
            (file.path, finding.invariant, finding.skipped)
            for file in self.files
            for finding in file.findings
            if finding.skipped is not None
        )

    def statuses(self) -> dict[str, dict[str, int]]:
        """Files by status, and within each by code (``-`` without one)."""
        found: dict[str, dict[str, int]] = {}
        for status in ("ok", "degraded", "refused"):
            codes = Counter(file.code or "-" for file in self.files if file.status == status)
            found[status] = dict(sorted(codes.items()))
        return found

    def kinds(self) -> list[tuple[str, int, int, int]]:
        """``(media type, files, pages, characters)`` of what was read."""
        read = [file for file in self.files if file.media_type is not None]
        return [
            (
                kind,
                sum(file.media_type == kind for file in read),
                sum(file.pages for file in read if file.media_type == kind),
                sum(file.characters for file in read if file.media_type == kind),
            )
            for kind in sorted({file.media_type or "" for file in read})
        ]

    def to_json(self) -> dict[str, Any]:
        """Everything except the findings of each single file."""
        return {
            "taken_at": write_moment(self.taken_at),
            "met": self.is_met,
            "engine": self.engine,
            "cage": self.cage,
            "workers": self.workers,
            "seconds": round(self.seconds, 1),
            "files": len(self.files),
            "pages": sum(file.pages for file in self.files),
            "characters": sum(file.characters for file in self.files),
            "statuses": self.statuses(),
            "kinds": [
                {"media_type": kind, "files": files, "pages": pages, "characters": characters}
                for kind, files, pages, characters in self.kinds()
            ],
            "pipelines": sorted({file.pipeline for file in self.files if file.pipeline}),
            "invariants": [row.to_json() for row in self.rows],
            "violations": [{"file": path} | one.to_json() for path, one in self.violations],
            "skipped": [
                {"file": path, "invariant": invariant, "reason": reason}
                for path, invariant, reason in self.skips
            ],
            "refused": [
                {"file": file.path, "code": file.code, "detail": file.detail}
                for file in self.files
                if file.status == "refused"
            ],
        }

    def _row(self, invariant: str) -> InvariantRow:
        found = [f for file in self.files for f in file.findings if f.invariant == invariant]
        cases = [finding for finding in found if finding.checked]
        return InvariantRow(
            invariant=invariant,
            files=len(cases),
            checked=sum(finding.checked for finding in cases),
            violated=sum(finding.violated for finding in cases),
            skipped=sum(finding.skipped is not None for finding in found),
            unit=cases[0].unit if cases else "cases",
            counts=_add_up(finding.counts for finding in cases),
        )


def _add_up(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts added by name; of distances and durations the greatest is kept."""
    total: dict[str, int] = {}
    for each in counts:
        for name, count in each.items():
            old = total.get(name, 0)
            total[name] = max(old, count) if name.startswith(("farthest", "ns ")) else old + count
    return total
