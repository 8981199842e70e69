"""Documents, places, quotes and chunks."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from spanproof.api.http.wire.answer import DigestText
from spanproof.api.http.wire.source import SourceStateOut


class ProblemNote(BaseModel):
    """Why a document is degraded."""

    code: str = Field(examples=["NO_TEXT_LAYER"])
    detail: str
    hint: str


class WitnessReportOut(BaseModel):
    """Comparison of the whole document with a second PDF engine."""

    engine: str | None = Field(description="null if it could not read; problem says why.")
    characters: int = Field(description="Number of characters compared, without white space.")
    agreeing: int = Field(description="Characters in lines that both engines read the same.")
    disagreements: list[tuple[int, int]] = Field(description="[start, end) of the other lines.")
    unread: list[tuple[int, int]] = Field(description="[start, end) of text that it cannot judge.")
    extra: int | None = Field(
        description="Characters that it alone reads; null in reports of earlier releases."
    )
    extra_spaces: int | None = Field(description="Spaces that it alone reads between characters.")
    extra_pages: list[int] = Field(description="Pages with characters that it alone reads.")
    problem: ProblemNote | None


class IngestOut(BaseModel):
    """A document that was ingested."""

    path: str | None
    doc_id: str
    doc_hash: DigestText
    media_type: str = Field(examples=["application/pdf"])
    bytes: int
    extraction_id: DigestText
    extraction_pipeline: str
    pipeline_digest: DigestText
    text_sha256: DigestText
    characters: int = Field(description="Code points of the canonical text, separators included.")
    pages: int
    text_source: Literal["born_digital", "ocr_layer", "ocr", "none"]
    flags: dict[str, Any]
    status: Literal["ok", "degraded"]
    problem: ProblemNote | None
    sandbox: Literal["none", "limits", "landlock", "landlock+seccomp"] = Field(
        description="Confinement of the process that read the document first."
    )
    witness: WitnessReportOut | None = Field(description="null if not requested.")


class DocumentOut(BaseModel):
    """A stored document with its current extraction."""

    doc_id: str
    doc_ids: list[str]
    doc_hash: DigestText
    title: str | None
    added_at: str
    media_type: str
    bytes: int
    extraction_ids: list[DigestText] = Field(description="Newest first.")
    source_state: SourceStateOut | None = Field(
        description="Whether it is withdrawn, amended or in force; null if nothing was said."
    )
    extraction_id: DigestText
    extraction_pipeline: str
    pipeline_digest: DigestText
    text_sha256: DigestText
    characters: int
    pages: int
    text_source: Literal["born_digital", "ocr_layer", "ocr", "none"]
    flags: dict[str, Any]
    status: Literal["ok", "degraded"]
    problem: ProblemNote | None
    sandbox: Literal["none", "limits", "landlock", "landlock+seccomp"] = Field(
        description="Confinement of the process that read the document first."
    )
    witness: WitnessReportOut | None = Field(description="null if not requested.")


class DocumentListOut(BaseModel):
    """One page of documents."""

    documents: list[DocumentOut]
    next_cursor: str | None


class PageLocatorOut(BaseModel):
    """Position of a span on one page."""

    page: int = Field(ge=1)
    page_label: str | None
    bbox: list[float] = Field(description="[x0, y0, x1, y1], points, top left of the page shown.")
    quads: list[list[float]] = Field(description="Eight numbers each, PDF user space, y up.")
    rotation: Literal[0, 90, 180, 270]
    view_box: list[float]
    user_unit: float


class PlaceOut(BaseModel):
    """A block that a span touches, or a stretch of plain text; numbers count from 1."""

    kind: str = Field(examples=["cell"], description="The block's kind; text for plain text.")
    char_start: int
    char_end: int
    name: str | None
    level: int | None
    part: str | None
    slide: int | None
    sheet: str | None
    cell: str | None
    paragraph: int | None
    line: int | None
    column: int | None


class CellOut(BaseModel):
    """A cell of a table that a span touches; numbers count from 1."""

    table: int = Field(ge=1, description="Counts the document's tables.")
    row: int = Field(ge=1)
    column: int = Field(ge=1)
    rows: int = Field(ge=1, description="How many rows the cell takes.")
    columns: int = Field(ge=1, description="How many columns the cell takes.")
    char_spans: list[list[int]] = Field(description="Start and end of each piece of its text.")
    text: str
    row_headers: list[str] = Field(examples=[["Revenue"]])
    column_headers: list[str] = Field(examples=[["2019"]])
    caption: str | None
    page: int = Field(ge=1)


class LocateOut(BaseModel):
    """A span's text and positions."""

    doc_hash: DigestText
    extraction_id: DigestText
    char_start: int
    char_end: int
    text: str
    pages: list[PageLocatorOut] = Field(description="Empty if the format has no pages.")
    places: list[PlaceOut]
    cells: list[CellOut] = Field(description="The cells that the span touches, at most 50.")


class MatchOut(BaseModel):
    """One match of a quote."""

    char_start: int
    char_end: int
    text: str
    page: int
    folds: list[str]
    codes: list[str] = Field(description="SPAN_CUTS_TOKEN, SPAN_CUTS_MEANING: an edge cuts a word.")
    cells: list[CellOut] = Field(description="The cells that the match touches, at most 50.")


class FindOut(BaseModel):
    """Find a quote."""

    doc_hash: DigestText
    extraction_id: DigestText
    status: str = Field(examples=["EXACT"])
    matches: list[MatchOut]
    nearest: list[MatchOut]


class ChunkerOut(BaseModel):
    """Options of the chunker; every chunk's id depends on them."""

    name: str = Field(examples=["chunk-1"])
    by: Literal["size", "structure"]
    max_characters: int
    overlap: int


class ChunkPlaceOut(BaseModel):
    """Start of a chunk in a format without page geometry; unknown members are omitted."""

    part: str | None = None
    slide: int | None = None
    sheet: str | None = None
    cell: str | None = None
    paragraph: int | None = None


class ChunkOut(BaseModel):
    """One chunk; offsets are code points of the canonical text."""

    chunk_id: str
    doc_id: str
    doc_hash: DigestText
    char_start: int = Field(description="First character of the first span.")
    char_end: int = Field(description="After the last character of the last span.")
    text_sha256: DigestText = Field(
        description="SHA-256 of the slice [char_start, char_end) in UTF-8."
    )
    extraction_pipeline: str
    extraction_id: DigestText
    spans: list[list[int]] = Field(description="[start, end] pairs; joined by a newline.")
    spans_sha256: DigestText | None = Field(
        default=None, description="SHA-256 of the chunk's text, if it has several spans."
    )
    page_start: int = Field(ge=1)
    page_end: int = Field(ge=1)
    place: ChunkPlaceOut | None = None
    text: str | None = Field(default=None, description="Only on request.")


class ChunkListOut(BaseModel):
    """One page of a document's chunks."""

    doc_id: str
    doc_hash: DigestText
    extraction_id: DigestText
    extraction_pipeline: str
    chunker: ChunkerOut
    total: int
    chunks: list[ChunkOut]
    next_cursor: str | None


class FetchIn(BaseModel):
    """Address of a document, and its name here."""

    url: str = Field(description="http or https, of a host that SPANPROOF_FETCH_HOSTS lists.")
    doc_id: str | None = Field(None, description="A name; the doc_hash by default.")
    title: str | None = None


FETCH_EXAMPLE_IN: dict[str, Any] = {
    "url": "https://documents.example.com/agreements/supply.pdf",
    "doc_id": "supply-agreement",
}
