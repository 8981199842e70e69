"""``entail`` and ``model info``: the entailment model by itself."""

from __future__ import annotations

import json
import os
from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import Annotated

import typer

from api.cli.documents import JsonOption  # noqa: TC001 - typer reads annotations
from api.cli.output import write_json, write_note, write_rich
from api.cli.session import open_session
from core.errors import InputError

_NOTE_EVERY = 1000


def entail(
    pairs: Annotated[
        Path, typer.Argument(metavar="PAIRS.jsonl", help='Lines {"premise": …, "hypothesis": …}.')
    ],
    output: Annotated[
        Path, typer.Option(metavar="OUT.jsonl", help="The same lines with label and probabilities.")
    ],
) -> None:
    """Judge pairs of premise and hypothesis.

    One line out for each line in, in order. A line that could not be judged comes out as NOT_RUN
    with null probabilities; it is never 'supported'.
    """
    from api.operations.entail import entail_lines

    if not pairs.is_file():
        msg = f"Expected a file of pairs, got {str(pairs)!r}."
        raise InputError(msg, hint="Give a .jsonl file with one pair a line.")
    # Until it is whole, the output bears another name: half of it must not look like all of it.
    partial = output.with_name(output.name + ".partial")
    count = 0
    try:
        with (
            open_session() as services,
            pairs.open("rb") as lines,
            partial.open("w", encoding="utf-8", newline="\n") as out,
        ):
            for row in entail_lines(services, lines):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
                if count % _NOTE_EVERY == 0:
                    write_note(f"{count} pairs")
            out.flush()
            os.fsync(out.fileno())
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)
    write_note(f"Wrote {count} lines to {output}")


def model_info(as_json: JsonOption = False) -> None:
    """Show the entailment model: name, weights, labels, thresholds, runtime."""
    from api.operations.model import describe_model

    with open_session() as services:
        description = describe_model(services)
    if as_json:
        write_json(description)
        return
    from rich.text import Text

    width = max(map(len, description)) + 2
    write_rich(
        *(
            Text(f"{name:<{width}}{value if isinstance(value, str) else json.dumps(value)}")
            for name, value in description.items()
        )
    )
