"""``attribute``: find source spans that entail an answer without citations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_json, write_note, write_rich
from spanproof.api.cli.session import open_session
from spanproof.core.errors import InputError
from spanproof.core.shown import first_words

if TYPE_CHECKING:
    from spanproof.verifier.attribute.references import AttributionReport


def attribute(  # noqa: PLR0917 - typer's arguments
    file: Annotated[
        str,
        typer.Argument(
            metavar="ANSWER.json", help="The answer and its tool results, or '-' for stdin."
        ),
    ],
    answer_format: Annotated[
        str, typer.Option("--format", metavar="NAME", help="The format of the answer.")
    ] = "native",
    policy: Annotated[
        str | None,
        typer.Option(help="balanced (default), strict or review; overrides the answer's own."),
    ] = None,
    posthoc: Annotated[
        Literal["off", "auto", "always"],
        typer.Option(help="auto: only if the answer cites nothing."),
    ] = "always",
    compact: Annotated[
        bool,
        typer.Option(
            "--compact", help="Print the compact form for storage: sources and references."
        ),
    ] = False,
    unit: Annotated[
        Literal["codepoint", "utf16", "utf8"],
        typer.Option(help="Unit of the offsets in the answer."),
    ] = "codepoint",
    as_json: JsonOption = False,
) -> None:
    """Attribute the sentences of an answer to the spans of its sources that entail them.

    Sources are tool results (which are ingested), stored documents and retrieved chunks.
    """
    from spanproof.operations.verification.attribute import attribute_payload

    raw = sys.stdin.buffer.read() if file == "-" else _read_file(Path(file))
    with open_session() as context:
        report = attribute_payload(
            context, raw, format=answer_format, policy=policy, posthoc=posthoc
        )
    if compact:
        write_json(report.to_compact_json(unit))
    elif as_json:
        write_json(report.to_json(unit))
    else:
        write_rich(*_render(report))
    if report.skipped is not None:
        write_note(f"Skipped: {report.skipped}")


def _render(report: AttributionReport) -> list[Any]:
    from rich.text import Text

    lines = []
    for each in report.references:
        best = each.spans[0]
        p_entailment = best.support.p_entailment or 0.0
        scope = " (snippet only)" if best.scope == "snippet" else ""
        lines.append(Text(f"[{each.index}] {first_words(each.claim.text)}"))
        lines.append(
            Text(
                f"    {p_entailment:.2f}  {', '.join(best.source_ids)}{scope}"
                f"  {best.doc_hash} {best.span.start}..{best.span.end}"
                f"  {first_words(best.text)}"
            )
        )
    lines += [
        Text(f"[-] {first_words(each.claim.text)}\n    {each.reason}")
        for each in report.unattributed
    ]
    lines.append(
        Text(
            f"{len(report.references)} attributed, {len(report.unattributed)} not;"
            f" {len(report.sources)} sources, {len(report.unextracted)} outputs not extracted"
        )
    )
    return lines


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"Expected a readable file, got {str(path)!r} ({error.strerror})."
        raise InputError(msg, hint="Check the path, or give '-' to read stdin.") from error
