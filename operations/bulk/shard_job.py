"""The kind ``bulk``: one shard of a bulk run, from and to folders under the tenant's home.

A path comes from whoever started the job, so it is a name under ``HOME/bulk`` and nothing else.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError
from spanproof.operations.bulk.plan import Shard
from spanproof.operations.bulk.run import verify_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.context import Context
    from spanproof.operations.jobs.kinds import ProgressCall


def run(
    services: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Do what is left of the shard ``arguments["shard"]`` (0/1) of ``input`` into ``output``."""
    folder = services.settings.home / "bulk"
    steps = verify_files(
        services,
        to_path(folder, arguments["input"]),
        to_path(folder, arguments["output"]),
        shard=Shard.parse(arguments.get("shard", "0/1")),
        policy=arguments.get("policy"),
        redo_errors=bool(arguments.get("redo_errors")),
    )
    result: Mapping[str, Any] = {}
    for step in steps:
        result = step.to_json()
        progress(step.rows, step.total)
    return result


def to_path(folder: Path, name: object) -> Path:
    """The place of that name in the folder; raise InputError for a name that leads out of it."""
    parts = PurePosixPath(name).parts if isinstance(name, str) else ()
    if not parts or parts[0] == "/" or ".." in parts or "\0" in str(name):
        msg = f"Expected a name below the folder 'bulk' of the home, got {name!r}."
        raise InputError(msg, hint="Give a relative name, such as 'in/2026-11.parquet'.")
    found = folder.joinpath(*parts)
    if not found.resolve().is_relative_to(folder.resolve()):
        msg = f"Expected a name below the folder 'bulk' of the home, got the link {name!r}."
        raise InputError(msg, hint="Put the files themselves there.")
    return found
