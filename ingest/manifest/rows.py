"""A manifest's header and rows as values, and as the JSON that both file formats carry."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.moment import write_moment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Place
    from spanproof.core.span import Span
    from spanproof.ingest.chunking.chunk import Chunk

FORMAT = "spanproof-manifest"
VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestHeader:
    """What holds for all rows. ``rows`` and ``rows_sha256`` are None until they are written."""

    created_at: datetime
    extraction_pipelines: tuple[str, ...]
    chunker: Mapping[str, Any] | None = None
    name: str | None = None
    embedding_model: str | None = None
    retrieval_method: str | None = None
    rows: int | None = None
    rows_sha256: Digest | None = None

    def to_json(self) -> dict[str, Any]:
        """The header as both formats carry it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "chunker": None if self.chunker is None else dict(self.chunker),
            "embedding_model": self.embedding_model,
            "retrieval_method": self.retrieval_method,
            "created_at": write_moment(self.created_at),
            "extraction_pipelines": list(self.extraction_pipelines),
            "rows": self.rows,
            "rows_sha256": None if self.rows_sha256 is None else str(self.rows_sha256),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestRow:
    """One chunk of an index. Offsets count in the extraction's canonical text.

    ``text_sha256`` digests the slice ``[char_start, char_end)``; where a chunk has several spans
    that is more than its text, whose digest is ``spans_sha256``.
    """

    chunk_id: str
    doc_id: str
    doc_hash: Digest
    char_start: int | None
    char_end: int | None
    text_sha256: Digest
    extraction_pipeline: str
    extraction_id: Digest | None = None
    spans: tuple[Span, ...] = ()
    spans_sha256: Digest | None = None
    page_start: int | None = None
    page_end: int | None = None
    place: Place | None = None
    text: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields of the row; those that are not known are left out."""
        place = self.place
        fields = {
            "chunk_id": self.chunk_id,
            "doc_id": self.doc_id,
            "doc_hash": str(self.doc_hash),
            "char_start": self.char_start,
            "char_end": self.char_end,
            "text_sha256": str(self.text_sha256),
            "extraction_pipeline": self.extraction_pipeline,
            "extraction_id": None if self.extraction_id is None else str(self.extraction_id),
            "spans": [[span.start, span.end] for span in self.spans] or None,
            "spans_sha256": None if self.spans_sha256 is None else str(self.spans_sha256),
            "page_start": self.page_start,
            "page_end": self.page_end,
            "place": None if place is None else _known(asdict(place)),
            "text": self.text,
        }
        return _known(fields)


@dataclass(slots=True)
class RowsDigest:
    """Counts and digests rows as they pass: SHA-256 of each row's JCS bytes and a newline."""

    count: int = 0
    _hash: Any = field(default_factory=hashlib.sha256)

    def add(self, row: bytes) -> None:
        """Take the JCS bytes of the next row."""
        self._hash.update(row)
        self._hash.update(b"\n")
        self.count += 1

    @property
    def digest(self) -> Digest:
        """The digest of the rows so far."""
        return Digest(self._hash.hexdigest())


def to_row(extraction: Extraction, chunk: Chunk, *, doc_id: str, with_text: bool) -> ManifestRow:
    """The row of a chunk of this extraction."""
    text, hull = extraction.text, chunk.hull
    said = chunk.text_in(text)
    several = len(chunk.spans) > 1
    own = Digest.of(said.encode("utf-8"))
    return ManifestRow(
        chunk_id=chunk.chunk_id,
        doc_id=doc_id,
        doc_hash=extraction.document.doc_hash,
        char_start=hull.start,
        char_end=hull.end,
        text_sha256=Digest.of(text.slice(hull).encode("utf-8")) if several else own,
        extraction_pipeline=extraction.pipeline.name,
        extraction_id=extraction.extraction_id,
        spans=chunk.spans,
        spans_sha256=own if several else None,
        page_start=chunk.page_start,
        page_end=chunk.page_end,
        place=chunk.place,
        text=said if with_text else None,
    )


def to_jcs(fields: dict[str, Any]) -> bytes:
    """The JCS bytes of a row: its values are strings, whole numbers, lists and objects of these.

    For such values the standard library's sorted JSON is JCS (a test compares them), at a tenth of
    the time: manifests have millions of rows.
    """
    written = json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return written.encode("utf-8")


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


#: Key of the header, as JSON, in the file's key-value metadata.
HEADER_KEY = "spanproof-manifest"
#: Rows of one row group: what is held in memory at once.
GROUP_ROWS = 20_000
REQUIRED = ("chunk_id", "doc_id", "doc_hash", "text_sha256", "extraction_pipeline")


def make_schema() -> Any:  # noqa: ANN401 - an untyped library
    """The Arrow schema; optional fields are null where a row does not have them."""
    import pyarrow as pa

    number, word = pa.int64(), pa.string()
    place = pa.struct(
        [
            ("part", word),
            ("slide", number),
            ("sheet", word),
            ("cell", word),
            ("paragraph", number),
        ]
    )
    return pa.schema(
        [
            pa.field("chunk_id", word, nullable=False),
            pa.field("doc_id", word, nullable=False),
            pa.field("doc_hash", word, nullable=False),
            pa.field("char_start", number),
            pa.field("char_end", number),
            pa.field("text_sha256", word, nullable=False),
            pa.field("extraction_pipeline", word, nullable=False),
            pa.field("extraction_id", word),
            pa.field("spans", pa.list_(pa.list_(number))),
            pa.field("spans_sha256", word),
            pa.field("page_start", number),
            pa.field("page_end", number),
            pa.field("place", place),
            pa.field("text", word),
        ]
    )
