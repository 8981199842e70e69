"""A chunk as a store holds it, and the row of a manifest that it becomes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedManifestError
from spanproof.ingest.manifest.parsing import parse_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from spanproof.ingest.manifest import ManifestRow

#: The pipeline of a text whose offsets belong to no canonical text of ours.
FOREIGN_PIPELINE = "foreign@1"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """What a store says of one chunk; ``text`` exactly as it is kept there, None without any."""

    chunk_id: str
    text: str | None
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The metadata's names of a row's values; ``find_hash`` finds a document's hash.

    Names are tried in their order. LangChain's ``start_index`` and LlamaIndex's character indexes
    are known.
    """

    doc_id: tuple[str, ...] = ("doc_id", "ref_doc_id", "document_id", "source")
    doc_hash: tuple[str, ...] = ("doc_hash",)
    char_start: tuple[str, ...] = ("char_start", "start_char_idx", "start_index")
    char_end: tuple[str, ...] = ("char_end", "end_char_idx")
    extraction_pipeline: tuple[str, ...] = ("extraction_pipeline",)
    find_hash: Callable[[str], str | None] = field(default=lambda _: None)

    def renamed(self, names: Mapping[str, str]) -> Fields:
        """The same with one name of yours for each of these, tried first."""
        changed: dict[str, Any] = {
            own: (given, *getattr(self, own)) for own, given in names.items()
        }
        return replace(self, **changed)


def is_address(url: str) -> bool:
    """Whether a client is to ask a server; anything else is the folder of an embedded store."""
    return url.startswith(("http://", "https://"))


def to_rows(chunks: Iterable[StoredChunk], fields: Fields) -> Iterator[ManifestRow]:
    """A row for each chunk; raise MalformedManifestError, which names it, where one cannot be."""
    for number, chunk in enumerate(chunks, 1):
        yield _to_row(chunk, fields, f"chunk {number} ({chunk.chunk_id!r})")


def _to_row(chunk: StoredChunk, fields: Fields, where: str) -> ManifestRow:
    if chunk.text is None:
        # The digest of no words at all would make every citation of the chunk another's.
        msg = f"Expected the text of {where}, got none."
        raise MalformedManifestError(msg, hint="Name its field with --text.")
    doc_hash = _find(chunk, fields.doc_hash)
    doc_id = _find(chunk, fields.doc_id)
    doc_id = doc_hash if doc_id is None else doc_id
    if doc_hash is None and isinstance(doc_id, str):
        doc_hash = fields.find_hash(doc_id)
    if doc_hash is None:
        msg = f"Expected the doc_hash of {where} in its metadata, got none."
        hint = "Put it there, name its field with --map doc_hash=NAME, or ingest the document."
        raise MalformedManifestError(msg, hint=hint)
    start, end = (_find(chunk, names) for names in (fields.char_start, fields.char_end))
    if isinstance(start, int) and end is None:
        end = start + len(chunk.text)
    return parse_row(
        {
            "chunk_id": chunk.chunk_id,
            "doc_id": doc_id,
            "doc_hash": doc_hash,
            "char_start": start,
            "char_end": end,
            "text_sha256": str(Digest.of(chunk.text.encode("utf-8", "surrogatepass"))),
            "extraction_pipeline": _find(chunk, fields.extraction_pipeline) or FOREIGN_PIPELINE,
        },
        where,
    )


def _find(chunk: StoredChunk, names: tuple[str, ...]) -> Any:  # noqa: ANN401 - any metadata
    found = (chunk.metadata.get(name) for name in names)
    return next((value for value in found if value is not None), None)
