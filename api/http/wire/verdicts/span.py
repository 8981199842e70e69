"""Places in the prose and in a canonical text, as they are answered."""

from __future__ import annotations

from pydantic import BaseModel

from spanproof.api.http.wire.answer import DigestText


class OffsetsOut(BaseModel):
    """A span of the prose."""

    start: int
    end: int


class SourceSpanOut(BaseModel):
    """A span of a canonical text."""

    char_start: int
    char_end: int


class CandidateOut(SourceSpanOut):
    """A place in a document."""

    doc_hash: DigestText
    folds: list[str]
