"""What came of checking a receipt: one line for each thing that can be asked, in plain words.

A check that did not run is never a pass: NOT ASKED means that the auditor did not ask, NOT CHECKED
that the question has no answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.log.checkpoint import IncludedLeaf

LIMITATIONS = (
    "This does not prove that the source is true, that the model judges rightly, that the issuer "
    "was honest before the answer came in, or that any law is met."
)


class Question(StrEnum):
    """What can be asked of a receipt, in the order in which it is answered."""

    SIGNATURE = "SIGNATURE"
    LOG = "LOG"
    TIME = "TIME"
    ANSWER = "ANSWER"
    DOCUMENT = "DOCUMENT"
    SPAN = "SPAN"
    SUPPORT = "SUPPORT"
    POLICY = "POLICY"


#: All of them: an enumeration walks through its members again each time.
QUESTIONS = tuple(Question)


class LineStatus(StrEnum):
    """How a question was answered."""

    OK = "OK"
    FAILED = "FAILED"
    NOT_ASKED = "NOT ASKED"
    NOT_CHECKED = "NOT CHECKED"


class CheckOutcome(IntEnum):
    """What a check came to; the numbers are the exit codes of ``audit verify``."""

    OK = 0
    FAILED = 1
    #: The receipt or the trust file cannot be read; it has no report.
    MALFORMED = 2
    POLICY_UNMET = 3
    NOT_CHECKED = 4


def find_worst(outcomes: Iterable[CheckOutcome]) -> CheckOutcome:
    """The lowest number other than 0; nothing at all is not a pass."""
    found = set(outcomes)
    return min(
        found - {CheckOutcome.OK}, default=CheckOutcome.OK if found else CheckOutcome.NOT_CHECKED
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The answer to one question: a status, and words for a person; ``code`` says what failed."""

    question: Question
    status: LineStatus
    words: str
    code: str | None = None

    @property
    def outcome(self) -> CheckOutcome:
        """What it makes of the whole receipt."""
        if self.status is LineStatus.FAILED:
            return (
                CheckOutcome.POLICY_UNMET
                if self.question is Question.POLICY
                else CheckOutcome.FAILED
            )
        return (
            CheckOutcome.NOT_CHECKED if self.status is LineStatus.NOT_CHECKED else CheckOutcome.OK
        )

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {
            "question": self.question.value,
            "status": self.status.value,
            "code": self.code,
            "words": self.words,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """Every question with its answer, each once and in order.

    ``receipt_id`` and ``included``, the leaf under its signed head, are None until both are
    believed. ``limitations`` is where the issuer says what a receipt does not prove.
    """

    lines: tuple[Line, ...]
    receipt_id: str | None = None
    limitations: str | None = None
    included: IncludedLeaf | None = None

    def __post_init__(self) -> None:
        if tuple(line.question for line in self.lines) != QUESTIONS:
            msg = f"Expected an answer to each question in order, got {self.lines!r}."
            raise ValueError(msg)

    def __getitem__(self, question: Question) -> Line:
        """The answer to a question."""
        return self.lines[QUESTIONS.index(question)]

    def with_fork(self, words: str) -> CheckReport:
        """The same where another receipt shows that the log signed two histories."""
        forked = Line(
            question=Question.LOG,
            status=LineStatus.FAILED,
            words=f"Expected one history of the log, got {words}. Keep both receipts: together "
            "they show that the log forked.",
            code="LOG_FORKED",
        )
        lines = tuple(forked if each.question is Question.LOG else each for each in self.lines)
        return replace(self, lines=lines)

    @property
    def outcome(self) -> CheckOutcome:
        """The worst of the lines."""
        return find_worst(line.outcome for line in self.lines)

    @property
    def decisive(self) -> Line | None:
        """The first line that decides the outcome; None where all is OK."""
        if self.outcome is CheckOutcome.OK:
            return None
        return next(line for line in self.lines if line.outcome is self.outcome)

    @property
    def limitation(self) -> str:
        """The facts that no check here proves."""
        return LIMITATIONS if self.limitations is None else f"{LIMITATIONS} See {self.limitations}"

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {
            "receipt_id": self.receipt_id,
            "outcome": self.outcome.name,
            "exit_code": int(self.outcome),
            "lines": [line.to_json() for line in self.lines],
            "limitations": self.limitation,
        }
