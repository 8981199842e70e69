"""What a receipt adds to a verification: milliseconds, and how many synchronisations of the disk.

``python -m bench.receipts.receipt_cost [FOLDER]`` prints a table and writes
bench/results/receipt_cost.json. The same answer is verified and kept with a receipt and without
one, in turn, and between the two a synchronisation of the same disk is timed: bytes as many as a
commit writes, appended to a file, then fsync. Wall clock, medians, and beside it this thread's CPU
time; the machine should be idle, FOLDER (made where it is missing) on the disk to be measured. With
a receipt the answer's rows are committed with the leaf of its result, without one by themselves:
both count as one commit.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog
from sqlalchemy import event
from sqlalchemy.engine import Engine

from bench.report import write_report
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.operations.assembly import open_context
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.settings import Settings
from spanproof.operations.verification.judging import judge, load_named_policy
from spanproof.operations.verification.verify import verify_payload
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.operations.context import Context

ROUNDS = 60
#: The first ones make files, keys and caches.
WARM_UP = 5
#: As much as the log writes in one transaction.
COMMIT_BYTES = 32_768
GOAL = 8
SENTENCE = "Refunds are issued within four business days of the return."
TEXT = f"{SENTENCE} The annual fee is $5,000 and is due on 3 March.".encode()


def make_answer() -> bytes:
    """One claim, one citation."""
    citation = {"anchor": 1, "doc_id": "policy", "span": {"text": SENTENCE}}
    answer = "Refunds are issued within four business days [1]."
    return json.dumps({"answer": answer, "citations": [citation]}).encode()


def verify_without(context: Context, raw: bytes) -> None:
    """The same verification, stored without intake, statement and leaf."""
    parsed = parse_payload(raw, "native")
    judged = judge(context, parsed, load_named_policy(context.settings.policy))
    context.store.answers.add(
        raw,
        dict(block_to_json(judged.block)),
        payload=parsed.payload,
        verification_id=str(uuid.uuid4()),
        answer_id=str(uuid.uuid4()),
        verified_at=judged.block.verified_at,
    )


def synchronise(path: Path) -> None:
    """Append what a commit writes, and wait for the disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(descriptor, os.urandom(COMMIT_BYTES))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def count_writes() -> Iterator[dict[str, int]]:
    """Commits of writers, and the synchronisations that Python itself asks for."""
    counts = {"commits": 0, "file_syncs": 0}

    def count_commit(connection: Any) -> None:  # noqa: ANN401 - the driver's own
        if connection.get_execution_options().get("spanproof_writes"):
            counts["commits"] += 1

    def counting(real: Callable[[int], None]) -> Callable[[int], None]:
        def call(descriptor: int) -> None:
            counts["file_syncs"] += 1
            real(descriptor)

        return call

    event.listen(Engine, "commit", count_commit)
    fsync, fdatasync = os.fsync, os.fdatasync
    os.fsync, os.fdatasync = counting(fsync), counting(fdatasync)  # type: ignore[assignment]
    try:
        yield counts
    finally:
        os.fsync, os.fdatasync = fsync, fdatasync
        event.remove(Engine, "commit", count_commit)


def measure(context: Context, folder: Path) -> dict[str, Any]:
    """Medians of the three, in turn; then the counts of one verification of each."""
    raw = make_answer()
    steps: dict[str, Callable[[], object]] = {
        "without": lambda: verify_without(context, raw),
        "with": lambda: verify_payload(context, raw),
        "synchronisation": lambda: synchronise(folder / "appended"),
    }
    times: dict[str, list[float]] = {name: [] for name in steps}
    computed: dict[str, list[float]] = {name: [] for name in steps}
    for number in range(ROUNDS + WARM_UP):
        for name, step in steps.items():
            start, began = time.perf_counter(), time.thread_time()
            step()
            if number >= WARM_UP:
                times[name].append((time.perf_counter() - start) * 1000)
                computed[name].append((time.thread_time() - began) * 1000)
    medians = {f"{name}_ms": round(statistics.median(each), 3) for name, each in times.items()}
    medians |= {
        f"{name}_cpu_ms": round(statistics.median(each), 3) for name, each in computed.items()
    }
    added = medians["with_ms"] - medians["without_ms"]
    counted = {}
    for name in ("without", "with"):
        with count_writes() as counts:
            steps[name]()
        counted[name] = counts
    return medians | {
        "added_ms": round(added, 3),
        "added_cpu_ms": round(medians["with_cpu_ms"] - medians["without_cpu_ms"], 3),
        "added_synchronisations": round(added / medians["synchronisation_ms"], 2),
        "goal": GOAL,
        "writes": counted,
        "load": round(os.getloadavg()[0], 2),
    }


def main() -> None:
    """Print the table and write the report."""
    structlog.configure(processors=[_drop])
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if where is not None:
        where.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=where) as name:
        folder = Path(name)
        with open_context(Settings(home=folder / "home", cross_check_rate=0.0)) as context:
            ingest_stream(
                context, [TEXT], filename="a.txt", media_type=None, doc_id="policy", title=None
            )
            figures = measure(context, folder)
    print(json.dumps(figures, indent=1))
    write_report("receipt_cost", figures, packages=("spanproof", "cryptography", "sqlalchemy"))


def _drop(*_: object) -> Any:  # noqa: ANN401 - never returns
    raise structlog.DropEvent


if __name__ == "__main__":
    main()
