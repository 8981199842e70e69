"""What an answer says and cites, as it was submitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spanproof.core.errors import MalformedAnswerError, MalformedSpanError

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.digest import Digest
    from spanproof.core.geometry import Rect
    from spanproof.core.span import OffsetUnit, Span

AnswerKind = Literal["answer", "clarifying_question", "abstention", "refusal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The quoted text and, where the caller knows them, its offsets in ``unit``.

    A ``unit`` of None is one that the provider does not document: it is found by slicing.
    """

    text: str
    start: int | None = None
    end: int | None = None
    unit: OffsetUnit | None = "codepoint"

    def __post_init__(self) -> None:
        if (self.start is None) != (self.end is None):
            msg = f"Expected both offsets or neither, got {self.start!r} and {self.end!r}."
            raise MalformedSpanError(msg, hint="Give char_start and char_end together.")
        if self.start is not None and self.end is not None and not 0 <= self.start <= self.end:
            msg = f"Expected 0 <= char_start <= char_end, got {self.start} and {self.end}."
            raise MalformedSpanError(msg, hint="Give half-open offsets: start first, end after.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedLocator:
    """The place that the caller names: a 1-based page, a box on the page as displayed, or both.

    ``last_page`` ends a range of pages, inclusive; None where one page is named.
    """

    page: int
    bbox: Rect | None
    last_page: int | None = None

    def __post_init__(self) -> None:
        last = self.page if self.last_page is None else self.last_page
        if not 1 <= self.page <= last:
            msg = f"Expected pages counted from 1 in order, got {self.page} to {last}."
            raise MalformedSpanError(msg, hint="Give the first page, then the last one.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedCell:
    """The cell that the caller names: row and column from 1, of a table by number or of a sheet.

    Without ``table`` and ``sheet`` it is that cell of any table.
    """

    row: int
    column: int
    table: int | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        if min(self.row, self.column, 1 if self.table is None else self.table) < 1:
            msg = f"Expected numbers counted from 1, got {self!r}."
            raise MalformedSpanError(msg, hint="Count tables, rows and columns from 1.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One structured citation; ``doc_hash`` or ``doc_id`` names the document.

    ``quote`` is None where the provider quotes nothing. ``segment`` is the part of the answer that
    the provider says it supports; without one the anchor's sentence is the claim. ``origin`` names
    the format it was read from; ``repaired`` says that it was attached afterwards. ``source_tier``
    is how far the caller trusts the document, in its own words. ``names`` are those that a
    framework has for the document, in the order in which they are tried.
    """

    anchor: int
    quote: Quote | None
    doc_hash: Digest | None = None
    doc_id: str | None = None
    extraction_id: Digest | None = None
    extraction_pipeline: str | None = None
    locator: ClaimedLocator | None = None
    cell: ClaimedCell | None = None
    chunk_id: str | None = None
    doc_title: str | None = None
    doc_url: str | None = None
    retrieval_score: float | None = None
    retrieval_method: str | None = None
    embedding_model: str | None = None
    index_version: str | None = None
    source_tier: str | None = None
    segment: Span | None = None
    origin: str = "native"
    repaired: bool = False
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.doc_hash is None and self.doc_id is None:
            msg = (
                f"Expected doc_hash or doc_id in the citation of anchor {self.anchor}, got neither."
            )
            raise MalformedAnswerError(msg, hint="Name the document that the citation quotes.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One chunk that the retriever returned for the answer, frozen with it; ``page`` is from 1.

    ``names`` are those of a citation.
    """

    chunk_id: str
    doc_id: str | None = None
    doc_hash: Digest | None = None
    text: str | None = None
    span: Span | None = None
    score: float | None = None
    rank: int | None = None
    source_tier: str | None = None
    page: int | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """What wrote the answer, as far as the caller says."""

    model: str | None = None
    prompt_id: str | None = None
    prompt_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One ``[n]`` in the prose: its number and the span of its marker, brackets included."""

    number: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The prose, its anchors, its citations, and what came with them.

    ``unclaimed`` are spans of the prose that claim nothing, in order: a block of sources, say.
    """

    prose: str
    anchors: tuple[Anchor, ...]
    citations: tuple[Citation, ...]
    unclaimed: tuple[Span, ...] = ()
    answer_id: str | None = None
    question: str | None = None
    answer_kind: AnswerKind = "answer"
    generator: Generator | None = None
    generated_at: datetime | None = None
    session_id: str | None = None
    trace_id: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    documents: tuple[str, ...] = ()
    retrieved: tuple[Retrieval, ...] = ()
    policy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What one anchor asserts: ``text == prose[span]``; the model reads ``hypothesis``."""

    text: str
    span: Span
    hypothesis: str
