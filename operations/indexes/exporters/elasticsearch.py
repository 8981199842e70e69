"""Elasticsearch and OpenSearch: an index scrolled through, by the routes that both have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.operations.errors import StoreUnreachableError
from spanproof.operations.indexes.exporters.chunk import StoredChunk

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

_HITS_AT_ONCE = 1_000
_KEPT_OPEN = "2m"


def list_chunks(
    client: httpx.Client, collection: str, *, text: str = "text", metadata: str = "metadata"
) -> Iterator[StoredChunk]:
    """Every document of the index as it stood when this began; ``client`` has address and key.

    Raises StoreUnreachableError where a part of the index did not answer: its chunks are not gone.
    """
    asked = {"size": _HITS_AT_ONCE, "sort": ["_doc"], "query": {"match_all": {}}}
    page = _post(client, f"/{collection}/_search?scroll={_KEPT_OPEN}", asked)
    while hits := page["hits"]["hits"]:
        for hit in hits:
            source = hit["_source"]
            known = source.get(metadata, source)
            yield StoredChunk(chunk_id=hit["_id"], text=source.get(text), metadata=known)
        again = {"scroll": _KEPT_OPEN, "scroll_id": page["_scroll_id"]}
        page = _post(client, "/_search/scroll", again)
    client.request("DELETE", "/_search/scroll", json={"scroll_id": page["_scroll_id"]})


def _post(client: httpx.Client, path: str, body: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    response = client.post(path, json=body)
    response.raise_for_status()
    page = response.json()
    failed = page.get("_shards", {}).get("failed", 0)
    if failed or page.get("timed_out"):
        got = f"{failed} that failed" if failed else "some hits before the time was up"
        msg = f"Expected hits of every shard of the index, got {got}."
        raise StoreUnreachableError(msg, hint="Wait until the index is whole, then export again.")
    return page
