"""The steps of adding a document: its summary, its parts as blobs, then its rows."""

from __future__ import annotations

from dataclasses import fields
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlmodel import col, select

from spanproof.core.documents.extraction_record import to_record
from spanproof.core.errors import IntegrityError
from spanproof.store.mapping import PartDigests, from_stored_digest, to_extraction_row
from spanproof.store.records import ExtractionProblem, ExtractionSummary
from spanproof.store.tables import (
    DocumentNameRow,
    DocumentRow,
    DocumentTitleRow,
    ExtractionRow,
    PipelineRow,
)

if TYPE_CHECKING:
    from datetime import datetime

    from sqlmodel import Session

    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Extraction, Pipeline
    from spanproof.store.sealing.document_blobs import DocumentBlobs

_INSTANT = timedelta(microseconds=1)


def find_meta(session: Session, extraction: Extraction) -> Digest | None:
    """The record that the row of an extraction names; None where it has no row."""
    row = session.get(ExtractionRow, str(extraction.extraction_id))
    return None if row is None else from_stored_digest(row.meta_sha256)


def store_parts(
    extraction: Extraction, blobs: DocumentBlobs, *, seals: bool, named: Digest | None = None
) -> PartDigests:
    """Keep the three parts of an extraction; the text's digest is its own.

    Beside the record that its row has ``named`` no other one is put, as another release writes it:
    nothing would name that one, and an erasure would not reach it.
    """
    record = to_record(extraction)
    blobs.put(record.text, seals=seals)
    if named is None or not _is_whole(blobs, named):
        named = blobs.put(record.meta, seals=seals)
    return PartDigests(
        meta=named,
        layout=blobs.put(record.layout, seals=seals) if record.layout else None,
    )


def _is_whole(blobs: DocumentBlobs, digest: Digest) -> bool:
    """Whether a blob is here, unchanged, and has its key."""
    try:
        blobs.read(digest)
    except IntegrityError:
        return False
    return True


def add_rows(
    session: Session, extraction: Extraction, parts: PartDigests, *, added_at: datetime
) -> bool:
    """Insert missing rows of document, pipeline and extraction; whether the extraction is new."""
    document, pipeline = extraction.document, extraction.pipeline
    if session.get(DocumentRow, str(document.doc_hash)) is None:
        session.add(
            DocumentRow(
                doc_hash=str(document.doc_hash),
                media_type=document.media_type,
                byte_length=document.byte_length,
                added_at=added_at,
            )
        )
    add_pipeline(session, pipeline)
    is_new = session.get(ExtractionRow, str(extraction.extraction_id)) is None
    if is_new:
        newest = session.exec(
            select(ExtractionRow.position)
            .where(col(ExtractionRow.doc_hash) == str(document.doc_hash))
            .order_by(col(ExtractionRow.position).desc())
        ).first()
        session.add(
            to_extraction_row(
                summarise(extraction),
                parts,
                doc_hash=document.doc_hash,
                position=(newest or 0) + 1,
                added_at=added_at,
            )
        )
        session.flush()
    return is_new


def add_pipeline(session: Session, pipeline: Pipeline) -> None:
    """Insert a pipeline's configuration, where it is not there yet."""
    if session.get(PipelineRow, str(pipeline.digest)) is None:
        session.add(
            PipelineRow(pipeline_digest=str(pipeline.digest), config_json=pipeline.config_json)
        )
    # In the order in which the keys need each other.
    session.flush()


def add_names(
    session: Session,
    doc_hash: Digest,
    *,
    doc_id: str | None,
    title: str | None,
    added_at: datetime,
) -> None:
    """Append a version to the name and a title to the document, where they say something new."""
    if doc_id is not None:
        last = session.exec(
            select(DocumentNameRow)
            .where(col(DocumentNameRow.doc_id) == doc_id)
            .order_by(col(DocumentNameRow.position).desc())
        ).first()
        if last is None or last.doc_hash != str(doc_hash):
            session.add(
                DocumentNameRow(
                    doc_id=doc_id,
                    position=1 if last is None else last.position + 1,
                    doc_hash=str(doc_hash),
                    # A clock that went back must not let an older version look newer.
                    since=added_at if last is None else max(added_at, last.since + _INSTANT),
                )
            )
    if title:
        shown = session.exec(
            select(DocumentTitleRow)
            .where(col(DocumentTitleRow.doc_hash) == str(doc_hash))
            .order_by(col(DocumentTitleRow.position).desc())
        ).first()
        if shown is None or shown.title != title:
            session.add(
                DocumentTitleRow(
                    doc_hash=str(doc_hash),
                    position=1 if shown is None else shown.position + 1,
                    title=title,
                    since=added_at,
                )
            )


def summarise(extraction: Extraction) -> ExtractionSummary:
    """The summary of an extraction."""
    problem = find_problem(extraction)
    return ExtractionSummary(
        extraction_id=extraction.extraction_id,
        pipeline=extraction.pipeline.name,
        pipeline_digest=extraction.pipeline.digest,
        text_sha256=extraction.text.digest,
        characters=len(extraction.text),
        pages=len(extraction.pages),
        text_source=extraction.text_source,
        flags=collect_flags(extraction),
        status="ok" if problem is None else "degraded",
        problem=problem,
        sandbox=extraction.sandbox,
    )


def collect_flags(extraction: Extraction) -> dict[str, int | bool]:
    """The hazards that were found, each with its count of characters or pages."""
    counts = extraction.counts
    hazards = {f.name: getattr(counts, f.name) for f in fields(counts) if f.name != "characters"}
    pages = extraction.pages
    hazards |= {
        "page_errors": sum(page.status == "error" for page in pages),
        "pages_degraded": sum(page.status == "degraded" for page in pages),
        "glyphs_unsaid": sum(len(one.span) == 0 for one in extraction.glyph_texts),
        "pages_without_text": sum(page.text_source == "none" for page in pages),
        "repaired": extraction.repaired,
        "encrypted": extraction.encrypted,
        "encoding_guessed": extraction.pipeline.guessed_encoding is not None,
    }
    return {name: value for name, value in hazards.items() if value}


def find_problem(extraction: Extraction) -> ExtractionProblem | None:
    """The gravest reason why the extraction is degraded, or None."""
    pages = extraction.pages
    failed = [page for page in pages if page.status == "error"]
    limping = [page for page in pages if page.status == "degraded"]
    if failed:
        return ExtractionProblem(
            code="PAGE_ERRORS",
            detail=f"Expected {len(pages)} readable pages, got {len(failed)} that fail, first"
            f" {failed[0].number} ({failed[0].problem}).",
            hint="Spans on those pages cannot be verified; get a sound copy of the document.",
        )
    if extraction.text_source == "none":
        return ExtractionProblem(
            code="NO_TEXT_LAYER",
            detail=f"Expected text, got {len(pages)} page(s) without any.",
            hint="Ingest it with --ocr, or get a copy with a text layer.",
        )
    if extraction.repaired:
        return ExtractionProblem(
            code="DOCUMENT_REPAIRED",
            detail="Expected a sound file, got one whose structure the reader had to repair.",
            hint="Compare the pages with the original before relying on them.",
        )
    if extraction.text_source in ("ocr_layer", "ocr"):
        return ExtractionProblem(
            code="OCR_LAYER",
            detail="Expected text that was written, got text that was recognised from images.",
            hint="Read the cited spans against the page images.",
        )
    if limping:
        return ExtractionProblem(
            code="PAGES_DEGRADED",
            detail=f"Expected sound pages, got {len(limping)} that are not, first"
            f" {limping[0].number} ({limping[0].problem}).",
            hint="Compare those pages with the original before relying on them.",
        )
    return None
