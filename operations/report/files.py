"""The files of reports: found by their names, and gone once what they show is erased.

A report shows words of the verifications on its manifest, and of the documents that they cite. The
host that erases removes the files; where another host has a copy, it is not served.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import IntegrityError
from spanproof.operations.errors import JobNotFoundError, JobUnfinishedError
from spanproof.operations.jobs.records import JobState
from spanproof.operations.jobs.tenant_jobs import MAX_LIMIT
from spanproof.receipt.export.evidence_pack import MANIFEST
from spanproof.store.erasing.refusal import DOCUMENT, VERIFICATION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.operations.jobs.records import Job
    from spanproof.store.erasing.refusal import ErasureRecord

KIND = "report"
#: The job's folders: what is signed, and the same as one file.
FOLDER, ARCHIVE = "report", "archive"
PDF, PAGE, CHECK, ZIP = "report.pdf", "report.html", "check.html", "report.zip"
#: A tombstone's moment and a job's come from two clocks.
_CLOCKS = timedelta(seconds=2)


def find_file(context: Context, job_id: str, name: str) -> Path:
    """A file of a report; JobUnfinishedError before it is done.

    Raises JobNotFoundError for another file, and for a report that shows what was erased since.
    """
    job = context.jobs.find(job_id)
    if job.kind == KIND and job.state is not JobState.DONE:
        msg = f"Expected a report that is done, got {job_id!r}, which is {job.state}."
        raise JobUnfinishedError(msg, hint="Wait until it is done, then ask again.")
    names = _read_names(context, job) if job.kind == KIND else None
    if names is not None:
        if shows_erased(context, names, context.store.erasures.list(), since=job.created_at):
            context.jobs.outputs.remove(job_id)
        found = context.jobs.outputs.list_files(job_id, ARCHIVE if name == ZIP else FOLDER)
        for each in found:
            if each.name == name:
                return each
    msg = f"Expected a file of a report, got {name!r} of {job_id!r}."
    hint = "Follow a link of the report's page. If what it showed was erased, make it again."
    raise JobNotFoundError(msg, hint=hint)


def remove_reports(context: Context, erased: ErasureRecord) -> int:
    """Remove the files of each of the tenant's reports that shows it; how many there were.

    Raises StoreUnavailableError where they cannot be removed.
    """
    found = 0
    for job in _list_reports(context):
        if shows_erased(context, _read_names(context, job), [erased], since=job.created_at):
            context.jobs.outputs.remove(job.job_id)
            found += 1
    return found


def shows_erased(
    context: Context, names: Iterable[str], erased: Iterable[ErasureRecord], *, since: datetime
) -> bool:
    """Whether one of these verifications, or a document that it cites, was erased since."""
    shown = set(names)
    for record in erased:
        if not shown or record.erased_at < since - _CLOCKS:
            continue
        if record.kind == VERIFICATION and record.subject in shown:
            return True
        if record.kind == DOCUMENT:
            quoting = context.store.erasures.list_quoting(Digest.parse(record.subject))
            if not shown.isdisjoint(quoting):
                return True
    return False


def _list_reports(context: Context) -> Iterator[Job]:
    cursor = None
    while True:
        page = context.jobs.list(kind=KIND, limit=MAX_LIMIT, cursor=cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _read_names(context: Context, job: Job) -> list[str]:
    """The verifications that a report shows; none where it has no files."""
    try:
        files = context.jobs.outputs.list_files(job.job_id, FOLDER)
        manifests = [each.read_bytes() for each in files if each.name == MANIFEST]
    except (FileNotFoundError, IntegrityError):
        return []  # Removed meanwhile.
    return [
        str(name)
        for manifest in manifests
        for name in json.loads(manifest)["predicate"]["verifications"]
    ]
