"""The cases → an answer in the native format, built against the documents as they were ingested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import IntegrityError
from spanproof.operations.demo.cases import CASES, CITED, STALE_BY, Case

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanproof.operations.documents.find import FindReport
    from spanproof.operations.documents.ingest_report import IngestReport
    from spanproof.operations.documents.locate import LocateReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """How words and spans are looked up in an ingested document, by its ``doc_hash``."""

    find: Callable[[str, str], FindReport]
    locate: Callable[[str, int, int], LocateReport]


def build_answer(reports: Mapping[str, IngestReport], places: Places) -> dict[str, Any]:
    """The payload; ``reports`` are those of the demo's documents by ``doc_id``."""
    anchored = [f"{case.claim} [{number}]." for number, case in enumerate(CASES, start=1)]
    return {
        "answer_id": "spanproof-demo",
        "question": "What do our rules say of payment, fire safety and insurance?",
        "answer": " ".join(anchored),
        "documents": [str(report.doc_hash) for report in reports.values()],
        "citations": [
            _build_citation(number, case, reports, places)
            for number, case in enumerate(CASES, start=1)
        ],
        "policy": "balanced",
    }


def _build_citation(
    number: int, case: Case, reports: Mapping[str, IngestReport], places: Places
) -> dict[str, Any]:
    cited = reports[CITED.doc_id]
    span: dict[str, Any] = {"text": case.words, "unit": "codepoint"}
    citation: dict[str, Any] = {
        "anchor": number,
        "doc_id": CITED.doc_id,
        "doc_title": CITED.title,
        "doc_hash": str(cited.doc_hash),
        "extraction_id": str(cited.extraction_id),
        "extraction_pipeline": cited.extraction_pipeline,
        "span": span,
    }
    if case.source is not None:
        source = str(reports[case.source.doc_id].doc_hash)
        start, end, words = _find_words(case.words, source, places)
        shift = STALE_BY if case.fault == "stale_offsets" else 0
        span |= {
            "char_start": start - shift,
            "char_end": end - shift,
            "text": words.replace(*case.alteration),
        }
        if case.fault == "none":
            page = places.locate(source, start, end).pages[0]
            citation["pdf_locator"] = {"page": page.page, "bbox": page.bbox.to_list()}
    return citation


def _find_words(words: str, source: str, places: Places) -> tuple[int, int, str]:
    report = places.find(source, words)
    if len(report.matches) != 1:
        msg = f"Expected {words!r} at one place of the demo's document, got {len(report.matches)}."
        raise IntegrityError(msg, hint="Install Spanproof again: its demo documents were changed.")
    match = report.matches[0]
    return match.span.start, match.span.end, match.text
