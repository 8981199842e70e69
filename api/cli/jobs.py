"""``jobs`` and ``worker``: background jobs, and a process that runs them."""

from __future__ import annotations

import logging
import signal
import threading
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_json, write_note, write_rich
from spanproof.api.cli.session import (
    CLOSING_SECONDS,
    end_within,
    leave,
    load_settings,
    open_session,
)
from spanproof.core.errors import SettingsError

if TYPE_CHECKING:
    from types import FrameType

    from spanproof.operations.jobs import Job

JobArgument = Annotated[str, typer.Argument(metavar="JOB", help="A job_id.")]


def build_job_commands() -> typer.Typer:
    """The commands of ``spanproof jobs``."""
    group = typer.Typer(help="Background jobs.", rich_markup_mode=None)
    group.callback()(_jobs)
    group.command("list")(list_jobs)
    group.command("show")(show)
    group.command("cancel")(cancel)
    return group


def _jobs() -> None:
    """List, show and cancel jobs."""


def list_jobs(
    *,
    state: Annotated[
        Literal["queued", "running", "done", "failed", "cancelled"] | None,
        typer.Option(help="Only jobs in this state."),
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Only jobs of this kind.")] = None,
    limit: Annotated[int, typer.Option(help="Most jobs to list, 1 to 200.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="next_cursor of the previous page.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List jobs, newest first."""
    from spanproof.operations.jobs import JobState

    with open_session() as context:
        wanted = None if state is None else JobState(state)
        page = context.jobs.list(state=wanted, kind=kind, limit=limit, cursor=cursor)
    if as_json:
        write_json(page.to_json())
        return
    for job in page.items:
        _show(job)
    if page.next_cursor:
        write_note(f"More with --cursor {page.next_cursor}")


def show(job_id: JobArgument, *, as_json: JsonOption = False) -> None:
    """Show one job: state, progress, result or problem."""
    with open_session() as context:
        job = context.jobs.find(job_id)
    _answer(job, as_json=as_json)


def cancel(job_id: JobArgument, *, as_json: JsonOption = False) -> None:
    """Cancel a job. A queued job never runs; a running one ends at its next step."""
    with open_session() as context:
        job = context.jobs.cancel(job_id)
    _answer(job, as_json=as_json)


def worker(
    threads: Annotated[
        int | None, typer.Option(help="Jobs at once (default SPANPROOF_JOB_THREADS).")
    ] = None,
) -> int:
    """Run jobs until stopped; on SIGTERM running jobs finish first."""
    settings = load_settings(log_level=logging.INFO, job_threads=threads)
    if not settings.job_threads:
        msg = "Expected a worker of one thread or more, got 0."
        raise SettingsError(msg, hint="Give --threads, or set SPANPROOF_JOB_THREADS.")
    from spanproof.operations.jobs.hosting import host_jobs
    from spanproof.operations.tenants import Tenants

    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        stopped.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    tenants = Tenants(settings)
    try:
        _ = tenants.default.store
        executor = host_jobs(tenants, at_once=True)
        write_note(f"Spanproof runs jobs on {settings.job_threads} threads (stop it with Ctrl-C)")
        stopped.wait()
        end_within(settings.drain_seconds + CLOSING_SECONDS, ExitCode.ERROR)
        executor.stop(drain_seconds=settings.drain_seconds)
    finally:
        tenants.close()
    write_note("Stopped.")
    leave(ExitCode.OK)


def _answer(job: Job, *, as_json: bool) -> None:
    if as_json:
        write_json(job.to_json())
    else:
        _show(job)


def _show(job: Job) -> None:
    done, total = job.progress.done, job.progress.total
    problem = "" if job.problem is None else f"  {job.problem.code}: {job.problem.detail}"
    write_rich(f"{job.job_id}  {job.kind}  {job.state}  {done}/{total}{problem}")
