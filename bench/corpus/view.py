"""A corpus report for people: on the terminal, and as a page of the documentation."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

from bench.corpus.report import INVARIANTS
from spanproof.operations.versions import find_versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from bench.corpus.report import CorpusReport, InvariantRow

#: The packages that read the documents; another version can change the text.
READERS = ("spanproof", "pymupdf", "pypdfium2", "unstructured", "lxml", "numpy")
_NOTES = (
    "Cases are what was checked: every character, page, run, block and view character; of the",
    "costlier checks, pages, spans and runs drawn by the document's own digest.",
    "I15 is reported only: text may be painted in the paper's own colour, or under an image.",
    "I16 counts vertical writing as elsewhere: pdfium names the origin of a level line for it,",
    "0.88 of the size below the top of the glyph, where our box begins.",
)
#: Characters that Markdown would read as markup.
_ENTITIES = {c: f"&#{ord(c)};" for c in "\\|<&[]*`"}
_STYLES = {"met": "green", "missed": "bold red", "reported": "cyan", "no case": "dim"}
_HEADS = ("", "invariant", "files", "cases", "violated", "holds", "target")


def to_renderables(report: CorpusReport) -> Iterator[RenderableType]:
    """The totals, the table, and every reported violation."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    for line in _summary(report):
        yield Text(line)
    table = Table(box=box.SIMPLE)
    for head in _HEADS:
        # On a narrow terminal the invariant's statement is cut, never a figure.
        table.add_column(head, no_wrap=head != _HEADS[1])
    for row in report.rows:
        name, says, *figures, word = _cells(row)
        cut = Text(says, no_wrap=True, overflow="ellipsis")
        table.add_row(name, cut, *figures, Text(word, style=_STYLES[row.word]))
    yield table
    for path, violation in report.violations:
        yield Text(f"{violation.invariant}  {path}  {_place(violation)}  {violation.detail}")


def to_markdown(report: CorpusReport, *, command: str) -> str:
    """The same as a page, with the command that made it."""
    lines = [
        "# The invariants on a corpus",
        "",
        "Written by `python -m bench.corpus DIR --output FILE`, never by hand.",
        f"Command: `{command}`",
        "",
        *(f"- {line}" for line in _summary(report)),
        "",
        *_table(_HEADS, (_cells(row) for row in report.rows)),
        "",
        *_NOTES,
        "",
        "## Cases told apart",
        "",
        *_table(
            ("invariant", "kind", "cases"),
            (
                (row.invariant, name, f"{count:,}")
                for row in report.rows
                for name, count in row.counts.items()
            ),
        ),
        "",
        "## Files",
        "",
        *_table(
            ("status", "code", "files"),
            (
                (status, code, str(count))
                for status, codes in report.statuses().items()
                for code, count in codes.items()
            ),
        ),
        "",
        *_table(
            ("media type", "read", "pages", "characters"),
            ((kind, f"{n:,}", f"{p:,}", f"{c:,}") for kind, n, p, c in report.kinds()),
        ),
        "",
        "## Violations",
        "",
        "At most ten are listed for each file and invariant.",
        "",
        *_table(
            ("invariant", "file", "where", "what"),
            ((v.invariant, path, _place(v), v.detail) for path, v in report.violations),
        ),
        "",
        "## Checks that could not be made",
        "",
        *_table(
            ("invariant", "file", "why"), ((inv, path, why) for path, inv, why in report.skips)
        ),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def versions() -> dict[str, str]:
    """Python and the installed readers; each engine may be missing."""
    return {"python": platform.python_version(), **find_versions(READERS)}


def _summary(report: CorpusReport) -> Iterator[str]:
    body = report.to_json()
    named = ", ".join(f"{name} {version}" for name, version in versions().items())
    yield f"Taken on {body['taken_at']}: {named}; {platform.machine()}, {platform.system()}"
    yield f"Engine {report.engine}, cage {report.cage}, {report.workers} workers"
    by_status = ", ".join(
        f"{sum(codes.values()):,} {status}" for status, codes in report.statuses().items()
    )
    yield (
        f"{body['files']:,} files ({by_status}), {body['pages']:,} pages,"
        f" {body['characters']:,} characters in {report.seconds:,.0f} s"
    )
    missed = [row.invariant for row in report.rows if not row.is_met]
    yield "Every target is met" if report.is_met else f"Missed: {', '.join(missed) or 'no case'}"


def _cells(row: InvariantRow) -> tuple[str, ...]:
    share = f"{100 * row.share:.3f} %" if row.checked else "-"
    return (
        row.invariant,
        INVARIANTS[row.invariant],
        f"{row.files:,}",
        f"{row.checked:,} {row.unit}",
        f"{row.violated:,}",
        share,
        row.word,
    )


def _place(violation: Any) -> str:  # noqa: ANN401 - its class would load numpy at start-up
    span = violation.span
    page = "-" if violation.page is None else f"page {violation.page}"
    return page if span is None else f"{page}, {span.start}..{span.end}"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = list(heads)
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(_plain(cell) for cell in row)} |"


def _plain(cell: str) -> str:
    # No character of a file name or a document may end the cell, the row or the line.
    return "".join(_ENTITIES.get(c, c) if c.isprintable() else "\ufffd" for c in cell)
