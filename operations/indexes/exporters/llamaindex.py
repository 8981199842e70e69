"""LlamaIndex: the nodes of a document store, of an index with one, or of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.operations.indexes.exporters.chunk import StoredChunk

if TYPE_CHECKING:
    from collections.abc import Iterator


def list_chunks(store: Any) -> Iterator[StoredChunk]:  # noqa: ANN401 - any store
    """Every node with its own text, without additions of a template; documents are no chunks."""
    docstore = getattr(store, "docstore", store)
    held = getattr(docstore, "docs", None)
    for node in docstore if held is None else held.values():
        if type(node).__name__ == "Document":
            continue
        placed = {
            "ref_doc_id": node.ref_doc_id,
            "start_char_idx": node.start_char_idx,
            "end_char_idx": node.end_char_idx,
        }
        yield StoredChunk(chunk_id=node.node_id, text=node.text, metadata=placed | node.metadata)
