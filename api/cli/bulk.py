"""``bulk``: verify millions of citations, from Parquet to Parquet, on one or more machines."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_json, write_note
from spanproof.api.cli.rate import ProgressRate
from spanproof.api.cli.session import open_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.operations.bulk.run import BulkProgress


def build_bulk_commands() -> typer.Typer:
    """The commands of ``spanproof bulk``."""
    group = typer.Typer(help="Verify millions of citations.", rich_markup_mode=None)
    group.callback()(_bulk)
    group.command("verify")(verify)
    return group


def _bulk() -> None:
    """Verify citations from Parquet to Parquet."""


def verify(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN.parquet|DIR", help="The pairs: a Parquet file or a folder of them."
        ),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The output folder.")],
    shard: Annotated[
        str, typer.Option(metavar="I/N", help="The shard that this run does; counts from 0.")
    ] = "0/1",
    engine: Annotated[
        Literal["local", "ray"],
        typer.Option(help="'local' for this machine, 'ray' for a Ray cluster."),
    ] = "local",
    *,
    policy: Annotated[
        str | None, typer.Option(metavar="NAME", help="Policy for rows without one.")
    ] = None,
    redo_errors: Annotated[
        bool, typer.Option("--redo-errors", help="Retry parts with errors.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Verify pairs of claim and quote against the stored documents.

    Columns in: pair_id, doc_hash, char_start, char_end, span_text, claim; optional extraction_id,
    unit, policy. Run the same command again to continue. Only the output is written.
    """
    from spanproof.operations.bulk.plan import Shard

    chosen = Shard.parse(shard)
    rate = ProgressRate("rows")
    progress: BulkProgress | None = None
    try:
        with open_session() as context:
            steps: Iterator[BulkProgress]
            if engine == "ray":
                from spanproof.operations.bulk.ray import verify_files_on_ray

                steps = verify_files_on_ray(context, source, output, shard=chosen, policy=policy)
            else:
                from spanproof.operations.bulk.run import verify_files

                steps = verify_files(
                    context, source, output, shard=chosen, policy=policy, redo_errors=redo_errors
                )
            for progress in steps:
                rate.show(progress.rows, progress.rows / max(1, progress.total))
    finally:
        rate.clear()
    if progress is None:
        return
    if as_json:
        write_json(progress.to_json())
        return
    counts = ", ".join(f"{name} {count}" for name, count in progress.outcomes.items()) or "none"
    write_note(f"{progress.rows} rows, {progress.resumed} of them done before: {counts}")
