"""Versions of indexes, and their differences and drift."""

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
    "extraction_pipelines": ["pymupdf@2.0+canon-1+flags-3+glyphs-1"],
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
    """A registered version; ``header`` is that of its manifest, or null."""

    name: str
    version: str
    manifest_sha256: DigestText
    byte_length: int
    rows: int
    rows_with_offsets: int
    header: dict[str, Any] | None
    registered_at: str


class RegisteredOut(IndexVersionOut):
    """A registered version, and whether it is new."""

    is_new: bool


class IndexOut(BaseModel):
    """An index: the number of its versions, and the newest."""

    name: str
    versions: int = Field(ge=1)
    newest: IndexVersionOut


class IndexListOut(BaseModel):
    """Every index, by name."""

    indexes: list[IndexOut]


class VersionListOut(BaseModel):
    """List the versions of an index, newest first."""

    name: str
    versions: list[IndexVersionOut]


class ChunkCountsOut(BaseModel):
    """Number of chunks by class; all but ``new`` add up to the older version's rows."""

    same: int
    moved: int
    reassigned: int
    gone: int
    new: int


class CitationCountsOut(BaseModel):
    """Number of stored citations of the older version, by class."""

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
    """Compare two versions of an index."""

    index: str
    from_: str = Field(alias="from")
    to: str
    chunks: ChunkCountsOut
    citations: CitationCountsOut
    citations_unlocated: int
    lists: DiffListsOut | None = Field(default=None, description="Only on request.")


class IndexDriftOut(BaseModel):
    """The newest version compared with the one before, and the budget."""

    index: str
    from_: str = Field(alias="from")
    to: str
    chunks: ChunkCountsOut
    citations: CitationCountsOut
    citations_unlocated: int
    chunk_share: float = Field(
        description="Share of the older version's chunks: reassigned or gone."
    )
    citation_share: float = Field(description="Share of its citations: moved elsewhere or lost.")
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
_INDEX = "An index; omit it with from_extraction and to_extraction."


class ReverificationIn(BaseModel):
    """Two versions of an index; default: the newest two."""

    model_config = ConfigDict(strict=True, extra="forbid")

    index: str = Field(min_length=1, description="The index's name.")
    old: str | None = Field(None, alias="from", description="The older version; requires to.")
    new: str | None = Field(None, alias="to", description="The newer version; requires from.")


class DriftCheckIn(BaseModel):
    """Two versions of an index (default: the newest two), or two extractions."""

    model_config = ConfigDict(strict=True, extra="forbid")

    index: str | None = Field(None, min_length=1, description=_INDEX)
    old: str | None = Field(None, alias="from", description="The older version; requires to.")
    new: str | None = Field(None, alias="to", description="The newer version; requires from.")
    from_extraction: DigestText | None = Field(
        None, description="The extraction whose citations are checked."
    )
    to_extraction: DigestText | None = Field(None, description="The extraction to find them in.")
    budget: float = Field(0.001, ge=0, le=1, description="Share that may be lost.")
