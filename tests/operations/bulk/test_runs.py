"""Bulk verification: what a row comes to, what a run leaves, and what a kill does not."""

from __future__ import annotations

import json
import os
import signal
import time
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import OutputError
from spanproof.operations.assembly import open_context
from spanproof.operations.bulk.batch import BatchVerifier
from spanproof.operations.bulk.parts import read_description
from spanproof.operations.bulk.plan import Shard
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.errors import JobCancelledError
from spanproof.operations.verification.judging import judge, load_named_policy
from spanproof.verifier.formats.registry import parse_payload
from tests.builders import ScriptedModel
from tests.contexts import with_parts, with_settings
from tests.operations.bulk.conftest import SCRIPT, make_rows, read_output, run, write

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings


class SlowModel(ScriptedModel):
    """The same, but a kill finds it at work."""

    def judge(self, pairs: Any) -> Any:
        time.sleep(0.002)
        return super().judge(pairs)


def test_a_row_comes_to_what_its_answer_would(context: Context, doc_hash: str) -> None:
    rows = make_rows(doc_hash, 9)
    rows[3] |= {"char_start": 0, "char_end": 5}
    rows[4] |= {"char_start": None, "char_end": None}
    rows[5] |= {"doc_hash": "sha256:" + "0" * 64}
    rows[6] |= {"char_start": 10**6, "char_end": 10**6 + 3}
    moment = datetime.now(UTC)
    with BatchVerifier(context, policy="balanced", verified_at=moment) as verifier:
        judged = verifier.verify_batch(pa.RecordBatch.from_pylist(rows)).to_pylist()
    for row, found in zip(rows, judged, strict=True):
        span = {"text": row["span_text"]}
        if row["char_start"] is not None:
            span |= {"char_start": row["char_start"], "char_end": row["char_end"]}
        citation = {"anchor": 1, "doc_hash": row["doc_hash"], "span": span}
        payload = {"answer": f"{row['claim']} [1]", "citations": [citation]}
        parsed = parse_payload(json.dumps(payload).encode(), "native")
        (verdict,) = judge(context, parsed, load_named_policy("balanced")).block.verdicts
        assert found["pair_id"] == row["pair_id"]
        assert found["identity_status"] == verdict.identity.status.value
        assert found["existence_status"] == verdict.existence.status.value
        assert found["support_status"] == verdict.support.status.value
        assert found["p_entailment"] == verdict.support.p_entailment
        assert found["logits"] == [logit for _, logit in verdict.support.logits]
        assert found["outcome"] == verdict.outcome.value
        assert found["codes"] == list(verdict.codes)
    kinds = {row["existence_status"] for row in judged}
    assert {"EXACT", "ALTERED", "MOVED", "NOT_RUN"} <= kinds


def test_rows_that_are_left_when_their_time_is_spent_did_not_run(
    context: Context, doc_hash: str
) -> None:
    hurried = with_settings(context, budget_seconds=1e-9)
    rows = [row | {"char_start": 0, "char_end": 5} for row in make_rows(doc_hash, 3)]
    batch = pa.RecordBatch.from_pylist(rows)
    with BatchVerifier(hurried, policy="balanced", verified_at=datetime.now(UTC)) as verifier:
        found = verifier.verify_batch(batch).to_pylist()
        assert verifier._verdicts == {}
    assert {row["outcome"] for row in found} == {"error"}
    assert all("BUDGET_SPENT" in row["codes"] for row in found)


def test_a_run_that_is_stopped_ends_within_its_part(
    context: Context, doc_hash: str, tmp_path: Path
) -> None:
    model = ScriptedModel(SCRIPT)
    source = write(tmp_path / "in.parquet", make_rows(doc_hash, 230))
    told = count(1)

    def stop() -> None:
        if next(told) == 5:
            raise JobCancelledError("Expected a job, got a cancelled one.", hint="Start it again.")

    with pytest.raises(JobCancelledError):
        run(with_parts(context, model=model), source, tmp_path / "out", told=stop)
    assert not list((tmp_path / "out").iterdir())
    assert len(model.asked) < 230


def test_equal_rows_are_judged_once_and_keys_tell_questions_apart(
    context: Context, doc_hash: str
) -> None:
    model = ScriptedModel(SCRIPT)
    asking = with_parts(context, model=model)
    rows = make_rows(doc_hash, 1) * 4
    for number, row in enumerate(rows):
        rows[number] = row | {"pair_id": number, "policy": None}
    rows[3]["policy"] = "strict"
    rows += [rows[0] | {"pair_id": 9, "claim": "Another claim."}]
    batch = pa.RecordBatch.from_pylist(rows)
    with BatchVerifier(asking, policy="balanced", verified_at=datetime.now(UTC)) as verifier:
        first = verifier.verify_batch(batch).to_pylist()
        asked = len(model.asked)
        again = verifier.verify_batch(batch).to_pylist()
    assert first == again
    assert len(model.asked) == asked
    # The one pair of two policies, and the other claim.
    assert (asked, len(set(model.asked))) == (3, 2)
    keys = [row["verdict_key"] for row in first]
    assert len(set(keys[:3])) == 1
    assert len(set(keys)) == 3


def test_a_run_leaves_every_row_once_and_the_same_bytes_again(
    context: Context, doc_hash: str, tmp_path: Path
) -> None:
    source = write(tmp_path / "in.parquet", make_rows(doc_hash, 230))
    done = run(context, source, tmp_path / "out")
    assert (done.rows, done.total, done.resumed, done.parts) == (230, 230, 0, 5)
    assert set(read_output(tmp_path / "out")) == set(range(230))
    assert sum(done.outcomes.values()) == 230
    run(context, source, tmp_path / "other")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [f"in.{start:012d}.parquet" for start in range(0, 230, 50)]
    for name in names:
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    # The second time there is nothing to do, and the counts are the same.
    again = run(context, source, tmp_path / "out")
    assert (again.resumed, again.parts, again.outcomes) == (230, 5, done.outcomes)


@pytest.mark.long
def test_shards_share_the_work_without_gap_or_overlap(
    context: Context, doc_hash: str, tmp_path: Path
) -> None:
    rows = make_rows(doc_hash, 300)
    write(tmp_path / "in" / "b.parquet", rows[:170])
    write(tmp_path / "in" / "a" / "a.parquet", rows[170:])
    write(tmp_path / "in" / "_temporary" / "c.parquet", rows[:5])
    for index in (2, 0, 1):
        run(context, tmp_path / "in", tmp_path / "out", shard=Shard(index=index, count=3))
    assert set(read_output(tmp_path / "out")) == set(range(300))
    run(context, tmp_path / "in", tmp_path / "whole")
    files = {p.relative_to(tmp_path / "whole") for p in (tmp_path / "whole").rglob("*.parquet")}
    assert files == {p.relative_to(tmp_path / "out") for p in (tmp_path / "out").rglob("*.parquet")}


def test_what_changed_is_judged_anew_and_nothing_else(
    context: Context, doc_hash: str, tmp_path: Path
) -> None:
    rows = make_rows(doc_hash, 200)
    source, output = write(tmp_path / "in.parquet", rows), tmp_path / "out"
    run(context, source, output)
    assert run(context, source, output, policy="strict").redone == 4
    assert {
        row["verifier_version"].split()[3].split("-")[0] for row in read_output(output).values()
    } == {"policy@strict"}
    # A shorter input: what stood behind its end is gone, not taken for rows of it.
    write(source, rows[:120])
    done = run(context, source, output, policy="strict")
    assert (done.redone, done.stale, done.resumed) == (3, 1, 0)
    assert set(read_output(output)) == set(range(120))
    # A torn part is no part.
    torn = output / "in.000000000050.parquet"
    assert read_description(torn) is not None
    torn.write_bytes(torn.read_bytes()[:-9])
    with pytest.raises(OutputError, match="got another file"):
        run(context, source, output, policy="strict")
    torn.unlink()
    assert run(context, source, output, policy="strict").resumed == 70


def test_errors_are_judged_again_where_that_is_asked(
    context: Context, doc_hash: str, tmp_path: Path
) -> None:
    rows = make_rows(doc_hash, 60)
    late = "A text that is ingested late."
    rows[55] |= {
        "doc_hash": str(Digest.of(late.encode())),
        "span_text": late,
        "char_start": 0,
        "char_end": len(late),
    }
    source, output = write(tmp_path / "in.parquet", rows), tmp_path / "out"
    assert run(context, source, output).outcomes["error"] == 1
    ingest_stream(
        context, [late.encode()], filename=None, media_type="text/plain", doc_id=None, title=None
    )
    assert run(context, source, output).outcomes["error"] == 1
    done = run(context, source, output, redo_errors=True)
    assert (done.redone, done.resumed, done.outcomes.get("error")) == (1, 50, None)
    assert read_output(output)[55]["existence_status"] == "EXACT"


@pytest.mark.long
def test_killed_twice_a_run_loses_and_doubles_nothing(
    context: Context, settings: Settings, doc_hash: str, tmp_path: Path
) -> None:
    source = write(tmp_path / "in.parquet", make_rows(doc_hash, 800))
    output = tmp_path / "out"
    for wanted in (3, 8):
        pid = os.fork()
        if pid == 0:
            _verify_as_child(settings, source, output)
        deadline = time.monotonic() + 60
        for _ in count():
            if len(list(output.glob("*.parquet"))) >= wanted or time.monotonic() > deadline:
                break
            time.sleep(0.001)
        os.kill(pid, signal.SIGKILL)
        assert os.waitpid(pid, 0)[1] == signal.SIGKILL
    kept = {path.name: path.stat().st_mtime_ns for path in output.glob("*.parquet")}
    assert 8 <= len(kept) < 16
    done = run(context, source, output)
    assert done.resumed == 50 * len(kept)
    assert set(read_output(output)) == set(range(800))
    assert {name: (output / name).stat().st_mtime_ns for name in kept} == kept
    # What the killed runs were writing is swept away.
    assert len(list(output.iterdir())) == 16


def _verify_as_child(settings: Settings, source: Path, output: Path) -> None:
    try:
        with open_context(settings, model=SlowModel(SCRIPT)) as context:
            run(context, source, output)
    finally:
        os._exit(1)
