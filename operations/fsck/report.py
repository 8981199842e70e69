"""What ``audit fsck`` answers: a line for each question, and all of them together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanproof.receipt.check.finding import Findings
from spanproof.receipt.check.report import LineStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.receipt.check.finding import Finding
    from spanproof.receipt.check.log import SavedNote


@dataclass(frozen=True, slots=True, kw_only=True)
class FsckOptions:
    """What to check beside the log itself.

    ``older`` are heads that were saved earlier; ``origin`` is the log meant, if the trust file's is
    not; ``with_signatures`` also verifies every leaf's signature, which takes long.
    """

    older: Sequence[SavedNote] = ()
    origin: str | None = None
    with_signatures: bool = False


PLAIN_CHECK = FsckOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class FsckLine:
    """The answer to one question: a status, words for a person, and the findings."""

    question: str
    status: LineStatus
    words: str
    findings: Findings = field(default_factory=Findings)

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {
            "question": self.question,
            "status": self.status.value,
            "words": self.words,
            "finding_count": len(self.findings),
            "findings": [each.to_json() for each in self.findings],
        }


def combine_lines(lines: Iterable[FsckLine]) -> LineStatus:
    """The status of all together: the worst; NOT CHECKED if there is no line."""
    found = {line.status for line in lines}
    for status in (LineStatus.FAILED, LineStatus.NOT_CHECKED):
        if status in found:
            return status
    return LineStatus.OK if LineStatus.OK in found else LineStatus.NOT_CHECKED


@dataclass(frozen=True, slots=True, kw_only=True)
class FsckReport:
    """Every question with its answer; ``head`` is None where no trusted key signed it."""

    place: str
    trust_digest: str
    head: Checkpoint | None
    lines: tuple[FsckLine, ...]

    @property
    def outcome(self) -> LineStatus:
        """FAILED where any failed, else NOT CHECKED where any was not, else OK."""
        return combine_lines(self.lines)

    @property
    def unchecked(self) -> tuple[FsckLine, ...]:
        """The requested checks that could not run."""
        return tuple(line for line in self.lines if line.status is LineStatus.NOT_CHECKED)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The faults, in the order of the lines."""
        return tuple(found for line in self.lines for found in line.findings)

    def to_json(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        head = self.head
        return {
            "place": self.place,
            "outcome": self.outcome.value,
            "trust_digest": self.trust_digest,
            "checkpoint": head
            and {"origin": head.origin, "size": head.size, "root": head.root.hex()},
            "lines": [line.to_json() for line in self.lines],
        }


def judge(question: str, words: str, findings: Findings) -> FsckLine:
    """OK with these words, or FAILED with the first finding and the number of others."""
    if not findings:
        return FsckLine(question=question, status=LineStatus.OK, words=words)
    first = next(iter(findings))
    more = f" ({len(findings) - 1} more)" if len(findings) > 1 else ""
    return FsckLine(
        question=question,
        status=LineStatus.FAILED,
        words=f"{first.code} at {first.place}: {first.message}{more}",
        findings=findings,
    )


def skip(question: str, why: str) -> FsckLine:
    """NOT CHECKED, for this reason."""
    return FsckLine(question=question, status=LineStatus.NOT_CHECKED, words=why)
