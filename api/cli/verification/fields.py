"""``fields``: find the context fields that an answer uses, and measure how well."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_json, write_rich
from spanproof.core.errors import InputError
from spanproof.core.shown import first_words

if TYPE_CHECKING:
    from spanproof.verifier.fields.attribution import FieldReport

FIND = "find"
_SHOWN_CHARACTERS = 60
FileArgument = Annotated[
    str,
    typer.Argument(
        metavar="RESPONSE.json|-", help="A turn: role, response, context, registry. '-' is stdin."
    ),
]


class FieldsGroup(TyperGroup):
    """``fields RESPONSE.json`` is short for ``fields find RESPONSE.json``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer's own click
        """Insert the omitted subcommand."""
        if args and args[0] not in {*self.commands, "--help"}:
            args = [FIND, *args]
        return super().parse_args(ctx, args)


def fields_find(file: FileArgument, *, as_json: JsonOption = False) -> None:
    """Find the fields of a structured context that an answer uses.

    Markers [[PREFIX:field]] are the model's own report (confidence 1.0); values found in the prose
    by their type get less. Markers of fields outside the context are dropped and listed.
    """
    from spanproof.operations.metrics.counters import Metrics
    from spanproof.operations.verification.fields import attribute_turn
    from spanproof.verifier.fields.report import report_to_json

    report = attribute_turn(_read(file), Metrics())
    if as_json:
        write_json(report_to_json(report))
        return
    write_rich(*_render(report))


def fields_calibrate(
    labelled: Annotated[
        str, typer.Argument(metavar="LABELLED.jsonl", help="One turn with its labels a line.")
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Measure the matchers on labelled turns and propose thresholds.

    Agreement, precision, recall and Cohen's kappa by type of field, with intervals of 95 per cent.
    """
    from spanproof.operations.verification.fields import calibrate_lines

    found = calibrate_lines(_read(labelled))
    if as_json:
        write_json(found)
        return
    write_rich(*_render_calibration(found))


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        msg = f"Expected a readable file, got {file!r} ({error.strerror})."
        raise InputError(msg, hint="Check the path, or give '-' to read stdin.") from error


def _render(report: FieldReport) -> list[Any]:
    from rich.text import Text

    flags = "  over-cited" if report.density.is_over_cited else ""
    role = "" if report.turn.is_assistant else "  role is not assistant: nothing was parsed"
    lines = [Text(f"source: {report.attribution_source}{flags}{role}")]
    section = None
    for each in report.attributed:
        if each.field.section != section:
            section = each.field.section
            lines.append(Text(section, style="bold"))
        shown = first_words(str(each.field.value), _SHOWN_CHARACTERS)
        lines.append(Text(f"  {each.confidence:.2f}  {each.method:<18} {each.field.name}: {shown}"))
    lines += [
        Text(f"below threshold: {each.field.path} ({each.confidence:.2f})") for each in report.weak
    ]
    for dropped in report.dropped:
        name = f"[[{dropped.prefix}:{dropped.name}]]"
        lines.append(Text(f"dropped: {name} at {dropped.span.start}: {dropped.code}", style="red"))
    return lines


def _render_calibration(found: dict[str, Any]) -> list[Any]:
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for title in ("type", "labels", "precision", "recall", "agreement", "kappa", "threshold"):
        table.add_column(title, justify="left" if title == "type" else "right")
    rows = {**found["types"], "marker": found["marker"], "all": found["overall"]}
    for name, each in rows.items():
        few = "" if each["is_enough"] else " (few)"
        measured = [_show(each[key]) for key in ("precision", "recall", "agreement", "kappa")]
        table.add_row(
            name, f"{each['labels']}{few}", *measured, _show(each.get("threshold", {"value": None}))
        )
    return [table]


def _show(share: dict[str, Any]) -> str:
    if share["value"] is None:
        return "-"
    if share["low"] is None:
        return f"{share['value']:.2f}"
    return f"{share['value']:.2f} ({share['low']:.2f}-{share['high']:.2f})"
