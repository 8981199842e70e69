"""The kind ``ingest``: one document, read and kept as ``PUT /v1/documents`` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.operations.documents.ingest import (
    CHUNK_BYTES,
    Announced,
    ingest_staged,
    stage_chunks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.operations.jobs.kinds import ProgressCall


def run(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Keep the document of the input; the same bytes again keep nothing twice."""
    source = context.jobs.inputs.path(arguments["input"])
    progress(0, 1)
    expected = arguments.get("expected")
    with context.store.blobs.stage() as staged:
        stage_chunks(context, staged, _read_chunks(source))
        announced = Announced(
            media_type=arguments.get("media_type"),
            filename=arguments.get("filename"),
            doc_id=arguments.get("doc_id"),
            title=arguments.get("title"),
            expected=None if expected is None else Digest.parse(expected),
        )
        report = ingest_staged(context, staged, announced)
    progress(1, 1)
    return report.to_json()


def _read_chunks(source: Path) -> Iterator[bytes]:
    with source.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk
