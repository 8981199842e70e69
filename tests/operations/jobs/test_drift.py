"""The kinds ``bulk``, ``drift`` and ``reverification``, as a worker runs them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from spanproof.core.digest import Digest
from spanproof.core.errors import IndexNotFoundError, InputError
from spanproof.operations.bulk.jobs import to_path
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.erasing import erase
from spanproof.operations.indexes.version import register
from spanproof.operations.jobs import KINDS
from spanproof.operations.verification.verify import verify_payload
from spanproof.store.indexes.index_rows import NewVersion
from tests.api.http.routes.test_indexes import make_row, to_lines

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context

TEXT = "Goods are replaced within four days. Invoices are paid at once."
HASH = str(Digest.of(TEXT.encode()))
SENTENCES = ("Goods are replaced within four days.", "Invoices are paid at once.")


@pytest.fixture
def context(context: Context) -> Context:
    ingest_stream(
        context, [TEXT.encode()], filename=None, media_type="text/plain", doc_id=None, title=None
    )
    return context


def run(context: Context, kind: str, **arguments: Any) -> Any:
    steps: list[tuple[int, int]] = []
    found = KINDS[kind].load()(context, arguments, lambda *step: steps.append(step))
    assert steps[-1][0] == steps[-1][1]
    return json.loads(json.dumps(found))


def verify(context: Context, chunk_id: str, sentence: str) -> str:
    start = TEXT.index(sentence)
    span = {"text": sentence, "char_start": start, "char_end": start + len(sentence)}
    citation = {"anchor": 1, "doc_hash": HASH, "chunk_id": chunk_id, "span": span}
    answer = {"answer": f"{sentence} [1].", "citations": [citation | {"index_version": "v1"}]}
    return verify_payload(context, json.dumps(answer).encode()).verification_id


def register_rows(context: Context, version: str, *rows: dict[str, Any]) -> None:
    with context.store.blobs.stage() as staged:
        staged.write(to_lines(*rows))
        new = NewVersion(name="contracts", version=version, registered_at=datetime.now(UTC))
        register(context, new, staged)


def test_drift_is_held_against_a_budget_and_only_what_it_touched_is_verified_again(
    context: Context,
) -> None:
    kept, lost = verify(context, "a", SENTENCES[0]), verify(context, "b", SENTENCES[1])
    with pytest.raises(IndexNotFoundError):
        run(context, "drift", index="contracts")
    rows = [make_row(name, name, doc_hash=HASH) for name in ("a", "b")]
    register_rows(context, "v1", *rows)
    register_rows(context, "v2", rows[0], make_row("b", "other words", doc_hash=HASH))
    report = run(context, "drift", index="contracts", budget=0.5)
    assert report["citations"] | {"intact": 0} == {
        "intact": 0,
        "remappable": 0,
        "reassigned": 1,
        "gone": 0,
        "source_changed": 0,
    }
    assert report["over_budget"] is False
    given = {"index": "contracts", "from": "v1", "to": "v2"}
    first = run(context, "reverification", **given)
    (item,) = first["verifications"]
    assert (first["answers"], item["before"], item["problem"]) == (1, lost, None)
    assert item["verification_id"] not in {kept, lost}
    # The same again makes nothing new, and what was found before stands.
    answers = context.store.answers
    assert (
        answers.load(lost).block["result"] == answers.load(item["verification_id"]).block["result"]
    )
    again = run(context, "reverification", **given)
    assert item in again["verifications"]
    assert len(context.store.answers.list().items) == 3


def test_a_new_extraction_is_a_row_for_each_citation(context: Context) -> None:
    verify(context, "a", SENTENCES[0])
    (extraction,) = context.store.documents.extractions_of(Digest.parse(HASH))
    given = {"from_extraction": str(extraction), "to_extraction": str(extraction)}
    report = run(context, "reverification", **given)
    assert (report["citations"], report["recorded"]) == (1, 1)
    assert run(context, "reverification", **given)["recorded"] == 0


def test_a_job_that_is_begun_again_tells_of_what_its_killed_run_has_kept(
    context: Context,
) -> None:
    verify(context, "a", SENTENCES[0])
    (extraction,) = context.store.documents.extractions_of(Digest.parse(HASH))
    given = {"from_extraction": str(extraction), "to_extraction": str(extraction)}
    asked = {"asked_at": "2026-11-22T15:00:00.123456+00:00"}
    assert run(context, "drift", **given, **asked)["recorded"] == 1
    assert run(context, "drift", **given, **asked)["recorded"] == 1
    other = {"asked_at": "2026-11-22T15:00:00.123457+00:00"}
    assert run(context, "drift", **given, **other)["recorded"] == 0


def test_a_bulk_job_reads_and_writes_below_the_home(context: Context, tmp_path: Path) -> None:
    row = {"doc_hash": HASH, "char_start": 0, "char_end": 36, "span_text": SENTENCES[0]}
    rows = [row | {"pair_id": str(n), "claim": "Goods are replaced."} for n in range(5)]
    folder = context.settings.home / "bulk"
    folder.mkdir()
    parquet.write_table(pa.Table.from_pylist(rows), folder / "in.parquet")
    report = run(context, "bulk", input="in.parquet", output="out/first")
    assert (report["rows"], report["outcomes"]) == (5, {"pass": 5})
    assert parquet.read_table(folder / "out" / "first").num_rows == 5
    (folder / "link").symlink_to(tmp_path)
    for name in ("/etc/passwd", "../other", "a/../../b", "", None, "link/x", "a\0b"):
        with pytest.raises(InputError):
            to_path(folder, name)


@pytest.mark.long
def test_a_second_run_of_a_bulk_verification_judges_only_what_is_left(context: Context) -> None:
    row = {"doc_hash": HASH, "char_start": 0, "char_end": 36, "span_text": SENTENCES[0]}
    rows = [row | {"pair_id": n, "claim": "Goods are replaced."} for n in range(2_001)]
    lines = b"".join(json.dumps(each).encode() + b"\n" for each in rows)
    given = {"seed": "eight", "input": context.jobs.inputs.add(lines), "policy": None}
    first = run(context, "bulk_verification", **given)
    assert (first["rows"], first["parts"], first["resumed"]) == (2_001, 3, 0)
    # As a kill leaves it: one part is missing, and what the run was given is still there.
    folder = context.jobs.outputs.path("eight")
    parts = sorted((folder / "rows").iterdir())
    kept = [part.read_bytes() for part in parts]
    parts[1].unlink()
    again = run(context, "bulk_verification", **given)
    # The same lines become the same Parquet, so that whole parts are known again.
    assert (again["rows"], again["resumed"]) == (2_001, 1_001)
    assert [part.name for part in sorted((folder / "rows").iterdir())] == [p.name for p in parts]
    assert [parts[0].read_bytes(), parts[2].read_bytes()] == [kept[0], kept[2]]
    assert [each.name for each in folder.iterdir()] == ["rows"]


def test_an_answer_that_is_erased_meanwhile_ends_no_reverification(context: Context) -> None:
    gone, lost = verify(context, "a", SENTENCES[0]), verify(context, "b", SENTENCES[1])
    rows = [make_row(name, name, doc_hash=HASH) for name in ("a", "b")]
    register_rows(context, "v1", *rows)
    register_rows(
        context, "v2", *(make_row(name, "other words", doc_hash=HASH) for name in ("a", "b"))
    )
    given = {"index": "contracts", "from": "v1", "to": "v2"}

    def progress(done: int, total: int) -> None:
        del total
        if done == 0:
            erase(context, gone, reason="asked for")

    report = KINDS["reverification"].load()(context, given, progress)
    assert [each["before"] for each in report["verifications"]] == [lost]
