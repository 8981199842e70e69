"""pgvector, or any table of PostgreSQL with an id, a text and a JSON of metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.operations.indexes.exporters.chunk import StoredChunk

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROWS_AT_ONCE = 2_000


def list_chunks(
    url: str,
    collection: str,
    *,
    chunk_id: str = "id",
    text: str = "text",
    metadata: str = "metadata",
) -> Iterator[StoredChunk]:
    """Every row of the table (``schema.table``), as one transaction sees it, by a cursor."""
    import psycopg
    from psycopg import sql

    table = sql.Identifier(*collection.split("."))
    query = sql.SQL("SELECT {}::text, {}, {} FROM {}").format(
        *map(sql.Identifier, (chunk_id, text, metadata)), table
    )
    with psycopg.connect(url) as connection, connection.cursor("spanproof_export") as cursor:
        cursor.itersize = _ROWS_AT_ONCE
        for key, said, known in cursor.execute(query):
            yield StoredChunk(chunk_id=key, text=said, metadata=known or {})
