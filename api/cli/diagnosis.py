"""``doctor``: check that every part of the installation works."""

from __future__ import annotations

import platform
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_json, write_note, write_rich
from spanproof.api.cli.session import load_settings
from spanproof.core.errors import OutputError
from spanproof.operations.assembly import make_context
from spanproof.operations.configuration import FILE_NAME, write_template
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


def init(
    *,
    output: Annotated[
        Path, typer.Option(metavar="FILE", help="The file to write; '-' for stdout.")
    ] = Path(FILE_NAME),
) -> int:
    """Write a file with every setting, its meaning and its default, all commented out.

    Commands read spanproof.toml of the current folder, or the file that SPANPROOF_CONFIG names. A
    variable of the environment wins over it. An existing file is not replaced.
    """
    from spanproof.operations.settings import Settings

    text = write_template(Settings.model_fields)
    if str(output) == "-":
        write_bytes(text.encode())
        return ExitCode.OK
    try:
        with output.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        msg = f"Expected a new file, got {str(output)!r}, which is there."
        raise OutputError(msg, hint="Give --output another name, or '-'.") from error
    except OSError as error:
        msg = f"Expected to write {str(output)!r}, got {error.strerror or error!r}."
        raise OutputError(msg, hint="Give --output a file in a folder of yours.") from error
    write_note(f"Wrote {output}. Take the '#' away from a line to set it.")
    return ExitCode.OK


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
