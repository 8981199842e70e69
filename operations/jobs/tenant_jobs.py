"""The jobs of one tenant: starts, shows, lists and cancels them; workers run them."""

from __future__ import annotations

import json
import re
import uuid
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError
from spanproof.operations.errors import (
    JobConflictError,
    JobFinishedError,
    JobNotFoundError,
    ServiceBusyError,
)
from spanproof.operations.jobs.kinds import KINDS, find_kind
from spanproof.operations.jobs.records import Job, JobPage, JobProblem, JobState, Progress
from spanproof.operations.jobs.system import APPLICATION_VERSION, WORKFLOW
from spanproof.store.database.columns import escape_text
from spanproof.store.database.cursor import Position, parse_cursor, to_cursor
from spanproof.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dbos import EnqueueOptions, WorkflowStatus
    from sqlalchemy import Connection

    from spanproof.operations.jobs.inputs import JobInputs
    from spanproof.operations.jobs.outputs import JobOutputs
    from spanproof.operations.jobs.rows import JobRow
    from spanproof.operations.jobs.system import JobSystem

_JOB_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}", re.ASCII)
MAX_LIMIT = 200
#: What metrics call those who are sent away because too many jobs are not over.
QUEUE = "queue"
#: A job takes longer than a request does.
_RETRY_SECONDS = 10
#: The most jobs that one page of a listing looks at; a page of rare ones may be short.
_MAX_LOOKED_AT = 2_000
#: DBOS's states of each of ours.
_STATES: dict[JobState, tuple[str, ...]] = {
    JobState.QUEUED: ("ENQUEUED", "DELAYED"),
    JobState.RUNNING: ("PENDING",),
    JobState.DONE: ("SUCCESS",),
    JobState.FAILED: ("ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"),
    JobState.CANCELLED: ("CANCELLED",),
}
_TO_STATE = {theirs: ours for ours, group in _STATES.items() for theirs in group}


class Jobs:
    """The jobs of one tenant; another tenant's are not found here."""

    def __init__(self, system: JobSystem, *, tenant: str) -> None:
        self._system = system
        self._tenant = tenant

    @property
    def inputs(self) -> JobInputs:
        """What the tenant's jobs were given, where it is large."""
        return self._system.inputs(self._tenant)

    @property
    def outputs(self) -> JobOutputs:
        """What the tenant's jobs made, where it is large."""
        return self._system.outputs(self._tenant)

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        """Remove the input again if the block raises before a job names it."""
        try:
            yield
        except BaseException:
            # Where that cannot be asked now, a watchdog does it later.
            with suppress(StoreUnavailableError):
                if not self._system.find_named([name]):
                    self.inputs.remove(name)
            raise

    def start(
        self,
        kind: str,
        arguments: Mapping[str, Any],
        *,
        job_id: str | None = None,
        delay_seconds: float | None = None,
    ) -> Job:
        """Queue a job, once for one ``job_id``: the same again is the same job.

        Durable when this returns; it runs ``delay_seconds`` later at the earliest. Raises
        JobConflictError where a job of that id does something else, ServiceBusyError where it is
        asked for and too many of the tenant's are not over, and StoreUnavailableError where nothing
        could be queued.
        """
        wanted = find_kind(kind)
        named = str(uuid.uuid4()) if job_id is None else _check_id(job_id)
        given = json.loads(json.dumps(dict(arguments), allow_nan=False))
        workflow_id = self._to_workflow_id(named)
        options: EnqueueOptions = {
            "workflow_name": WORKFLOW,
            "queue_name": wanted.queue,
            "workflow_id": workflow_id,
            "app_version": APPLICATION_VERSION,
            # JSON: what is read back can run nothing.
            "serialization_type": _portable(),
        }
        if delay_seconds is not None:
            options["delay_seconds"] = delay_seconds
        client, rows = self._system.client, self._system.rows
        with self._system.connection() as connection:
            # One transaction: a reader sees both rows or neither.
            is_new = rows.add(
                connection, workflow_id, tenant=self._tenant, kind=kind, given=given.get("input")
            )
            if is_new:
                if wanted.is_asked:
                    self._check_room(connection)
                client.enqueue_in_transaction(connection, options, self._tenant, kind, given)
        if self._system.on_start is not None:
            self._system.on_start()
        found = self.find(named)
        if not is_new and (found.kind, self._read_arguments(workflow_id)) != (kind, given):
            msg = f"Expected job {named!r} to be this {kind}, got another of that id."
            raise JobConflictError(msg, hint="Give another id, or none.")
        return found

    def check_room(self) -> None:
        """Raise ServiceBusyError where no job that is asked for would be taken now."""
        with self._system.connection() as connection:
            self._check_room(connection)

    def _check_room(self, connection: Connection) -> None:
        most = self._system.settings.queued_jobs
        kinds = [kind.name for kind in KINDS.values() if kind.is_asked]
        rows = self._system.rows
        if rows.count_active(connection, self._tenant, kinds, most=most) >= most:
            msg = f"Expected at most {most} jobs that are not over, got another."
            raise ServiceBusyError(msg, work=QUEUE, retry_seconds=_RETRY_SECONDS)

    def find(self, job_id: str) -> Job:
        """The current state of a job; raise JobNotFoundError where the tenant has no such job."""
        return self._load(job_id)[0]

    def find_by_input(self, name: str) -> str | None:
        """The id of the job that was given this input; None where there is none."""
        with self._system.connection() as connection:
            found = self._system.rows.find_by_input(connection, self._tenant, name)
        return None if found is None else found.partition("/")[2]

    def list(
        self,
        *,
        state: JobState | None = None,
        kind: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> JobPage:
        """The tenant's jobs, newest first; raise InputError for a bad cursor or limit."""
        if not 1 <= limit <= MAX_LIMIT:
            msg = f"Expected a limit in 1..{MAX_LIMIT}, got {limit}."
            raise InputError(msg, hint="Read on with next_cursor instead of asking for more.")
        listing = json.dumps(["jobs", self._tenant, state, kind])
        before = None if cursor is None else _to_place(parse_cursor(cursor, listing))
        found: list[Job] = []
        looked_at, is_last = 0, False
        while len(found) < limit and looked_at < _MAX_LOOKED_AT and not is_last:
            with self._system.connection() as connection:
                rows = self._system.rows.list(
                    connection, self._tenant, kind=kind, before=before, limit=MAX_LIMIT + 1
                )
            is_last = len(rows) <= MAX_LIMIT
            looked_at += len(rows)
            statuses = self._find_statuses(row.workflow_id for row in rows)
            for number, row in enumerate(rows[:MAX_LIMIT], start=1):
                before = (row.created_at, row.workflow_id)
                status = statuses.get(row.workflow_id)
                job = None if status is None else _to_job(row, status)
                if job is not None and state in {None, job.state}:
                    found.append(job)
                if len(found) == limit:
                    is_last = is_last and number == len(rows)
                    break
        cut = None if is_last or before is None else to_cursor(_to_position(before), listing)
        return JobPage(items=tuple(found), next_cursor=cut)

    def cancel(self, job_id: str) -> Job:
        """Cancel a job: queued, it never runs; running, it ends at its next step.

        Its finished work stays. Cancelling twice changes nothing; raises JobFinishedError where it
        is done or has failed.
        """
        job, row = self._load(job_id)
        if job.state in {JobState.DONE, JobState.FAILED}:
            msg = f"Expected a job that is queued or running, got {job_id!r}, which is {job.state}."
            raise JobFinishedError(msg, hint="Nothing was changed; start another job.")
        # First our own word: a worker that takes the job over from another one reads it.
        with self._system.connection() as connection:
            self._system.rows.set_cancelled(connection, row.workflow_id)
        with self._system.wrapped_errors():
            self._system.client.cancel_workflow(row.workflow_id)
        return self.find(job_id)

    def _to_workflow_id(self, job_id: str) -> str:
        return f"{self._tenant}/{job_id}"

    def _load(self, job_id: str) -> tuple[Job, JobRow]:
        workflow_id = self._to_workflow_id(job_id)
        if _JOB_ID.fullmatch(job_id):
            with self._system.connection() as connection:
                row = self._system.rows.find(connection, workflow_id)
            status = self._find_statuses([workflow_id]).get(workflow_id)
            if row is not None and status is not None:
                return _to_job(row, status), row
        msg = f"Expected a job that is kept here, got {job_id[:80]!r}."
        raise JobNotFoundError(msg, hint="Give a job_id that was answered; 'jobs list' shows them.")

    def _find_statuses(self, workflow_ids: Iterable[str]) -> dict[str, WorkflowStatus]:
        ids = list(workflow_ids)
        if not ids:
            return {}
        with self._system.wrapped_errors():
            found = self._system.client.list_workflows(workflow_ids=ids, load_input=False)
        return {status.workflow_id: status for status in found}

    def _read_arguments(self, workflow_id: str) -> Any:  # noqa: ANN401 - any JSON object
        with self._system.wrapped_errors():
            found = self._system.client.list_workflows(workflow_ids=[workflow_id])
        given = found[0].input if found else None
        return None if given is None else given["args"][2]


def _check_id(job_id: str) -> str:
    if not _JOB_ID.fullmatch(job_id):
        msg = f"Expected a job_id of 1-128 letters, digits and . _ : -, got {job_id[:80]!r}."
        raise InputError(msg, hint="Leave job_id away to have one made.")
    return job_id


def _portable() -> Any:  # noqa: ANN401 - DBOS's own enumeration
    from dbos import WorkflowSerializationFormat

    return WorkflowSerializationFormat.PORTABLE


def _to_job(row: JobRow, status: WorkflowStatus) -> Job:
    state = _TO_STATE[status.status]
    output = status.output if isinstance(status.output, dict) else {}
    if row.is_cancelled and not state.is_final:
        # The worker that runs it has not reached its next step yet.
        state = JobState.CANCELLED
    return Job(
        job_id=row.workflow_id.partition("/")[2],
        kind=row.kind,
        state=state,
        progress=_to_progress(output) if state is JobState.DONE else row.progress,
        result=output.get("result") if state is JobState.DONE else None,
        problem=_to_problem(status, state),
        created_at=_to_moment(row.created_at),
        updated_at=_to_moment(max(status.updated_at or 0, row.created_at)),
        attempts=_count_attempts(status),
    )


def _to_progress(output: Mapping[str, Any]) -> Progress:
    total = int(output.get("total", 1))
    return Progress(done=total, total=total)


def _to_problem(status: WorkflowStatus, state: JobState) -> JobProblem | None:
    if state is JobState.CANCELLED:
        return JobProblem(
            code="JOB_CANCELLED",
            detail="Expected the job to be done, got a request to cancel it.",
            hint="Its finished work stays; start it again under another id.",
        )
    if state is not JobState.FAILED:
        return None
    error: Any = status.error
    code, extra = getattr(error, "code", None), getattr(error, "data", None)
    if isinstance(code, str) and isinstance(extra, dict):
        return JobProblem(code=code, detail=error.message, hint=str(extra.get("hint", "")))
    tries = _count_attempts(status)
    return JobProblem(
        code="JOB_FAILED",
        detail=f"Expected the job to be done, got {tries} tries that ended with their worker.",
        hint="See the log of the workers; start it again under another id.",
    )


def _count_attempts(status: WorkflowStatus) -> int:
    """How often the job started; DBOS also counts the time when it was given up."""
    is_given_up = status.status == "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
    return (status.recovery_attempts or 0) - is_given_up


def _to_moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _to_position(place: tuple[int, str]) -> Position:
    moment, workflow_id = place
    return Position(moment=_to_moment(moment), key=workflow_id)


def _to_place(position: Position) -> tuple[int, str]:
    # A cursor that somebody made up may hold what no column can.
    return round(position.moment.timestamp() * 1000), escape_text(position.key)
