"""What is found of the answer's own words: quotations, citations that add nothing, uncited ones.

None of these is an axis of the verdict: the first gives it codes, the last gives the answer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.span import Span
    from spanproof.core.verdicts.block_shapes import OverCitedOut, UncitedOut
    from spanproof.core.verdicts.status import ExistenceStatus
    from spanproof.core.verdicts.verdict_shapes import QuotationOut


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotationCheck:
    """Words in quotation marks inside a claim: ``text == answer[span]``, without the marks.

    ``status`` is the ladder's; ``found`` is where they appear in the cited document, inside the
    cited span if they appear there too (None: at no single place). MISATTRIBUTED: they appear in
    another document that the same claim cites.
    """

    text: str
    span: Span
    status: ExistenceStatus
    found: Span | None = None

    def to_json(self) -> QuotationOut:
        """Offsets of the answer, then those of the canonical text."""
        return {
            "text": self.text,
            "start": self.span.start,
            "end": self.span.end,
            "status": self.status.value,
            "char_start": None if self.found is None else self.found.start,
            "char_end": None if self.found is None else self.found.end,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OverCitation:
    """A claim with more citations than help it: their anchors, and those that add nothing."""

    span: Span
    anchors: tuple[int, ...]
    redundant: tuple[int, ...]

    def to_json(self) -> OverCitedOut:
        """Offsets of the answer."""
        return {
            "start": self.span.start,
            "end": self.span.end,
            "anchors": list(self.anchors),
            "idle": list(self.redundant),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class UncitedSentence:
    """A sentence that no citation speaks for, and whether it states something to be checked.

    ``reason`` names the rule that said so.
    """

    span: Span
    check_worthy: bool
    reason: str

    def to_json(self) -> UncitedOut:
        """Offsets of the answer."""
        return {
            "start": self.span.start,
            "end": self.span.end,
            "check_worthy": self.check_worthy,
            "reason": self.reason,
        }
