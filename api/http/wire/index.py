"""Versions of indexes as they are answered, and what became of one in the next."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from spanproof.api.http.wire.answer import DigestText

_DIGEST = "sha256:" + "3f" * 32
_HEADER: dict[str, Any] = {
    "format": "spanproof-manifest",
    "version": 1,
    "name": "contracts",
    "chunker": {"name": "chunk-1", "by": "size", "max_characters": 1000, "overlap": 0},
    "embedding_model": "minilm-l6",
    "retrieval_method": "hybrid:bm25+dense",
    "created_at": "2026-11-20T14:00:00Z",
    "extraction_pipelines": ["pymupdf@2.0+canon-1+flags-3"],
    "rows": 4,
    "rows_sha256": "sha256:" + "a1" * 32,
}
VERSION: dict[str, Any] = {
    "name": "contracts",
    "version": "2026-11-20",
    "manifest_sha256": _DIGEST,
    "byte_length": 1804,
    "rows": 4,
    "rows_with_offsets": 4,
    "header": _HEADER,
    "registered_at": "2026-11-20T18:09:23Z",
}
REGISTERED: dict[str, Any] = VERSION | {"is_new": True}
VERSION_LIST: dict[str, Any] = {"name": "contracts", "versions": [VERSION]}
INDEX_LIST: dict[str, Any] = {
    "indexes": [{"name": "contracts", "versions": 2, "newest": VERSION}],
}
DIFF: dict[str, Any] = {
    "index": "contracts",
    "from": "2026-11-13",
    "to": "2026-11-20",
    "chunks": {"same": 1, "moved": 1, "reassigned": 1, "gone": 1, "new": 1},
    "citations": {"intact": 7, "remappable": 2, "reassigned": 1, "gone": 0, "source_changed": 0},
    "citations_unlocated": 0,
    "lists": {
        "chunks": {
            "moved": [],
            "reassigned": [
                {"chunk_id": "c-17", "doc_id": "agreement", "char_start": 120, "char_end": 180}
            ],
            "gone": [],
            "new": [],
        },
        "citations": {
            "remappable": [],
            "reassigned": [
                {
                    "verification_id": "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11",
                    "citation": 0,
                    "chunk_id": "c-17",
                    "doc_hash": _DIGEST,
                    "char_start": 120,
                    "char_end": 180,
                }
            ],
            "gone": [],
            "source_changed": [],
            "unlocated": [],
        },
    },
}
DRIFT: dict[str, Any] = {name: value for name, value in DIFF.items() if name != "lists"} | {
    "chunk_share": 0.5,
    "citation_share": 0.1,
    "budget": 0.001,
    "over_budget": True,
}


class IndexVersionOut(BaseModel):
    """A version as it was registered; ``header`` is its manifest's own, null without one."""

    name: str
    version: str
    manifest_sha256: DigestText
    byte_length: int
    rows: int
    rows_with_offsets: int
    header: dict[str, Any] | None
    registered_at: str


class RegisteredOut(IndexVersionOut):
    """The same, and whether it is new."""

    is_new: bool


class IndexOut(BaseModel):
    """An index: how many versions are registered, and the newest."""

    name: str
    versions: int = Field(ge=1)
    newest: IndexVersionOut


class IndexListOut(BaseModel):
    """Every index, by name."""

    indexes: list[IndexOut]


class VersionListOut(BaseModel):
    """The versions of an index, newest first."""

    name: str
    versions: list[IndexVersionOut]


class ChunkCountsOut(BaseModel):
    """What became of chunks; all but ``new`` add up to the older version's rows."""

    same: int
    moved: int
    reassigned: int
    gone: int
    new: int


class CitationCountsOut(BaseModel):
    """What became of the kept citations of the older version."""

    intact: int
    remappable: int
    reassigned: int
    gone: int
    source_changed: int


class DiffListsOut(BaseModel):
    """The first 1,000 of each class."""

    chunks: dict[str, list[dict[str, Any]]]
    citations: dict[str, list[dict[str, Any]]]


class DiffOut(BaseModel):
    """Two versions of an index, compared."""

    index: str
    from_: str = Field(alias="from")
    to: str
    chunks: ChunkCountsOut
    citations: CitationCountsOut
    citations_unlocated: int
    lists: DiffListsOut | None = Field(default=None, description="Where they were asked for.")


class IndexDriftOut(BaseModel):
    """The newest version against the one before, and the budget that it was held against."""

    index: str
    from_: str = Field(alias="from")
    to: str
    chunks: ChunkCountsOut
    citations: CitationCountsOut
    citations_unlocated: int
    chunk_share: float = Field(description="Of the older version's chunks: reassigned or gone.")
    citation_share: float = Field(description="Of its citations: led elsewhere, or nowhere.")
    budget: float
    over_budget: bool


DRIFT_CHECK_IN: dict[str, Any] = {
    "index": "contracts",
    "from": "2026-11-13",
    "to": "2026-11-20",
    "budget": 0.001,
}
EXTRACTION_CHECK_IN: dict[str, Any] = {
    "from_extraction": "sha256:" + "3f" * 32,
    "to_extraction": "sha256:" + "a1" * 32,
}
REVERIFICATION_IN: dict[str, Any] = {
    "index": "contracts",
    "from": "2026-11-13",
    "to": "2026-11-20",
}
_INDEX = "An index; with from_extraction and to_extraction none."


class ReverificationIn(BaseModel):
    """Two versions of an index, its newest two without any."""

    model_config = ConfigDict(strict=True, extra="forbid")

    index: str = Field(min_length=1, description="The index's name.")
    old: str | None = Field(None, alias="from", description="The version before; with to.")
    new: str | None = Field(None, alias="to", description="The version after; with from.")


class DriftCheckIn(BaseModel):
    """Two versions of an index, its newest two without any; or two extractions."""

    model_config = ConfigDict(strict=True, extra="forbid")

    index: str | None = Field(None, min_length=1, description=_INDEX)
    old: str | None = Field(None, alias="from", description="The version before; with to.")
    new: str | None = Field(None, alias="to", description="The version after; with from.")
    from_extraction: DigestText | None = Field(None, description="The extraction that is cited.")
    to_extraction: DigestText | None = Field(None, description="Where citations are looked for.")
    budget: float = Field(0.001, ge=0, le=1, description="The share that may be lost.")
