"""What is found of the answer beside its verdicts: quotations, idle citations, snippets and more.

None of these is an axis of the verdict: quotations give it codes, uncited sentences the answer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from spanproof.core.digest import Digest
from spanproof.core.shown import show_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.span import Span
    from spanproof.core.verdicts.block_shapes import OverCitedOut, SnippetOut, UncitedOut
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A text that came with the request, and that a verdict names.

    ``doc_hash`` is the SHA-256 of its UTF-8 bytes; ``doc_id``, ``cited_hash`` and ``page`` are what
    the caller says of the document behind it.
    """

    doc_hash: Digest
    characters: int
    chunk_id: str
    doc_id: str | None
    cited_hash: Digest | None
    page: int | None

    @property
    def upgrade(self) -> str:
        """What to do for a verdict on a document instead of a text."""
        if self.doc_id is not None:
            named = f"the document {show_value(self.doc_id)}"
        elif self.cited_hash is not None:
            named = f"the document {self.cited_hash}"
        else:
            named = f"the document that the text {show_value(self.chunk_id)} comes from"
        return f"Ingest {named}: then the verdict names its place there, and its receipt proves it."

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """What ``to_json`` wrote."""
        cited = raw["cited_hash"]
        return cls(
            doc_hash=Digest.parse(raw["doc_hash"]),
            characters=raw["characters"],
            chunk_id=raw["chunk_id"],
            doc_id=raw["doc_id"],
            cited_hash=None if cited is None else Digest.parse(cited),
            page=raw["page"],
        )

    def to_json(self) -> SnippetOut:
        """The snippet and the way to a document's verdict."""
        return {
            "doc_hash": str(self.doc_hash),
            "characters": self.characters,
            "chunk_id": self.chunk_id,
            "doc_id": self.doc_id,
            "cited_hash": None if self.cited_hash is None else str(self.cited_hash),
            "page": self.page,
            "upgrade": self.upgrade,
        }
