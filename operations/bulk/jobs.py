"""The kinds of bulk jobs: ``bulk`` over files of the home, ``bulk_verification`` over an upload.

A path comes from the caller that started the job: it is a name under ``HOME/bulk``, nothing else.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError
from spanproof.operations.bulk.lines import write_pairs
from spanproof.operations.bulk.output import FOLDER
from spanproof.operations.bulk.plan import Shard
from spanproof.operations.bulk.run import verify_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanproof.operations.bulk.run import BulkProgress
    from spanproof.operations.context import Context
    from spanproof.operations.jobs.kinds import ProgressCall


class _Done:
    """How far a run is: told between its rows too, so that a cancelled job ends within a part."""

    def __init__(self, progress: ProgressCall) -> None:
        self._progress = progress
        self._rows, self._total = 0, 1

    def report(self) -> None:
        self._progress(self._rows, self._total)

    def follow(self, steps: Iterable[BulkProgress]) -> Mapping[str, Any]:
        """Run to the end; the last step."""
        result: Mapping[str, Any] = {}
        for step in steps:
            result = step.to_json()
            self._rows, self._total = step.rows, step.total
            self.report()
        return result


def run_shard(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Do the rest of the shard ``arguments["shard"]`` (0/1) of ``input`` into ``output``."""
    folder = context.settings.home / "bulk"
    done = _Done(progress)
    steps = verify_files(
        context,
        to_path(folder, arguments["input"]),
        to_path(folder, arguments["output"]),
        shard=Shard.parse(arguments.get("shard", "0/1")),
        policy=arguments.get("policy"),
        redo_errors=bool(arguments.get("redo_errors")),
        told=done.report,
    )
    return done.follow(steps)


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


def run_upload(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Judge the rest of the input into the job's own folder; whole parts are kept.

    ``seed`` is the job's id, ``policy`` a policy's name or None.
    """
    job_id, outputs = arguments["seed"], context.jobs.outputs
    progress(0, 1)
    done = _Done(progress)
    with outputs.scratch(job_id) as scratch:
        # Of one name in every run: the parts that an earlier one made are known by it.
        source = scratch / "rows.parquet"
        write_pairs(context.jobs.inputs.path(arguments["input"]), source, told=done.report)
        output = outputs.path(job_id) / FOLDER
        policy = arguments["policy"]
        steps = verify_files(context, source, output, policy=policy, told=done.report)
        result = done.follow(steps)
    outputs.share(job_id)
    return result
