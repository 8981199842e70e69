"""Whether a store that came back is the one that was backed up, tenant by tenant."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.errors import SpanproofError, VerificationErasedError, WordsNotKeptError
from spanproof.operations.backup.databases import count_rows
from spanproof.operations.fsck.kept import check_records
from spanproof.operations.fsck.report import FsckLine, judge, skip
from spanproof.operations.fsck.store import check_store
from spanproof.operations.log.standing import find_standing
from spanproof.operations.replay.verification import ReplayStatus, load_stored, replay
from spanproof.operations.tenants import Tenants
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.check.report import LineStatus

if TYPE_CHECKING:
    from spanproof.operations.backup.manifest import Manifest, TenantState
    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings


def check_restored(settings: Settings, manifest: Manifest, *, sample: int) -> list[FsckLine]:
    """The lines of every tenant: rows, all that fsck asks, a sample replayed, and the log."""
    lines: list[FsckLine] = []
    with closing(Tenants(settings)) as tenants:
        for state in manifest.tenants:
            with tenants.using(state.name) as context:
                found = _check_tenant(context, state, sample)
            lines += [replace(each, words=f"{state.name}: {each.words}") for each in found]
    return lines


def _check_tenant(context: Context, state: TenantState, sample: int) -> list[FsckLine]:
    lines = [_check_rows(context, state), *_check_store(context, state)]
    if sample:
        lines.append(_check_replays(context, sample))
    if state.log is not None:
        lines.append(_check_standing(context, state.log.origin))
    return lines


def _check_rows(context: Context, state: TenantState) -> FsckLine:
    with context.store.database.read_connection() as connection:
        found = count_rows(connection)
    findings = Findings()
    for name, expected in state.rows.items():
        if found.get(name) != expected:
            message = f"Expected {expected} rows, got {found.get(name)}."
            findings.add(code="ROW_MISMATCH", place=name, message=message)
    return judge("ROWS", f"{sum(found.values())} rows in {len(found)} tables", findings)


def _check_store(context: Context, state: TenantState) -> list[FsckLine]:
    if state.log is None:
        kept, words = check_records(context.store, "")
        return [judge("STORE", words, kept)]
    # What the mark knows is asked apart: a log that is behind is not damaged.
    unmarked = replace(
        context,
        settings=context.settings.model_copy(
            update={"log_mark": context.settings.home.absolute() / "log" / "no-mark"}
        ),
    )
    return list(check_store(unmarked, None, with_log=False).lines)


def _check_replays(context: Context, sample: int) -> FsckLine:
    ids = context.store.answers.list_ids()
    # Any sample will do; the same one each time lets two restores be compared.
    drawn = random.Random(0).sample(sorted(ids), min(sample, len(ids)))  # noqa: S311 - no secret
    counts: Counter[str] = Counter()
    findings, problems = Findings(), []
    for verification_id in drawn:
        try:
            report = replay(context, load_stored(context, verification_id))
        except (VerificationErasedError, WordsNotKeptError) as error:
            counts[error.code] += 1
            continue
        except SpanproofError as error:
            findings.add(error.code, f"verification {verification_id}", error.message)
            continue
        counts[report.status.value] += 1
        if report.status is ReplayStatus.DIFFERS:
            message = f"Expected the stored block, got another at {report.differences[0].path}."
            findings.add("REPLAY_DIFFERS", f"verification {verification_id}", message)
        elif report.problem is not None:
            problems.append(report.problem.message)
    told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "none"
    words = f"of {len(ids)} verifications {len(drawn)} were computed again: {told}"
    if problems and not findings:
        return skip("REPLAY", f"{words}; {problems[0]}")
    return judge("REPLAY", words, findings)


def _check_standing(context: Context, origin: str) -> FsckLine:
    standing = find_standing(context.settings, context.store.database, origin)
    if standing.findings or not standing.unasked:
        return judge("LOG", standing.words, standing.findings)
    return FsckLine(
        question="LOG",
        status=LineStatus.NOT_CHECKED,
        words="; ".join((standing.words, *standing.unasked)),
    )
