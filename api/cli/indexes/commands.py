"""The commands ``index …`` and ``drift``: the versions of an index."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_json, write_note, write_rich
from spanproof.api.cli.session import open_session
from spanproof.core.errors import InputError
from spanproof.operations.indexes.exporters import KINDS, StoreKind

if TYPE_CHECKING:
    from spanproof.operations.indexes.comparison import IndexDiff
    from spanproof.operations.indexes.drift import ExtractionDrift


def export(
    store: Annotated[StoreKind, typer.Argument(metavar="STORE", help=f"{', '.join(KINDS)}.")],
    *,
    url: Annotated[
        str, typer.Option(metavar="URL", help="Address, folder or module:name of the store.")
    ],
    output: Annotated[
        Path, typer.Option(metavar="FILE", help="Output file: the manifest (.jsonl or .parquet).")
    ],
    collection: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the table, collection or index.")
    ] = None,
    mapped: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="FIELD=NAME", help="Name of a field in the metadata."),
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the text field in the store.")
    ] = None,
    embedding_model: Annotated[
        str | None, typer.Option(help="Embedding model, for the header.")
    ] = None,
    retrieval_method: Annotated[
        str | None, typer.Option(help="Retrieval method, for the header.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the manifest of all chunks in a vector store, ready to be registered."""
    from spanproof.operations.indexes.export import export_index

    names: dict[str, str] = {}
    for pair in mapped or ():
        field, _, name = pair.partition("=")
        if not name:
            raise InputError(f"Expected FIELD=NAME, got {pair!r}.", hint="Write --map doc_id=NAME.")
        names[field] = name
    with open_session() as context:
        header = export_index(
            context,
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


NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The index's name.")]


def build_index_commands() -> typer.Typer:
    """The commands of ``spanproof index``."""
    group = typer.Typer(help="Versions of an index.", rich_markup_mode=None)
    group.callback()(_index)
    group.command("register")(register)
    group.command("diff")(diff)
    group.command("export")(export)
    return group


def _index() -> None:
    """Register and compare versions of an index."""


def register(
    name: NameArgument,
    version: Annotated[str, typer.Argument(metavar="VERSION", help="The name that citations use.")],
    manifest: Annotated[
        Path,
        typer.Argument(metavar="MANIFEST", help="Manifest of its chunks (.jsonl or .parquet)."),
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Register a version of an index by the manifest of its chunks.

    Only the shape of the manifest is checked, not its content. A registered version never changes.
    """
    from spanproof.operations.indexes.version import register_file
    from spanproof.store.indexes.index_rows import NewVersion

    with open_session() as context:
        new = NewVersion(name=name, version=version, registered_at=datetime.now(UTC))
        found, is_new = register_file(context, new, manifest)
    if as_json:
        write_json(found.to_json() | {"is_new": is_new})
    else:
        word = "Registered" if is_new else "Known already:"
        write_note(f"{word} {found.name} {found.version}, {found.rows} chunks")


def diff(
    name: NameArgument,
    old: Annotated[str, typer.Argument(metavar="V1", help="The older version.")],
    new: Annotated[str, typer.Argument(metavar="V2", help="The newer version.")],
    *,
    listed: Annotated[
        bool, typer.Option("--list", help="List the first 1,000 of each class too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two versions of an index: what happens to its chunks and to the stored citations."""
    from spanproof.operations.indexes.comparison import compare

    with open_session() as context:
        found = compare(context, name, old, new, listed=listed)
    if as_json:
        write_json(found.to_json())
        return
    _show_diff(found)


def drift(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Name of an index; default: every index.")
    ] = None,
    old: Annotated[str | None, typer.Argument(metavar="[V1]", help="The older version.")] = None,
    new: Annotated[str | None, typer.Argument(metavar="[V2]", help="The newer version.")] = None,
    *,
    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="EXTRACTION", help="The extraction whose citations are checked."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--to", metavar="EXTRACTION", help="The extraction to find them in."),
    ] = None,
    gate: Annotated[bool, typer.Option("--gate", help="Exit 1 over budget.")] = False,
    budget: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of citations that may be lost, 0 to 1.")
    ] = 0.001,
    as_json: JsonOption = False,
) -> int:
    """Compare the drift of indexes, or of an extraction's citations, with a budget.

    Compares an index's newest version with the one before it, or V2 with V1. With --from and --to
    it looks for the stored citations of one extraction in another. Each result is stored.
    """
    from spanproof.operations.indexes import drift as operation
    from spanproof.operations.indexes.comparison import compare

    operation.check_budget(budget)
    _check_choice(name, old, new, source, target)
    reports: list[IndexDiff | ExtractionDrift]
    with open_session() as context:
        if source is not None and target is not None:
            moment = datetime.now(UTC)
            reports = [operation.reanchor_citations(context, source, target, moment=moment)]
        elif name is not None and old is not None and new is not None:
            reports = [compare(context, name, old, new)]
        else:
            reports = [*operation.compare_newest(context, name)]
        for report in reports:
            if not isinstance(report, operation.ExtractionDrift):
                operation.record_drift(context, report, budget)
    over = [operation.is_over(each, budget) for each in reports]
    if as_json:
        shown = [
            each.to_json() | {"over_budget": is_over}
            for each, is_over in zip(reports, over, strict=True)
        ]
        only = shown[0] if len(shown) == 1 else {"indexes": shown, "over_budget": any(over)}
        write_json(only | {"budget": budget})
    else:
        for report, is_over in zip(reports, over, strict=True):
            _show(report)
            write_note(f"{'Over' if is_over else 'Within'} the budget of {budget:g}")
    return ExitCode.FAILED if gate and any(over) else ExitCode.OK


def _check_choice(
    name: str | None, old: str | None, new: str | None, source: str | None, target: str | None
) -> None:
    is_pair = (source is None) == (target is None)
    is_one = source is None or name is None
    if not is_pair or not is_one or (old is None) != (new is None):
        msg = "Expected [NAME [V1 V2]], or --from with --to, got an incomplete or mixed set."
        raise InputError(msg, hint="Run 'spanproof drift --help'.")


def _show(report: IndexDiff | ExtractionDrift) -> None:
    from spanproof.operations.indexes.drift import ExtractionDrift

    if isinstance(report, ExtractionDrift):
        counts = {each.value: count for each, count in report.classes.items() if count}
        write_rich(f"{report.total} citations: {_join(counts)}; {report.accepted} accepted")
        return
    _show_diff(report)


def _show_diff(found: IndexDiff) -> None:
    shown = found.to_json()
    write_rich(
        f"{found.old.name}: {found.old.version} to {found.new.version}",
        f"chunks     {_join(shown['chunks'])}",
        f"citations  {_join(shown['citations'])}, unlocated {shown['citations_unlocated']}",
    )


def _join(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
