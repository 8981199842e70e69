"""Chunks of other stores → rows of a manifest: each exporter only lists the store's content.

A store knows the id, the text and the metadata of a chunk; which document it is of, and where it
stands in it, it knows only where that was put into the metadata.
"""

from __future__ import annotations

from typing import Literal, get_args

StoreKind = Literal[
    "pgvector", "qdrant", "chroma", "elasticsearch", "opensearch", "langchain", "llamaindex"
]
KINDS: tuple[StoreKind, ...] = get_args(StoreKind)
