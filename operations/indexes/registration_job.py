"""The kind ``index_registration``: a manifest that was sent, kept as a version of an index."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from spanproof.ingest.manifest import count_rows
from spanproof.operations.indexes.version import register_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.context import Context
    from spanproof.operations.jobs.kinds import ProgressCall


def run(
    services: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Register the manifest of the input; the same again changes nothing.

    A run that died after the version was kept finds it, so ``is_new`` says whether anybody else
    had registered it before the job was asked for.
    """
    source = services.jobs.inputs.path(arguments["input"])
    name, version = arguments["name"], arguments["version"]
    moment = datetime.fromisoformat(arguments["registered_at"])
    progress(0, 1)
    total = max(count_rows(source), 1)
    found, is_new = register_file(
        services,
        name,
        version,
        source,
        registered_at=moment,
        # Its rows are counted as lines first, so a header is one of them.
        progress=lambda done: progress(min(done, total), total),
    )
    progress(total, total)
    is_own = found.registered_at == moment
    return found.to_json() | {"is_new": is_new or is_own}
