"""The stores that an index can be exported from, by the names of their exporters."""

from __future__ import annotations

from typing import Literal, get_args

StoreKind = Literal[
    "pgvector", "qdrant", "chroma", "elasticsearch", "opensearch", "langchain", "llamaindex"
]
KINDS: tuple[StoreKind, ...] = get_args(StoreKind)
