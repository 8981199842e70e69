"""Jobs over what a store holds, each of another kind: what they are given, and what they made.

Nothing in it hangs on chance or on the clock: two homes that were prepared alike, and whose jobs
ran however often, hold the same.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet
from sqlalchemy import text

from spanproof.core.digest import Digest
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.fsck.store import check_store
from spanproof.operations.indexes.version import register
from spanproof.operations.jobs.queueing import (
    DriftRequest,
    start_bulk,
    start_drift,
    start_registration,
    start_reverification,
)
from spanproof.operations.verification.request import VerificationRequest
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.check.report import LineStatus
from spanproof.store.indexes.index_rows import NewVersion
from tests.api.http.routes.test_indexes import make_row, to_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

    from spanproof.operations.context import Context

_NAMESPACE = uuid.UUID("7a3f5a52-6a0b-5b0c-9d0e-9a53b7f0c0de")
#: Told of one run of a job: when it registered, and what it found done.
_OF_ONE_RUN = ("registered_at", "resumed")
_LARGE = frozenset({"contracts", "policies"})
#: The ids of the jobs.
JOBS = ("large", "small", "pairs", "shard", "contracts", "leases", "archive", "policies", "manuals")
_SHARD_PAIRS = 20
#: The same claim of the same words is judged once.
_CLAIMS = 500
_REANCHORS = (
    "verification_id, position, target_id, algorithm, source_id, source_start, source_end,"
    " status, channels, reason, char_start, char_end, detail_json"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much the larger jobs have to do; of each kind there is a small one beside it.

    Rows of a manifest, pairs, answers, and the citations of each answer.
    """

    rows: int
    pairs: int
    answers: int
    citations: int

    def count_answers(self, name: str) -> int:
        """How many answers cite that document."""
        return self.answers if name in _LARGE else 1

    def count_clauses(self, name: str) -> int:
        """How many clauses that document has: each is cited once."""
        return self.count_answers(name) * self.citations


def prepare(context: Context, scale: Scale) -> None:
    """What the jobs work on: documents, answers that cite them, versions of indexes, pairs."""
    for name in ("contracts", "leases", "archive"):
        _ingest(context, name, scale, 1)
        _verify(context, name, scale)
        for edition in (1, 2):
            with context.store.blobs.stage() as staged:
                staged.write(to_lines(*_make_rows(name, scale, edition)))
                register(context, _make_version(name, f"{name}-{edition}"), staged)
    for name in ("policies", "manuals"):
        for edition in (1, 2):
            _ingest(context, name, scale, edition)
        _verify(context, name, scale)
    folder = context.settings.home / "bulk"
    folder.mkdir()
    pairs = pa.Table.from_pylist(list(_make_pairs(scale, _SHARD_PAIRS)))
    parquet.write_table(pairs, folder / "in.parquet")


def start_all(context: Context, scale: Scale) -> None:
    """Queue the ``JOBS``: one of every kind, and a small one beside it."""
    for job_id, version, rows in (("large", "large", scale.rows), ("small", "small", 3)):
        with context.store.blobs.stage() as staged:
            for number in range(rows):
                staged.write(to_lines(make_row(f"chunk-{number}", f"{version} {number}")))
            new = _make_version(version, version)
            start_registration(context, new, staged, expected=None, job_id=job_id)
    with context.store.blobs.stage() as staged:
        for pair in _make_pairs(scale, scale.pairs):
            staged.write(to_lines(pair))
        start_bulk(context, staged, policy=None, expected=None, job_id="pairs")
    context.jobs.start("bulk", {"input": "in.parquet", "output": "out"}, job_id="shard")
    start_reverification(context, _wish_versions("contracts"), job_id="contracts")
    start_reverification(context, _wish_versions("leases"), job_id="leases")
    start_drift(context, _wish_versions("archive"), budget=0.001, job_id="archive")
    policies, manuals = (wish_editions(context, name, scale) for name in ("policies", "manuals"))
    start_drift(context, policies, budget=0.5, job_id="policies")
    start_reverification(context, manuals, job_id="manuals")


def wish_editions(context: Context, name: str, scale: Scale) -> DriftRequest:
    """From the extraction of a document's first edition to that of its second."""
    old, new = (
        context.store.documents.extractions_of(Digest.of(_write(name, scale, edition).encode()))[0]
        for edition in (1, 2)
    )
    return DriftRequest(index=None, old=str(old), new=str(new))


def take_snapshot(context: Context) -> dict[str, Any]:
    """What the jobs came to, without what is of one run or of the clock.

    Fails where an answer has not one receipt and one leaf of its result, or the store is not sound.
    """
    with context.store.database.reading() as session:
        connection = session.connection()
        verified = _read(connection, "SELECT verification_id, answer_id, result FROM verification")
        receipts = _read(connection, "SELECT verification_id FROM receipt")
        results = Counter(
            _read(connection, "SELECT subject FROM log_statement WHERE kind='result'")
        )
        messages = _read(connection, "SELECT event_type, body FROM webhook_message")
        reanchored = _read(connection, f"SELECT {_REANCHORS} FROM reanchor")  # noqa: S608 - ours
    assert sorted(receipts) == sorted((each[0],) for each in verified)
    assert set(results.values()) == {1}
    assert len(results) == len(verified)
    report = check_store(context, None, with_log=False)
    assert report.outcome is LineStatus.OK, report.to_json()
    jobs = [context.jobs.find(job_id) for job_id in JOBS]
    assert [job.state.value for job in jobs] == ["done"] * len(jobs), jobs
    return {
        "verified": verified,
        "versions": [
            {name: value for name, value in each.to_json().items() if name not in _OF_ONE_RUN}
            for each in context.store.indexes.list()
        ],
        "reanchored": reanchored,
        "messages": sorted((kind, json.dumps(json.loads(body)["data"])) for kind, body in messages),
        "results": {
            job.job_id: {k: v for k, v in (job.result or {}).items() if k not in _OF_ONE_RUN}
            for job in jobs
        },
        "rows": _digest_files(context.jobs.outputs.path("pairs")),
        "shard": _digest_files(context.settings.home / "bulk"),
    }


def list_leftovers(context: Context) -> list[str]:
    """What no run should leave: staged bytes, what jobs were given, half of a part."""
    home = context.settings.home
    left = [*(home / "blobs" / "staging").iterdir()]
    left += [path for path in (home / "jobs" / "inputs").rglob("*") if path.is_file()]
    for folder in (home / "jobs" / "outputs", home / "bulk"):
        left += [path for path in folder.rglob(".*") if path.name.startswith(".")]
    return sorted(str(path.relative_to(home)) for path in left)


def _say(name: str, number: int, edition: int) -> str:
    # Of every fifth clause the newer edition says another number.
    days = number + (edition if number % 5 == 0 else 1)
    return f"Clause {number} of {name}: goods of class {number} are replaced in {days} days."


def _write(name: str, scale: Scale, edition: int) -> str:
    clauses = range(scale.count_clauses(name))
    beginning = "" if edition == 1 else "This edition replaces the one before.\n\n"
    return beginning + "\n\n".join(_say(name, number, edition) for number in clauses)


def _ingest(context: Context, name: str, scale: Scale, edition: int) -> None:
    ingest_stream(
        context,
        [_write(name, scale, edition).encode()],
        media_type="text/plain",
        filename=None,
        doc_id=f"{name}-{edition}",
    )


def _verify(context: Context, name: str, scale: Scale) -> None:
    """Answers whose citations go through the clauses, each clause cited once."""
    written = _write(name, scale, 1)
    for answer in range(scale.count_answers(name)):
        citations, said = [], []
        for anchor in range(1, scale.citations + 1):
            number = answer * scale.citations + anchor - 1
            clause = _say(name, number, 1)
            start = written.index(clause)
            span = {"text": clause, "char_start": start, "char_end": start + len(clause)}
            cited = {"chunk_id": f"{name}-{number}", "index_version": f"{name}-1", "span": span}
            citations.append({"anchor": anchor, "doc_id": f"{name}-1"} | cited)
            said.append(f"Goods of class {number} are replaced [{anchor}].")
        payload = {
            "answer_id": f"{name}-{answer}",
            "answer": " ".join(said),
            "citations": citations,
        }
        verification_id = str(uuid.uuid5(_NAMESPACE, f"{name}/{answer}"))
        request = VerificationRequest(verification_id=verification_id)
        verify_payload(context, json.dumps(payload).encode(), request)


def _make_version(name: str, version: str) -> NewVersion:
    return NewVersion(name=name, version=version, registered_at=datetime.now(UTC))


def _make_rows(name: str, scale: Scale, edition: int) -> Iterator[dict[str, Any]]:
    """A chunk a clause; in the newer version the first of each answer's has other words."""
    doc_hash = str(Digest.of(_write(name, scale, 1).encode()))
    for number in range(scale.count_clauses(name)):
        word = "other" if edition == 2 and number % scale.citations == 0 else "text"
        yield make_row(
            f"{name}-{number}", f"{word} {number}", doc_id=f"{name}-1", doc_hash=doc_hash
        )


def _make_pairs(scale: Scale, count: int) -> Iterator[dict[str, Any]]:
    written = _write("contracts", scale, 1)
    doc_hash = str(Digest.of(written.encode()))
    for number in range(count):
        clause = _say("contracts", number % scale.count_clauses("contracts"), 1)
        start = written.index(clause)
        yield {
            "pair_id": number,
            "doc_hash": doc_hash,
            "char_start": start,
            "char_end": start + len(clause),
            "span_text": clause,
            "claim": f"Goods of order {number % _CLAIMS} are replaced.",
        }


def _wish_versions(name: str) -> DriftRequest:
    return DriftRequest(index=name, old=f"{name}-1", new=f"{name}-2")


def _read(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in connection.execute(text(query)))


def _digest_files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.parquet"))
    }
