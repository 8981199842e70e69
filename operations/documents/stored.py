"""Stored documents: one of them, or a page of the list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.moment import write_moment
from spanproof.core.span import from_codepoint
from spanproof.ingest import media_type
from spanproof.operations.documents.ingest_report import to_report
from spanproof.operations.documents.references import load_extraction, load_record, to_span
from spanproof.operations.documents.source_states import find_states, state_to_json

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.source_state import SourceState
    from spanproof.core.span import OffsetUnit
    from spanproof.operations.context import Context
    from spanproof.store.records import DocumentRecord

#: Suffixes for downloads, so that the reader's own viewer opens them.
SUFFIXES = {
    media_type.PDF: ".pdf",
    media_type.TEXT: ".txt",
    media_type.MARKDOWN: ".md",
    media_type.HTML: ".html",
    media_type.XML: ".xml",
    media_type.CSV: ".csv",
    media_type.TSV: ".tsv",
    media_type.EML: ".eml",
    media_type.MSG: ".msg",
    media_type.DOCX: ".docx",
    media_type.PPTX: ".pptx",
    media_type.XLSX: ".xlsx",
    media_type.ODT: ".odt",
    media_type.EPUB: ".epub",
    media_type.RTF: ".rtf",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReport:
    """A document, its names, its current extraction, and what its operator says of it."""

    record: DocumentRecord
    state: SourceState | None

    def to_json(self) -> dict[str, Any]:
        """The fields that ingesting gave, and what came with the document."""
        record = self.record
        doc_id = next(iter(record.doc_ids), None)
        row = to_report(record, path=None, doc_id=doc_id).to_json()
        del row["path"]
        return row | {
            "doc_ids": list(record.doc_ids),
            "title": record.title,
            "added_at": write_moment(record.added_at),
            "extraction_ids": [str(each) for each in record.extraction_ids],
            "source_state": state_to_json(self.state),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentListReport:
    """One page of the documents, newest first."""

    documents: tuple[DocumentReport, ...]
    next_cursor: str | None

    def to_json(self) -> dict[str, Any]:
        """``documents`` and the cursor of the next page."""
        return {
            "documents": [document.to_json() for document in self.documents],
            "next_cursor": self.next_cursor,
        }


def show_document(context: Context, ref: str) -> DocumentReport:
    """The document of a ``doc_id``, ``doc_hash`` or ``extraction_id``."""
    record = load_record(context, ref)
    doc_hash = record.document.doc_hash
    return DocumentReport(record=record, state=find_states(context, [doc_hash]).get(doc_hash))


def list_documents(
    context: Context, *, cursor: str | None = None, limit: int = 50
) -> DocumentListReport:
    """One page of the stored documents."""
    page = context.store.documents.list(cursor, limit)
    states = find_states(context, [record.document.doc_hash for record in page.items])
    return DocumentListReport(
        documents=tuple(
            DocumentReport(record=record, state=states.get(record.document.doc_hash))
            for record in page.items
        ),
        next_cursor=page.next_cursor,
    )


def name_file(kind: str, doc_hash: Digest) -> str:
    """What a download is called: the beginning of its hash, and the suffix of its media type."""
    return doc_hash.hex[:16] + SUFFIXES.get(kind, ".bin")


def read_text(
    context: Context,
    ref: str,
    start: int | None = None,
    end: int | None = None,
    unit: OffsetUnit = "codepoint",
) -> str:
    """The characters of ``[start, end)``; the whole text where neither is given."""
    return slice_text(load_extraction(context, ref), start, end, unit)


def slice_text(extraction: Extraction, start: int | None, end: int | None, unit: OffsetUnit) -> str:
    """The same for an extraction at hand."""
    text = extraction.text
    first = 0 if start is None else start
    last = from_codepoint(text.text, len(text), unit) if end is None else end
    return text.slice(to_span(text, first, last, unit))
