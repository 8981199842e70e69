"""Chunks as they are answered: the rows of a manifest."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from spanproof.api.http.wire.answer import DigestText


class ChunkerOut(BaseModel):
    """How the text was cut; all of it is in every chunk's id."""

    name: str = Field(examples=["chunk-1"])
    by: Literal["size", "structure"]
    max_characters: int
    overlap: int


class PlaceOut(BaseModel):
    """Where a chunk begins in a format without page geometry; what is not known is left out."""

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
    text_sha256: DigestText = Field(description="Of the slice [char_start, char_end) in UTF-8.")
    extraction_pipeline: str
    extraction_id: DigestText
    spans: list[list[int]] = Field(description="[start, end] pairs; joined by a newline.")
    spans_sha256: DigestText | None = Field(
        default=None, description="Of the chunk's text, where it has several spans."
    )
    page_start: int = Field(ge=1)
    page_end: int = Field(ge=1)
    place: PlaceOut | None = None
    text: str | None = Field(default=None, description="Where it was asked for.")


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
