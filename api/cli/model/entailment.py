"""``entail``: the entailment model by itself."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.output import write_note
from spanproof.api.cli.pace import Pace
from spanproof.api.cli.session import open_model_session

if TYPE_CHECKING:
    from spanproof.operations.entailment.pair_file import EntailProgress


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

    The output appears when it is whole. A run that was killed or interrupted goes on where it
    stood when the same command is run again.
    """
    from spanproof.operations.entailment.journal import count_kept
    from spanproof.operations.entailment.pair_file import entail_file

    pace = Pace("pairs")
    progress: EntailProgress | None = None
    try:
        with open_model_session() as services:
            for progress in entail_file(services, pairs, output):
                if progress.note is not None:
                    write_note(progress.note)
                share = progress.read_bytes / max(1, progress.total_bytes)
                pace.show(progress.lines, share)
    except KeyboardInterrupt:
        pace.clear()
        # By what is on the disk: the last lines may be kept and not be told of yet.
        if kept := count_kept(output):
            write_note(
                f"Stopped after {kept} lines, which are kept. Run the same command again to go on."
            )
        raise
    finally:
        pace.clear()
    if progress is not None:
        not_run = f", {progress.not_run} of them NOT_RUN" if progress.not_run else ""
        write_note(f"Wrote {progress.lines} lines to {output}{not_run}")
