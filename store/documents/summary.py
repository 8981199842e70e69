"""An extraction → the few facts that a list shows, and whether it is degraded."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from spanproof.store.records import ExtractionProblem, ExtractionSummary

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction


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
