"""What the store hands out: plain values, read from the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from spanproof.core.errors import WordsNotKeptError
from spanproof.core.verdicts.hash_only import KEPT, NOT_KEPT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Document, SandboxLevel, TextSource
    from spanproof.core.span import Span

ExtractionStatus = Literal["ok", "degraded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionProblem:
    """Why an extraction is degraded: a stable code, the finding, one next step."""

    code: str
    detail: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCheckReport:
    """What a second engine read of a whole document: characters compared, those on which it agrees.

    ``disagreements`` are the spans, in order, where it reads other words or other places,
    ``unread`` those where it has no say. ``extra`` letters and ``extra_spaces`` only it has, the
    letters on ``extra_pages``; None in reports that did not look for them.
    """

    engine: str
    pipeline_digest: Digest
    characters: int
    agreeing: int
    disagreements: tuple[Span, ...]
    unread: tuple[Span, ...]
    extra: int | None = None
    extra_spaces: int | None = None
    extra_pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionSummary:
    """An extraction without its text, for lists. ``flags`` are the hazards found, with counts.

    ``sandbox`` is how far the first reading was confined, ``cross_check`` the newest report of a
    second engine (None: never asked).
    """

    extraction_id: Digest
    pipeline: str
    pipeline_digest: Digest
    text_sha256: Digest
    characters: int
    pages: int
    text_source: TextSource
    flags: Mapping[str, int | bool]
    status: ExtractionStatus
    problem: ExtractionProblem | None
    sandbox: SandboxLevel = "none"
    cross_check: CrossCheckReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """A document that is kept, its names and its extractions (newest first).

    ``doc_ids`` are the names that have ever stood for it, the latest first; the last is always its
    ``doc_hash``. ``current_extraction`` is the newest that is not OCR (the newest where all are),
    or the very one by which the document was asked for.
    """

    document: Document
    doc_ids: tuple[str, ...]
    title: str | None
    added_at: datetime
    extraction_ids: tuple[Digest, ...]
    current_extraction: ExtractionSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    """Documents, newest first; ``next_cursor`` is None on the last page."""

    items: tuple[DocumentRecord, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVerification:
    """The payload, byte for byte, and the block that was made of it.

    Of an answer that was kept without its words both are as ``remove_words`` left them.
    ``payload_digest`` is of the payload as it came, always.
    """

    verification_id: str
    answer_id: str
    raw: bytes
    block: dict[str, Any]
    verified_at: datetime
    payload_digest: Digest

    @property
    def is_hash_only(self) -> bool:
        """Whether its words were not kept."""
        return KEPT in self.block

    def require_words(self) -> Self:
        """The same; raise WordsNotKeptError where there are no words to work on."""
        if self.is_hash_only:
            msg = f"Expected the words of verification {self.verification_id!r}, got {NOT_KEPT!r}."
            hint = (
                "Its receipt has their digests: 'spanproof audit verify --answer FILE' "
                "checks an answer that you hold."
            )
            raise WordsNotKeptError(msg, hint=hint)
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationSummary:
    """A verification without its payload, for lists. ``excerpt`` begins the answer."""

    verification_id: str
    answer_id: str
    verified_at: datetime
    result: str
    level: str
    verdicts: int
    generator_model: str | None
    prompt_id: str | None
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationFilter:
    """What a list is narrowed to; a field that is None does not narrow.

    ``doc_hash``, ``outcome``, ``code``, ``page``, ``span`` (a character of it is cited) and
    ``index_version`` must hold of one and the same verdict: "every answer that cites this page".
    ``since`` is inclusive, ``until`` exclusive.
    """

    doc_hash: Digest | None = None
    outcome: str | None = None
    code: str | None = None
    page: int | None = None
    span: Span | None = None
    index_version: str | None = None
    result: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    generator_model: str | None = None
    prompt_id: str | None = None
    answer_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationPage:
    """Verifications, newest first; ``next_cursor`` is None on the last page."""

    items: tuple[VerificationSummary, ...]
    next_cursor: str | None
