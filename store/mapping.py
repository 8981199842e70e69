"""Rows ↔ values: the only place that knows both."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from spanproof.core.digest import Digest
from spanproof.core.documents.document import Document, DocumentName, SandboxLevel, TextSource
from spanproof.core.errors import IntegrityError, MalformedDigestError, MalformedSpanError
from spanproof.core.span import Span
from spanproof.store.database.copying import to_row, to_value
from spanproof.store.records import (
    CrossCheckReport,
    ExtractionProblem,
    ExtractionStatus,
    ExtractionSummary,
    VerificationSummary,
)
from spanproof.store.tables import (
    CrossCheckReportRow,
    DocumentNameRow,
    DocumentRow,
    ExtractionRow,
    VerificationRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDigests:
    """The blobs that hold an extraction besides its text."""

    meta: Digest
    layout: Digest | None


def to_extraction_row(
    summary: ExtractionSummary,
    parts: PartDigests,
    *,
    doc_hash: Digest,
    position: int,
    added_at: datetime,
) -> ExtractionRow:
    """The row of an extraction."""
    problem = summary.problem
    return to_row(
        ExtractionRow,
        summary,
        extraction_id=str(summary.extraction_id),
        doc_hash=str(doc_hash),
        position=position,
        pipeline_name=summary.pipeline,
        pipeline_digest=str(summary.pipeline_digest),
        meta_sha256=str(parts.meta),
        text_sha256=str(summary.text_sha256),
        layout_sha256=None if parts.layout is None else str(parts.layout),
        flags_json=json.dumps(dict(summary.flags), ensure_ascii=True, sort_keys=True),
        problem_code=None if problem is None else problem.code,
        problem_detail=None if problem is None else problem.detail,
        problem_hint=None if problem is None else problem.hint,
        added_at=added_at,
    )


def from_extraction_row(
    row: ExtractionRow, cross_check: CrossCheckReportRow | None = None
) -> ExtractionSummary:
    """The summary that the row holds, with a second engine's report where there is one."""
    if row.text_source not in get_args(TextSource) or row.status not in get_args(ExtractionStatus):
        msg = f"Expected a known text source and status, got {row.text_source!r}, {row.status!r}."
        raise IntegrityError(msg, hint="Restore the store from a backup.")
    if row.sandbox not in get_args(SandboxLevel):
        msg = f"Expected a known sandbox level, got {row.sandbox!r}."
        raise IntegrityError(msg, hint="Restore the store from a backup.")
    problem = None
    if row.problem_code is not None:
        problem = ExtractionProblem(
            code=row.problem_code, detail=row.problem_detail or "", hint=row.problem_hint or ""
        )
    return to_value(
        ExtractionSummary,
        row,
        extraction_id=from_stored_digest(row.extraction_id),
        pipeline=row.pipeline_name,
        pipeline_digest=from_stored_digest(row.pipeline_digest),
        text_sha256=from_stored_digest(row.text_sha256),
        flags=json.loads(row.flags_json),
        problem=problem,
        cross_check=None if cross_check is None else from_cross_check_row(cross_check),
    )


def to_cross_check_row(
    report: CrossCheckReport, *, extraction_id: Digest, added_at: datetime
) -> CrossCheckReportRow:
    """The row of a second engine's report."""
    return to_row(
        CrossCheckReportRow,
        report,
        extraction_id=str(extraction_id),
        pipeline_digest=str(report.pipeline_digest),
        pipeline_name=report.engine,
        disagreements_json=_to_pairs(report.disagreements),
        unread_json=_to_pairs(report.unread),
        extra_pages_json=json.dumps(report.extra_pages),
        added_at=added_at,
    )


def from_cross_check_row(row: CrossCheckReportRow) -> CrossCheckReport:
    """The report that the row holds."""
    return to_value(
        CrossCheckReport,
        row,
        engine=row.pipeline_name,
        pipeline_digest=from_stored_digest(row.pipeline_digest),
        disagreements=_from_pairs(row.disagreements_json),
        unread=_from_pairs(row.unread_json),
        extra_pages=tuple(map(int, json.loads(row.extra_pages_json or "[]"))),
    )


def _to_pairs(spans: Iterable[Span]) -> str:
    return json.dumps([[span.start, span.end] for span in spans])


def _from_pairs(stored: str) -> tuple[Span, ...]:
    try:
        return tuple(Span(int(start), int(end)) for start, end in json.loads(stored))
    except (ValueError, TypeError, MalformedSpanError) as error:
        msg = f"Expected spans in a cross-check report, got {stored[:80]!r}."
        raise IntegrityError(msg, hint="Restore the store from a backup.") from error


def from_document_row(row: DocumentRow) -> Document:
    """The document that the row holds."""
    return to_value(Document, row, doc_hash=from_stored_digest(row.doc_hash))


def from_name_row(row: DocumentNameRow) -> DocumentName:
    """The name that the row holds."""
    return to_value(DocumentName, row, doc_hash=from_stored_digest(row.doc_hash))


def from_verification_row(row: VerificationRow) -> VerificationSummary:
    """The summary that the row holds."""
    return to_value(VerificationSummary, row)


def from_stored_digest(stored: str) -> Digest:
    """A digest column; anything else in it is the store's fault, not the caller's."""
    try:
        return Digest.parse(stored)
    except MalformedDigestError as error:
        msg = f"Expected a digest in the store, got {stored!r}."
        raise IntegrityError(msg, hint="Restore the store from a backup.") from error
