"""LangChain: the documents of a vector store that can list them, or any documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.operations.indexes.exporters.chunk import StoredChunk

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROWS_AT_ONCE = 500


def list_chunks(store: Any) -> Iterator[StoredChunk]:  # noqa: ANN401 - any store
    """Of an in-memory store, of one with Chroma's ``get``, or of documents with ids."""
    if isinstance(held := getattr(store, "store", None), dict):
        for key, row in held.items():
            yield StoredChunk(chunk_id=key, text=row["text"], metadata=row["metadata"])
    elif hasattr(store, "get"):
        offset = 0
        while (page := store.get(limit=_ROWS_AT_ONCE, offset=offset))["ids"]:
            rows = zip(page["ids"], page["documents"], page["metadatas"], strict=True)
            for key, said, known in rows:
                yield StoredChunk(chunk_id=key, text=said, metadata=known or {})
            offset += len(page["ids"])
    else:
        for document in store:
            yield StoredChunk(
                chunk_id=document.id, text=document.page_content, metadata=document.metadata
            )
