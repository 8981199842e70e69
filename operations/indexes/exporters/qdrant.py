"""Qdrant: the points of a collection, scrolled through in the order of their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.operations.indexes.exporters.chunk import StoredChunk, is_address

if TYPE_CHECKING:
    from collections.abc import Iterator

_POINTS_AT_ONCE = 500


def open_client(url: str) -> Any:  # noqa: ANN401 - an optional library
    """The client of a server's address, or of the folder of an embedded one."""
    from qdrant_client import QdrantClient

    return QdrantClient(**{"url" if is_address(url) else "path": url})


def list_chunks(
    client: Any,  # noqa: ANN401 - the same
    collection: str,
    *,
    text: str = "page_content",
) -> Iterator[StoredChunk]:
    """Every point; the payload's ``metadata`` is the metadata, without one the payload itself."""
    offset = None
    while True:
        points, offset = client.scroll(
            collection, limit=_POINTS_AT_ONCE, offset=offset, with_payload=True
        )
        for point in points:
            payload = point.payload or {}
            known = payload.get("metadata", payload)
            said = payload.get(text)
            yield StoredChunk(chunk_id=str(point.id), text=said, metadata=known)
        if offset is None:
            return
