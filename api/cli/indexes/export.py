"""``index export``: the manifest of what somebody's store holds."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_json, write_note
from spanproof.api.cli.session import open_session
from spanproof.core.errors import InputError
from spanproof.operations.indexes.exporters.kinds import KINDS, StoreKind


def export(
    store: Annotated[StoreKind, typer.Argument(metavar="STORE", help=f"{', '.join(KINDS)}.")],
    *,
    url: Annotated[
        str, typer.Option(metavar="URL", help="Address, folder, or module:name of a store.")
    ],
    output: Annotated[Path, typer.Option(metavar="FILE", help="The manifest, .jsonl or .parquet.")],
    collection: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table, collection or index.")
    ] = None,
    mapped: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="FIELD=NAME", help="What the metadata calls a field."),
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the store calls the text.")
    ] = None,
    embedding_model: Annotated[
        str | None, typer.Option(help="What embeds the chunks, for the header.")
    ] = None,
    retrieval_method: Annotated[
        str | None, typer.Option(help="How they are retrieved, for the header.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the manifest of every chunk that a store holds, to be registered."""
    from spanproof.operations.indexes.export import export_index

    names: dict[str, str] = {}
    for pair in mapped or ():
        field, _, name = pair.partition("=")
        if not name:
            raise InputError(f"Expected FIELD=NAME, got {pair!r}.", hint="Write --map doc_id=NAME.")
        names[field] = name
    with open_session() as services:
        header = export_index(
            services,
            store,
            url,
            collection,
            output,
            names=names,
            text=text,
            embedding_model=embedding_model,
            retrieval_method=retrieval_method,
        )
    write_note(f"Wrote {header.rows} chunks to {output}")
    if as_json:
        write_json({"output": str(output), "manifest": header.to_json()})
