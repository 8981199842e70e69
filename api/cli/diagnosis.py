"""``doctor``: does every part that the work needs do its work here?"""

from __future__ import annotations

import platform
import shlex
from contextlib import closing
from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_json, write_note, write_rich
from spanproof.api.cli.session import load_settings
from spanproof.core.errors import InputError
from spanproof.operations.versions import find_versions

if TYPE_CHECKING:
    from rich.text import Text

    from bench.corpus.report import CorpusFile, CorpusReport
    from spanproof.operations.context import Context

_SHOWN_PATH, _NOTED_FILES = 60, 100
_STYLES = {"ok": "green", "warning": "yellow", "failed": "bold red"}
#: The distributions whose versions can change what comes out.
DISTRIBUTIONS = (
    "spanproof",
    "pymupdf",
    "pypdfium2",
    "torch",
    "transformers",
    "tokenizers",
    "sqlmodel",
    "numpy",
)


def doctor(
    corpus: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Read every file of a folder; check the invariants."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Only so many files of the corpus, evenly spread.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the corpus's table there as Markdown too."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Check that every part works here. Exit 1 if one fails.

    Settings, database, blobs, policy, entailment model and parser are each tried once. With
    --corpus, a folder's documents are read instead and held against the invariants of an
    extraction; nothing is stored. Exit 1 if a target is missed.
    """
    from spanproof.operations.context import Context
    from spanproof.operations.doctor import diagnose

    if corpus is None and (sample is not None or output is not None):
        msg = "Expected --corpus DIR with --sample or --output, got none."
        raise InputError(msg, hint="Name the folder that holds the documents.")
    # Not open_context(): a store that cannot be opened is a finding here, not an error.
    with closing(Context(load_settings())) as services:
        if corpus is not None:
            return _check_corpus(services, corpus, sample, output, as_json=as_json)
        report = diagnose(services)
    body = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "versions": find_versions(DISTRIBUTIONS),
    } | report.to_json()
    if as_json:
        write_json(body)
    else:
        write_rich(*_to_lines(body))
    return ExitCode.OK if report.is_ready else ExitCode.FAILED


def _check_corpus(
    services: Context, folder: Path, sample: int | None, output: Path | None, *, as_json: bool
) -> int:
    from bench.corpus.view import to_markdown, to_renderables, versions

    report = _run_corpus(services, folder, sample)
    if output is not None:
        named = [] if sample is None else ["--sample", str(sample)]
        # Where the documents lie is this machine's matter; what they are is the folder's name.
        command = shlex.join(["spanproof", "doctor", "--corpus", folder.resolve().name, *named])
        output.write_text(to_markdown(report, command=command), encoding="utf-8")
        write_note(f"Wrote {output}")
    if as_json:
        write_json({"versions": versions()} | report.to_json())
    else:
        write_rich(*to_renderables(report))
    return ExitCode.OK if report.is_met else ExitCode.FAILED


def _run_corpus(services: Context, folder: Path, sample: int | None) -> CorpusReport:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from bench.corpus.run import check_corpus

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("reading", total=None)

        def advance(file: CorpusFile) -> None:
            progress.update(task, advance=1, description=file.path[-_SHOWN_PATH:])
            done = int(progress.tasks[0].completed)
            if not console.is_terminal and done % _NOTED_FILES == 0:
                # A bar is drawn on terminals only: a log gets a line now and then.
                write_note(f"{done} files")

        return check_corpus(
            services,
            folder,
            sample=sample,
            on_start=lambda total: progress.update(task, total=total),
            on_file=advance,
        )


def _to_lines(body: dict[str, Any]) -> list[Text]:
    from rich.text import Text

    versions = ", ".join(f"{name} {version}" for name, version in body["versions"].items())
    lines = [Text(f"python   {body['python']}, {versions}")]
    for check in body["checks"]:
        detail = " ".join(filter(None, (check["detail"], check["hint"])))
        lines.append(
            Text.assemble(
                (f"{check['status']:<9}", _STYLES[check["status"]]), f"{check['name']:<11}{detail}"
            )
        )
    return lines
