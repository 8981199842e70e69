"""``diff``: compare two answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_json, write_note, write_rich
from spanproof.api.cli.session import open_session
from spanproof.core.shown import first_words

if TYPE_CHECKING:
    from rich.text import Text

    from spanproof.operations.verification.diff import DiffReport
    from spanproof.verifier.answers.diff import CitedPlace

_WHAT = "An answer as for 'verify', the output of 'verify --json', or a verification id."


def diff(
    first: Annotated[str, typer.Argument(metavar="ANSWER_A", help=_WHAT)],
    second: Annotated[str, typer.Argument(metavar="ANSWER_B", help="The same.")],
    *,
    answer_format: Annotated[
        str,
        typer.Option(
            "--format", metavar="NAME[,NAME]", help="Format of answers that are not yet verified."
        ),
    ] = "native",
    as_json: JsonOption = False,
) -> int:
    """Compare two answers: citations removed, added or judged differently, and the prose.

    Citations are matched by document and resolved span, never by number; the prose is compared
    without citation tokens. Nothing is stored. Exit 0 the same, 1 different, 2 malformed.
    """
    from spanproof.operations.verification.diff import diff_answers

    with open_session() as context:
        report = diff_answers(context, first, second, format=answer_format)
    if not report.difference.is_same_verifier:
        write_note("The two were judged by different code, policy or model (verifier_version).")
    if as_json:
        write_json(report.to_json())
    else:
        write_rich(*_render(report))
    return ExitCode.OK if report.difference.is_same else ExitCode.FAILED


def _render(report: DiffReport) -> list[Any]:
    from rich.text import Text

    found = report.difference
    lines: list[Text] = []
    if found.first.result != found.second.result:
        lines.append(Text(f"result: {found.first.result} -> {found.second.result}"))
    lines += [_describe("-", place, style="red") for place in found.gone]
    lines += [_describe("+", place, style="green") for place in found.added]
    for one, other in found.changed:
        outcomes = f"{', '.join(one.outcomes)} -> {', '.join(other.outcomes)}"
        lines.append(_describe("~", other, outcomes=outcomes, style="yellow"))
    for edit in found.prose.edits:
        lines.append(Text(f"@ {edit.first.start}", style="bold"))
        if edit.first_text:
            lines.append(Text(f"- {first_words(edit.first_text)}", style="red"))
        if edit.second_text:
            lines.append(Text(f"+ {first_words(edit.second_text)}", style="green"))
    summary = (
        f"{found.unchanged} citations the same, {len(found.gone)} gone, {len(found.added)} added,"
        f" {len(found.changed)} judged otherwise; {len(found.prose.edits)} edits of the prose"
    )
    return [*lines, Text(summary)]


def _describe(sign: str, place: CitedPlace, *, style: str, outcomes: str | None = None) -> Text:
    from rich.text import Text

    anchors = "".join(f"[{anchor}]" for anchor in place.anchors)
    document = place.doc_id or place.doc_hash
    at = f" {place.char_start}..{place.char_end}" if place.is_resolved else ""
    told = ", ".join(place.outcomes) if outcomes is None else outcomes
    return Text(
        f"{sign} {anchors} {document}{at} ({told}) {first_words(place.text or '')}",
        style=style,
    )
