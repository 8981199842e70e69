"""The kinds ``drift`` and ``reverification``: the effects of a new index or extraction."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import VerificationErasedError, WordsNotKeptError
from spanproof.ingest.manifest import count_rows
from spanproof.operations.indexes.comparison import find_affected
from spanproof.operations.indexes.drift import BUDGET, check_drift, is_over, reanchor_citations
from spanproof.operations.indexes.version import register_file
from spanproof.operations.verification.job import name_verification, verify_item
from spanproof.store.indexes.index_rows import NewVersion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.context import Context
    from spanproof.operations.indexes.drift import ExtractionDrift
    from spanproof.operations.jobs.kinds import ProgressCall

#: A result names so many of the new verifications; the list of verifications has all.
_NAMED = 1_000
#: Verifications of one answer by one job: more than one only where another version came between.
_ATTEMPTS = 4


def run_drift(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Hold an index, or the citations of an extraction, against ``budget``, and tell.

    ``index``: its newest version and the one before, or ``from`` and ``to``. ``from_extraction``
    and ``to_extraction``: each kept citation of the one is re-anchored in the other, a row each.
    """
    budget = float(arguments.get("budget", BUDGET))
    if "from_extraction" in arguments:
        report = _reanchor(context, arguments, progress)
        return report.to_json() | {"budget": budget, "over_budget": is_over(report, budget)}
    progress(0, 1)
    old, new = arguments.get("from"), arguments.get("to")
    versions = None if old is None or new is None else (old, new)
    found = check_drift(context, arguments["index"], budget=budget, versions=versions)
    progress(1, 1)
    return found


def run_reverification(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Verify again the answers that drift touches; earlier verifications stay as they are.

    ``from_extraction`` and ``to_extraction``: each kept citation of the one is re-anchored in the
    other, a new row each. ``index``, ``from``, ``to``: each answer with a citation that the newer
    version leads elsewhere, or nowhere, is verified again, a new verification each.
    """
    if "from_extraction" in arguments:
        return _reanchor(context, arguments, progress).to_json()
    name, old, new = (arguments[key] for key in ("index", "from", "to"))
    seed = f"reverification/{name}/{old}/{new}"
    found_again = find_affected(context, name, old, new)
    # What an earlier run of this job has made cites the same chunks: it is left out.
    made = {
        name_verification(f"{seed}/{each}", 0, attempt)
        for each in found_again
        for attempt in range(_ATTEMPTS)
    }
    affected = [each for each in found_again if each not in made]
    done: list[dict[str, Any]] = []
    for number, verification_id in enumerate(affected):
        progress(number, len(affected))
        try:
            stored = context.store.answers.load(verification_id).require_words()
        except (VerificationErasedError, WordsNotKeptError):
            # Its words went since it was found, or were never kept: nothing to verify again.
            continue
        given = {
            "seed": f"{seed}/{verification_id}",
            "format": stored.block["import"]["format"],
            "policy": stored.block["policy"]["name"],
            "actor": arguments.get("actor"),
        }
        tell = partial(progress, number, len(affected))
        found = verify_item(context, stored.raw, given, 0, tell)
        done.append({"before": verification_id, **found})
    progress(len(affected), len(affected))
    return {"answers": len(affected), "verifications": list(islice(done, _NAMED))}


def _reanchor(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> ExtractionDrift:
    source, target = arguments["from_extraction"], arguments["to_extraction"]
    # The job's, not this run's: what a run has kept that died is known by it. Jobs of an older
    # version do not name it.
    asked_at = arguments.get("asked_at")
    moment = datetime.now(UTC) if asked_at is None else datetime.fromisoformat(asked_at)
    report = reanchor_citations(context, source, target, moment=moment, progress=progress)
    total = max(report.total + report.blank, 1)
    progress(total, total)
    return report


def run_registration(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Register the manifest of the input; the same again changes nothing.

    A run that died after the version was kept finds it, so ``is_new`` says whether anybody else
    had registered it before the job was asked for.
    """
    source = context.jobs.inputs.path(arguments["input"])
    new = NewVersion(
        name=arguments["name"],
        version=arguments["version"],
        registered_at=datetime.fromisoformat(arguments["registered_at"]),
    )
    progress(0, 1)
    total = max(count_rows(source), 1)
    found, is_new = register_file(
        context,
        new,
        source,
        # Its rows are counted as lines first, so a header is one of them.
        progress=lambda done: progress(min(done, total), total),
    )
    progress(total, total)
    is_own = found.registered_at == new.registered_at
    return found.to_json() | {"is_new": is_new or is_own}
