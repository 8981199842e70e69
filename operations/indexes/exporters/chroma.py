"""Chroma: the documents of a collection, page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from spanproof.operations.indexes.exporters.chunk import StoredChunk, is_address

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROWS_AT_ONCE = 500


def open_client(url: str) -> Any:  # noqa: ANN401 - an optional library
    """The client of a server's address, or of the folder of an embedded one."""
    import chromadb

    # On by default there, and no business of anybody's.
    settings = chromadb.Settings(anonymized_telemetry=False)
    if not is_address(url):
        return chromadb.PersistentClient(path=url, settings=settings)
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 8000)
    host = parts.hostname or ""
    return chromadb.HttpClient(host=host, port=port, ssl=secure, settings=settings)


def list_chunks(client: Any, collection: str) -> Iterator[StoredChunk]:  # noqa: ANN401 - the same
    """Every document; no one may write meanwhile: pages count from the beginning."""
    opened, offset = client.get_collection(collection), 0
    while True:
        page = opened.get(limit=_ROWS_AT_ONCE, offset=offset, include=["documents", "metadatas"])
        for key, said, known in zip(page["ids"], page["documents"], page["metadatas"], strict=True):
            yield StoredChunk(chunk_id=key, text=said, metadata=known or {})
        offset += len(page["ids"])
        if len(page["ids"]) < _ROWS_AT_ONCE:
            return
