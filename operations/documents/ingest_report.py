"""What ingesting one file came to, in the shape of the contract."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanproof.core.digest import Digest
    from spanproof.core.errors import SpanproofError
    from spanproof.core.span import Span
    from spanproof.store.records import CrossCheckReport, DocumentRecord

IngestStatus = Literal["ok", "degraded", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a document is degraded or was refused."""

    code: str
    detail: str
    hint: str

    def to_json(self) -> dict[str, str]:
        """``code``, ``detail``, ``hint``."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """One row of ``documents``; the missing values of a refused file are None."""

    path: str | None
    status: IngestStatus
    problem: Problem | None = None
    doc_id: str | None = None
    doc_hash: Digest | None = None
    media_type: str | None = None
    byte_length: int | None = None
    extraction_id: Digest | None = None
    extraction_pipeline: str | None = None
    pipeline_digest: Digest | None = None
    text_digest: Digest | None = None
    characters: int | None = None
    pages: int | None = None
    text_source: str | None = None
    flags: Mapping[str, int | bool] = field(default_factory=dict)
    is_new: bool = False
    sandbox: str | None = None
    cross_check: CrossCheckReport | None = None
    cross_check_problem: Problem | None = None

    def at(self, path: str) -> IngestReport:
        """The same report for a file of this path."""
        return replace(self, path=path)

    def to_json(self) -> dict[str, Any]:
        """The fields of the contract; ``pipeline_digest`` lets anyone rebuild ``extraction_id``."""
        return {
            "path": self.path,
            "doc_id": self.doc_id,
            "doc_hash": _text(self.doc_hash),
            "media_type": self.media_type,
            "bytes": self.byte_length,
            "extraction_id": _text(self.extraction_id),
            "extraction_pipeline": self.extraction_pipeline,
            "pipeline_digest": _text(self.pipeline_digest),
            "text_sha256": _text(self.text_digest),
            "characters": self.characters,
            "pages": self.pages,
            "text_source": self.text_source,
            "flags": dict(self.flags),
            "status": self.status,
            "problem": None if self.problem is None else self.problem.to_json(),
            "sandbox": self.sandbox,
            "witness": self._cross_check_to_json(),
        }

    def _cross_check_to_json(self) -> dict[str, Any] | None:
        found, problem = self.cross_check, self.cross_check_problem
        if found is None and problem is None:
            return None
        return {
            "engine": None if found is None else found.engine,
            "characters": 0 if found is None else found.characters,
            "agreeing": 0 if found is None else found.agreeing,
            "disagreements": [] if found is None else _to_pairs(found.disagreements),
            "unread": [] if found is None else _to_pairs(found.unread),
            "extra": None if found is None else found.extra,
            "extra_spaces": None if found is None else found.extra_spaces,
            "extra_pages": [] if found is None else list(found.extra_pages),
            "problem": None if problem is None else problem.to_json(),
        }


def to_report(
    record: DocumentRecord,
    *,
    path: str | None,
    doc_id: str | None,
    is_new: bool = False,
    cross_check_refusal: SpanproofError | None = None,
) -> IngestReport:
    """The report of a document that is kept, with its current extraction.

    ``cross_check_refusal`` is what kept a second engine from reading it.
    """
    summary = record.current_extraction
    problem = summary.problem
    return IngestReport(
        path=path,
        status=summary.status,
        problem=None
        if problem is None
        else Problem(code=problem.code, detail=problem.detail, hint=problem.hint),
        doc_id=doc_id or str(record.document.doc_hash),
        doc_hash=record.document.doc_hash,
        media_type=record.document.media_type,
        byte_length=record.document.byte_length,
        extraction_id=summary.extraction_id,
        extraction_pipeline=summary.pipeline,
        pipeline_digest=summary.pipeline_digest,
        text_digest=summary.text_sha256,
        characters=summary.characters,
        pages=summary.pages,
        text_source=summary.text_source,
        flags=summary.flags,
        is_new=is_new,
        sandbox=summary.sandbox,
        cross_check=summary.cross_check,
        cross_check_problem=None
        if cross_check_refusal is None
        else _to_problem(cross_check_refusal),
    )


def to_refused_report(
    path: str,
    error: SpanproofError,
    *,
    doc_hash: Digest | None = None,
    byte_length: int | None = None,
) -> IngestReport:
    """The report of a refused file: nothing of it is kept."""
    return IngestReport(
        path=path,
        status="refused",
        problem=_to_problem(error),
        doc_hash=doc_hash,
        byte_length=byte_length,
    )


def _to_problem(error: SpanproofError) -> Problem:
    return Problem(code=error.code, detail=error.message, hint=error.hint)


def _to_pairs(spans: Iterable[Span]) -> list[list[int]]:
    return [[span.start, span.end] for span in spans]


def _text(digest: Digest | None) -> str | None:
    return None if digest is None else str(digest)
