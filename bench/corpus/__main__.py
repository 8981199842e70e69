"""Read every file of a folder and check the sixteen invariants of an extraction on it.

``python -m bench.corpus DIR [--sample N] [--output FILE] [--json]`` reads in the cage, by the
engine, the limits and the workers of the ``SPANPROOF_`` variables. Nothing is stored; progress goes
to stderr. Two runs look at the same places: what is sampled in a large document depends on its
digest alone. Exit 1 if a target is missed: no violation of I1 to I6 and I8 to I14, at least 99 % of
the spans for I7 and of the characters for I16; I15 is reported only. Exit 2 if nothing can be run.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.corpus.run import check_corpus
from bench.corpus.view import to_markdown, to_renderables, versions
from bench.invariants.caged import CheckingParser
from spanproof.core.errors import SpanproofError
from spanproof.operations.assembly import to_limits
from spanproof.operations.settings import Settings

if TYPE_CHECKING:
    from bench.corpus.report import CorpusFile, CorpusReport

_SHOWN_PATH, _NOTED_FILES = 60, 100


def main(arguments: list[str] | None = None) -> int:
    """Check the folder, print the table or the JSON, write the page."""
    options = _parse(arguments)
    try:
        settings = Settings()
        with CheckingParser(
            to_limits(settings),
            engine=settings.engine,
            cage=settings.sandbox,
            workers=settings.workers or os.cpu_count() or 1,
        ) as parser:
            report = _run(parser, options.folder, options.sample)
    except SpanproofError as error:
        print(f"{error.code}: {error.message} {error.hint}", file=sys.stderr)
        return 2
    if options.output is not None:
        named = [] if options.sample is None else ["--sample", str(options.sample)]
        # The folder stands for its documents by name: its place is of no use elsewhere.
        command = shlex.join(
            ["python", "-m", "bench.corpus", options.folder.resolve().name, *named]
        )
        options.output.write_text(to_markdown(report, command=command), encoding="utf-8")
        print(f"Wrote {options.output}", file=sys.stderr)
    if options.json:
        print(json.dumps({"versions": versions()} | report.to_json(), indent=2))
    else:
        Console().print(*to_renderables(report), sep="\n")
    return 0 if report.is_met else 1


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.corpus")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument(
        "--sample", type=_positive, metavar="N", help="only so many files, evenly spread"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the table as Markdown")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        msg = f"expected at least 1, got {number}"
        raise argparse.ArgumentTypeError(msg)
    return number


def _run(parser: CheckingParser, folder: Path, sample: int | None) -> CorpusReport:
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
                print(f"{done} files", file=sys.stderr)

        return check_corpus(
            parser,
            folder,
            sample=sample,
            on_start=lambda total: progress.update(task, total=total),
            on_file=advance,
        )


if __name__ == "__main__":
    raise SystemExit(main())
