"""``chunks``: cut documents into chunks for an index, and write their manifest."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_json, write_note, write_rich
from spanproof.api.cli.session import open_session
from spanproof.core.shown import first_words

if TYPE_CHECKING:
    from spanproof.ingest.manifest.rows import ManifestRow

_SHOWN_CHARACTERS = 60
_LINES_AT_ONCE = 500


def chunks(  # noqa: PLR0917 - typer's arguments
    docs: Annotated[
        list[str], typer.Argument(metavar="DOC...", help="doc_ids, doc_hashes or extraction_ids.")
    ],
    by: Annotated[
        Literal["size", "structure"],
        typer.Option(help="'size', or 'structure': headings, lists, tables and paragraphs."),
    ] = "size",
    max_characters: Annotated[int, typer.Option(help="Longest chunk, in code points.")] = 1000,
    overlap: Annotated[
        int, typer.Option(help="Most characters repeated from the previous chunk.")
    ] = 0,
    text: Annotated[bool, typer.Option("--text", help="Include each chunk's text.")] = False,
    name: Annotated[str | None, typer.Option(help="Name of the index, for the manifest.")] = None,
    embedding_model: Annotated[
        str | None, typer.Option(help="Embedding model, for the manifest.")
    ] = None,
    retrieval_method: Annotated[
        str | None, typer.Option(help="Retrieval method, for the manifest.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a manifest to this file (.jsonl or .parquet)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Cut documents into chunks.

    A chunk's id depends only on document and position; its text is its slice of the canonical text.
    """
    from spanproof.ingest.chunking.chunk import ChunkChoice
    from spanproof.ingest.manifest import write_manifest
    from spanproof.operations.documents import chunks as operation

    choice = ChunkChoice(by=by, max_characters=max_characters, overlap=overlap)
    with open_session() as context:
        sources = operation.find_sources(context, docs)
        header = replace(
            operation.make_header(sources, choice, created_at=datetime.now(UTC), name=name),
            embedding_model=embedding_model,
            retrieval_method=retrieval_method,
        )
        if output is not None:
            rows = operation.make_rows(context, sources, choice, with_text=text)
            header = write_manifest(output, header, rows)
            write_note(f"Wrote {header.rows} chunks to {output}")
            if as_json:
                write_json({"output": str(output), "manifest": header.to_json()})
            return
        rows = operation.make_rows(context, sources, choice, with_text=text or not as_json)
        if as_json:
            finished, fields = operation.finish_header(header, rows)
            write_json({"manifest": finished.to_json(), "chunks": fields})
            return
        while lines := [_to_line(row) for row in islice(rows, _LINES_AT_ONCE)]:
            write_rich(*lines)


def _to_line(row: ManifestRow) -> Any:  # noqa: ANN401 - a rich renderable
    from rich.text import Text

    shown = first_words(row.text or "", _SHOWN_CHARACTERS)
    pages = (
        f"{row.page_start}"
        if row.page_start == row.page_end
        else f"{row.page_start}-{row.page_end}"
    )
    return Text(f"{row.chunk_id}  {row.char_start}..{row.char_end}  page {pages}  {shown}")
