"""The kind ``bulk_verification``: pairs that were sent, judged as ``bulk verify`` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.operations.bulk.lines import write_pairs
from spanproof.operations.bulk.output import FOLDER
from spanproof.operations.bulk.run import verify_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.context import Context
    from spanproof.operations.jobs.kinds import ProgressCall


def run(
    services: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Judge what is left of the input into the job's own folder; whole parts are kept.

    ``seed`` is the job's id, ``policy`` a policy's name or None.
    """
    job_id, outputs = arguments["seed"], services.jobs.outputs
    progress(0, 1)
    result: Mapping[str, Any] = {}
    with outputs.scratch(job_id) as scratch:
        # Of one name in every run: the parts that an earlier one made are known by it.
        source = scratch / "rows.parquet"
        write_pairs(
            services.jobs.inputs.path(arguments["input"]), source, told=lambda: progress(0, 1)
        )
        output = outputs.path(job_id) / FOLDER
        for step in verify_files(services, source, output, policy=arguments["policy"]):
            result = step.to_json()
            progress(step.rows, step.total)
    outputs.share(job_id)
    return result
