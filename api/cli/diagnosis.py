"""``doctor``: check that every part of the installation works."""

from __future__ import annotations

import platform
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_json, write_rich
from spanproof.api.cli.session import load_settings
from spanproof.operations.assembly import make_context
from spanproof.operations.versions import find_versions

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {"ok": "green", "warning": "yellow", "failed": "bold red", "skipped": "dim"}
#: Packages whose version can change a result.
DISTRIBUTIONS = (
    "spanproof",
    "pymupdf",
    "pypdfium2",
    "torch",
    "transformers",
    "tokenizers",
    "sqlmodel",
    "numpy",
)


def doctor(
    *,
    offline: Annotated[
        bool,
        typer.Option("--offline", help="Make no network call; say what was left out for that."),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Check that every part works on this machine. Exit 1 if one fails.

    It tries settings, database, blobs, policy, entailment model, log, keys and parser once each,
    and asks the witnesses, if some are set, whether the log is behind.
    """
    from spanproof.operations.doctor import diagnose

    # Not open_context(): a store that does not open is a finding here, not an error.
    with closing(make_context(load_settings())) as context:
        report = diagnose(context, offline=offline)
    body = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "versions": find_versions(DISTRIBUTIONS),
    } | report.to_json()
    if as_json:
        write_json(body)
    else:
        write_rich(*_to_lines(body))
    return ExitCode.OK if report.is_ready else ExitCode.FAILED


def _to_lines(body: dict[str, Any]) -> list[Text]:
    from rich.text import Text

    versions = ", ".join(f"{name} {version}" for name, version in body["versions"].items())
    lines = [Text(f"python   {body['python']}, {versions}")]
    for check in body["checks"]:
        detail = " ".join(filter(None, (check["detail"], check["hint"])))
        lines.append(
            Text.assemble(
                (f"{check['status']:<9}", _STYLES[check["status"]]), f"{check['name']:<11}{detail}"
            )
        )
    return lines
