"""``ingest``, ``text``, ``locate`` and ``find``: documents and places in them."""

from __future__ import annotations

import shlex
from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import (
    is_watched,
    show_progress,
    write_bytes,
    write_error,
    write_json,
    write_note,
    write_rich,
)
from spanproof.api.cli.session import open_session
from spanproof.core.errors import InputError
from spanproof.core.shown import show_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.ingest.limits import OcrChoice
    from spanproof.operations.context import Context
    from spanproof.operations.documents.ingest_report import IngestReport
    from spanproof.operations.documents.locate import LocateReport
    from spanproof.operations.settings import Settings

Unit = Literal["codepoint", "utf16", "utf8"]

DocumentArgument = Annotated[
    str, typer.Argument(metavar="DOC", help="A doc_id, doc_hash or extraction_id.")
]
UnitOption = Annotated[Unit, typer.Option(help="Unit of the offsets.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]


def ingest(  # noqa: PLR0917 - typer's arguments
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATHS...", help="Files, or folders to search for files."),
    ],
    doc_id: Annotated[
        str | None, typer.Option(help="Name for a single file (default: its hash).")
    ] = None,
    cross_check: Annotated[
        bool,
        typer.Option(
            "--cross-check",
            help="Compare with the second PDF engine and record the differences.",
        ),
    ] = False,
    ocr: Annotated[
        bool,
        typer.Option(
            "--ocr",
            help="Use OCR for pages without text and lost glyphs; makes another extraction.",
        ),
    ] = False,
    ocr_language: Annotated[
        str, typer.Option(help="Tesseract's language(s), joined by '+'.")
    ] = "eng",
    ocr_dpi: Annotated[int, typer.Option(help="Resolution of the page images.")] = 300,
    as_json: JsonOption = False,
) -> int:
    """Read documents and keep their text and layout. Exit 3 if any was refused."""
    from spanproof.operations.documents.ingest import IngestOptions, ingest_files, walk_paths

    files = list(walk_paths(paths))
    if not files:
        msg = f"Expected at least one file, got none in {shlex.join(map(str, paths))}."
        raise InputError(msg, hint="Name a file, or a folder with files.")
    if doc_id is not None and len(files) != 1:
        msg = f"Expected one file to name {doc_id!r}, got {len(files)}."
        raise InputError(msg, hint="Ingest the files one by one, or omit --doc-id.")
    with open_session() as context:
        options = IngestOptions(
            cross_check=cross_check,
            ocr=to_ocr_choice(context.settings, ocr_language, ocr_dpi) if ocr else None,
        )
        with show_progress("reading", len(files)) as advance:
            reports = [
                _announce(report, number, len(files))
                for number, report in enumerate(
                    ingest_files(context, files, doc_id=doc_id, options=options, on_done=advance),
                    start=1,
                )
            ]
    rows = [report.to_json() for report in reports]
    if as_json:
        write_json({"documents": rows})
    else:
        _write_rows(rows)
    return ExitCode.ERROR if any(row["status"] == "refused" for row in rows) else ExitCode.OK


def text(
    doc: DocumentArgument,
    start: Annotated[int | None, typer.Option(help="First offset (default: 0).")] = None,
    end: Annotated[int | None, typer.Option(help="Offset after the last (default: end).")] = None,
    unit: UnitOption = "codepoint",
) -> None:
    """Print a document's text, or a slice of it.

    Writes the canonical text as UTF-8 bytes: no newline is added or translated.
    """
    from spanproof.operations.accesses import record_command
    from spanproof.operations.documents.stored import read_text

    with open_session() as context:
        record_command(context, "document", doc)
        content = read_text(context, doc, start, end, unit)
    write_bytes(content.encode("utf-8"))


def locate(  # noqa: PLR0917 - typer's arguments
    doc: DocumentArgument,
    start: Annotated[int, typer.Argument(metavar="START", help="First offset of the span.")],
    end: Annotated[int, typer.Argument(metavar="END", help="Offset after the last.")],
    unit: UnitOption = "codepoint",
    png: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the span on its page as PNG; further pages become FILE-2.png, …",
        ),
    ] = None,
    pdf: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a copy of the PDF with the span marked."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show where a span is: on its pages, or in which block.

    Boxes are in points from the top left of the displayed page; quads are in PDF user space.
    """
    from spanproof.operations.accesses import record_command
    from spanproof.operations.documents import locate as operation

    with open_session() as context:
        record_command(context, "document", doc)
        report = operation.locate(context, doc, start, end, unit)
        if png is not None:
            _draw_pages(context, report, png)
        if pdf is not None:
            pdf.write_bytes(operation.annotated_pdf(context, doc, start, end, unit))
            write_note(f"Wrote {pdf}")
    if as_json:
        write_json(report.to_json())
        return
    lines = [f"page {row['page']}  bbox {row['bbox']}" for row in report.to_json()["pages"]]
    lines += [
        f"{place.kind} {place.span.start}..{place.span.end}  {place.words}"
        for place in report.places
    ]
    lines += [f"{cell.words}  {cell.text!r}" for cell in report.cells]
    write_rich(*map(_plain, lines or ["no place: no character of the span has a position"]))


def find(
    doc: DocumentArgument,
    quote: Annotated[str, typer.Argument(metavar="QUOTE", help="The words to look for.")],
    as_json: JsonOption = False,
) -> int:
    """Find a quote in a document. Exit 0 if found, 1 if not."""
    from spanproof.operations.accesses import record_command
    from spanproof.operations.documents import find as operation

    with open_session() as context:
        record_command(context, "document", doc)
        report = operation.find(context, doc, quote)
    if as_json:
        write_json(report.to_json())
    else:
        matches = [
            f"{match.span.start}..{match.span.end}  page {match.page}  {match.text!r}"
            + "".join(f"  {code}" for code in match.codes)
            + "".join(f"  {cell.words}" for cell in match.cells[:1])
            for match in report.matches
        ]
        write_rich(report.status.value, *(_plain(line) for line in matches))
    return ExitCode.OK if report.is_found else ExitCode.FAILED


def to_ocr_choice(settings: Settings, language: str, dpi: int) -> OcrChoice:
    """The caller's options, with the folder of language data from the settings."""
    from spanproof.ingest.limits import OcrChoice

    folder = settings.tessdata
    return OcrChoice(
        language=language, dpi=dpi, tessdata=None if folder is None else str(folder.resolve())
    )


def _announce(report: IngestReport, number: int, total: int) -> IngestReport:
    row = report.to_json()
    problem = row["problem"]
    if row["status"] == "refused" and problem is not None:
        write_error(problem["code"], f"{row['path']}: {problem['detail']} {problem['hint']}")
    if total > 1 and not is_watched():
        write_note(f"[{number}/{total}] {row['status']}  {row['path']}")
    return report


def _write_rows(rows: Sequence[dict[str, Any]]) -> None:
    write_rich(
        *(
            _plain(
                f"{row['status']:<9}{row['path']}  {row['doc_id']}  "
                f"{show_count(row['pages'], 'page')}, {show_count(row['characters'], 'character')}"
            )
            for row in rows
            if row["status"] != "refused"
        )
    )


def _draw_pages(context: Context, report: LocateReport, path: Path) -> None:
    from spanproof.operations.documents.locate import MarkedSpan, page_image

    if not report.pages:
        msg = f"Expected a span with a position on a page, got {report.text!r} which has none."
        raise InputError(msg, hint="Choose a span with visible characters of a PDF.")
    marked = MarkedSpan(start=report.span.start, end=report.span.end)
    for number, locator in enumerate(report.pages, start=1):
        target = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        image = page_image(context, str(report.extraction_id), locator.page, [marked])
        target.write_bytes(image)
        write_note(f"Wrote {target}")


def _plain(line: str) -> Any:  # noqa: ANN401 - a rich renderable
    from rich.text import Text

    return Text(line)
