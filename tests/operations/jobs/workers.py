"""Worker processes of a test, and what is counted after they were killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from spanproof.operations.tenants import Tenants
from tests.builders import ScriptedModel
from tests.operations.jobs.conftest import make_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import StorePlace

SENTENCE = "Defective goods are replaced within four business days of a written notice."


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a number of jobs."""

    jobs: int
    lost: int
    failed: int
    begun_again: int
    receipts: int
    doubled: int
    seconds: float


@contextmanager
def open_place(place: StorePlace) -> Iterator[Tenants]:
    """The tenants of a place, here."""
    tenants = Tenants(make_settings(place.home, place.database_url), {"model": ScriptedModel()})
    try:
        yield tenants
    finally:
        tenants.close()


def start_process(
    place: StorePlace, *arguments: str, log: Path, **settings: str
) -> subprocess.Popen[bytes]:
    """A process of ``tests.operations.jobs.worker``, in a session of its own."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("SPANPROOF_")
    } | {
        "SPANPROOF_HOME": str(place.home),
        "SPANPROOF_JOB_THREADS": "4",
        "SPANPROOF_JOB_BEAT_SECONDS": "0.5",
        "SPANPROOF_CROSS_CHECK_RATE": "0",
        **settings,
    }
    if place.database_url is not None:
        environment["SPANPROOF_DATABASE_URL"] = place.database_url
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.operations.jobs.worker", *arguments],
            env=environment,
            stdout=output,
            stderr=output,
        )


def kill(process: subprocess.Popen[bytes]) -> None:
    """As the kernel does when memory is short: nothing is put in order."""
    process.send_signal(signal.SIGKILL)
    process.wait()


def queue_answers(tenants: Tenants, count: int) -> list[str]:
    """Queue that many verifications of one line each; the ids of the jobs."""
    from spanproof.operations.documents.ingest import ingest_stream
    from spanproof.operations.jobs.queueing import start_verification

    context = tenants.default
    report = ingest_stream(
        context,
        [SENTENCE.encode()],
        media_type="text/plain",
        filename=None,
        doc_id="agreement",
    )
    ids = []
    for number in range(count):
        payload = _make_answer(number, str(report.doc_hash))
        ids.append(start_verification(context, payload).job_id)
    return ids


def _make_answer(number: int, doc_hash: str) -> bytes:
    import json

    citation = {"anchor": 1, "doc_hash": doc_hash, "span": {"text": SENTENCE[:40]}}
    answer: dict[str, Any] = {
        "answer_id": f"answer-{number}",
        "answer": f"Goods are replaced in four days, says letter {number} [1].",
        "citations": [citation],
    }
    return json.dumps(answer).encode()


def wait_until_done(tenants: Tenants, count: int, *, seconds: float) -> None:
    """Wait until so many jobs are over."""
    deadline = time.monotonic() + seconds
    while count_over(tenants) < count:
        assert time.monotonic() < deadline, f"{count_over(tenants)} of {count} are over"
        time.sleep(0.1)


def count_over(tenants: Tenants) -> int:
    """How many jobs are over, by DBOS's own rows."""
    system = tenants.default.job_system
    table = "workflow_status" if system.schema is None else f"{system.schema}.workflow_status"
    query = f"SELECT count(*) FROM {table} WHERE status IN ('SUCCESS', 'ERROR')"  # noqa: S608 - ours
    with system.connection() as connection:
        return int(connection.execute(text(query)).scalar_one())


def count_outcome(tenants: Tenants, ids: list[str], seconds: float) -> Outcome:
    """Hold the store and the log against the jobs that were queued."""
    context = tenants.default
    jobs = [context.jobs.find(job_id) for job_id in ids]
    made = [
        item["verification_id"]
        for job in jobs
        for item in (job.result or {}).get("verifications", ())
    ]
    with context.store.database.reading() as session:
        connection = session.connection()
        query = text("SELECT subject FROM log_statement WHERE kind = 'result'")
        results = Counter(connection.execute(query).scalars())
        receipts = set(connection.execute(text("SELECT verification_id FROM receipt")).scalars())
        answers = Counter(
            connection.execute(
                text(
                    "SELECT v.answer_id FROM verification v"
                    " JOIN receipt r ON r.verification_id = v.verification_id"
                )
            ).scalars()
        )
    doubled = sum(count - 1 for count in (*results.values(), *answers.values()) if count > 1)
    return Outcome(
        jobs=len(ids),
        lost=len(ids) - len(receipts & set(made)),
        failed=sum(job.state == "failed" for job in jobs),
        begun_again=sum(job.attempts > 1 for job in jobs),
        receipts=len(receipts),
        doubled=doubled + len(receipts - set(made)),
        seconds=seconds,
    )
