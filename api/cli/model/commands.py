"""The commands ``entail`` and ``model …``: the entailment model."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import show_progress, write_bytes, write_json, write_note, write_rich
from spanproof.api.cli.rate import ProgressRate
from spanproof.api.cli.session import load_settings, open_model_session
from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.entailment.pair_file import EntailProgress


def model_info(as_json: JsonOption = False) -> None:
    """Show the entailment model: identity, labels, thresholds, calibration, registration."""
    from spanproof.operations.entailment.model import describe_model

    with open_model_session() as context:
        description = describe_model(context)
    _write(description, as_json=as_json)


def model_register(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The model's folder.")],
    name: Annotated[
        str | None, typer.Option(help="Name for SPANPROOF_MODEL; default: the folder's.")
    ] = None,
    label_map: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help='Labels of the outputs: {"0": "entailment", …}.'),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a local model and register it under a name for SPANPROOF_MODEL."""
    from spanproof.operations.entailment.register import register_model

    with open_model_session() as context:
        registered = register_model(
            context,
            folder,
            registered_at=datetime.now(UTC),
            name=name,
            label_map=label_map,
        )
    _write(registered.record, as_json=as_json)
    write_note(f"Use it with SPANPROOF_MODEL={registered.record['name']}")


def _write(rows: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        write_json(dict(rows))
        return
    from rich.text import Text

    width = max(map(len, rows)) + 2
    write_rich(
        *(
            Text(f"{name:<{width}}{value if isinstance(value, str) else json.dumps(value)}")
            for name, value in rows.items()
        )
    )


def entail(
    pairs: Annotated[
        Path, typer.Argument(metavar="PAIRS.jsonl", help='Lines {"premise": …, "hypothesis": …}.')
    ],
    output: Annotated[
        Path,
        typer.Option(
            metavar="OUT.jsonl", help="Output file: the same lines with label and probabilities."
        ),
    ],
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Add each line's 'outcome' under this policy: balanced, strict, …"
        ),
    ] = None,
) -> None:
    """Judge pairs of premise and hypothesis.

    Writes one line for each input line, in order. A line that could not be judged is NOT_RUN with
    null probabilities; it is never 'supported'. The output file appears when it is complete. After
    an interruption, the same command continues where the run stopped.
    """
    from spanproof.operations.entailment.journal import count_kept
    from spanproof.operations.entailment.pair_file import entail_file
    from spanproof.verifier.policies import load_policy

    rate = ProgressRate("pairs")
    progress: EntailProgress | None = None
    try:
        with open_model_session() as context:
            asked = None if policy is None else load_policy(policy)
            for progress in entail_file(context, pairs, output, asked):
                if progress.note is not None:
                    write_note(progress.note)
                share = progress.read_bytes / max(1, progress.total_bytes)
                rate.show(progress.lines, share)
    except KeyboardInterrupt:
        rate.clear()
        # Count what is on the disk: the last lines may be saved but not yet reported.
        if kept := count_kept(output):
            write_note(
                f"Stopped after {kept} lines, which are kept. Run the same command again to go on."
            )
        raise
    finally:
        rate.clear()
    if progress is not None:
        not_run = f", {progress.not_run} of them NOT_RUN" if progress.not_run else ""
        write_note(f"Wrote {progress.lines} lines to {output}{not_run}")


def model_calibrate(
    labelled: Annotated[
        Path,
        typer.Argument(
            metavar="LABELLED.jsonl", help='Lines {"premise": …, "hypothesis": …, "label": …}.'
        ),
    ],
    *,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the calibration; default: the file's."),
    ] = None,
    delta: Annotated[
        float, typer.Option(min=0.0001, max=0.5, help="Probability that a certificate fails.")
    ] = 0.05,
    max_contradictions: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="Share of contradictions that 'balanced' may call entailed."
        ),
    ] = 0.08,
    valid_days: Annotated[
        int | None, typer.Option(min=1, metavar="DAYS", help="Days until the calibration is stale.")
    ] = None,
    prompt_id: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Prompt id of the answers; may be repeated."),
    ] = None,
    field_schema: Annotated[
        str | None,
        typer.Option(metavar="SHA256", help="SHA-256 of the schema of extracted fields."),
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="Language of the pairs; default: en.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Calibrate the model on labelled pairs and store the result under a name.

    Labels are entailment, neutral, contradiction or not_entailment; 'source' and 'doc' may name a
    pair's origin. Half of the documents fit the calibration, the other half tests it.
    SPANPROOF_CALIBRATION=NAME then uses it. 200 pairs are enough to start.
    """
    from spanproof.operations.assembly import open_context
    from spanproof.operations.entailment.model import calibrate_model
    from spanproof.verifier.entailment.fitting.labelled import parse_labelled
    from spanproof.verifier.entailment.fitting.procedure import CalibrationOptions
    from spanproof.verifier.entailment.fitting.report import describe_calibration

    if not labelled.is_file():
        msg = f"Expected a file of labelled pairs, got {str(labelled)!r}."
        raise InputError(msg, hint="Give a .jsonl file with one pair a line.")
    pairs = parse_labelled(labelled.read_bytes())
    options = CalibrationOptions(
        name=name or labelled.stem.lower(),
        made_on=datetime.now(UTC).date(),
        delta=delta,
        max_contradictions=max_contradictions,
        valid_days=valid_days,
        prompt_ids=None if prompt_id is None else tuple(prompt_id),
        field_schema_sha256=field_schema,
        languages=tuple(language or ["en"]),
    )
    # Start from the model's own calibration: the one that the setting names may not exist yet.
    settings = load_settings().model_copy(update={"calibration": None})
    with (
        open_context(settings) as context,
        show_progress("pairs", len(pairs.pairs)) as advance,
    ):

        def report(count: int) -> None:
            for _ in range(count):
                advance()

        made = calibrate_model(context, pairs, options, advance=report)
    if as_json:
        write_json({"path": str(made.path), "calibration": made.content})
        return
    lines = [*describe_calibration(made.content), "", f"Written to {made.path}"]
    lines.append(f"Use it with SPANPROOF_CALIBRATION={options.name}")
    write_bytes(("\n".join(lines) + "\n").encode("utf-8", "replace"))
