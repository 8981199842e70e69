"""``model info`` and its kin: which entailment model judges, and how another is taken in."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_json, write_note, write_rich
from spanproof.api.cli.session import open_model_session

if TYPE_CHECKING:
    from collections.abc import Mapping


def model_info(as_json: JsonOption = False) -> None:
    """Show the entailment model: identity, labels, thresholds, calibration, registration."""
    from spanproof.operations.entailment.model import describe_model

    with open_model_session() as services:
        description = describe_model(services)
    _write(description, as_json=as_json)


def model_register(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The model's folder.")],
    name: Annotated[
        str | None, typer.Option(help="Name for SPANPROOF_MODEL; the folder's when not given.")
    ] = None,
    label_map: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help='What outputs mean: {"0": "entailment", …}.'),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Examine a local model and keep it under a name for SPANPROOF_MODEL."""
    from spanproof.operations.entailment.register import register_model

    with open_model_session() as services:
        registered = register_model(
            services,
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
