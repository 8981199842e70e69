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
from pyarrow import parquet

from api.errors import OutputError, UnreadableFileError
from api.operations.bulk import BulkProgress, verify_files
from api.operations.bulk_batch import BatchVerifier
from api.operations.bulk_parts import read_description
from api.operations.bulk_plan import Shard, plan_files, read_parts
from api.operations.ingest import ingest_stream
from api.operations.verify import judge, load_named_policy
from api.settings import Settings
from api.wiring import open_services
from core.digest import Digest
from core.errors import InputError, MalformedBulkError, SpanproofError
from tests.builders import ScriptedModel
from verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from api.wiring import Services

SENTENCES = [f"Clause {n}: goods of class {n} are replaced within {n + 2} days." for n in range(40)]
TEXT = "\n".join(SENTENCES)
SCRIPT = dict.fromkeys(SENTENCES, (0.98, 0.01, 0.01))


class SlowModel(ScriptedModel):
    """The same, but a kill finds it at work."""

    def judge(self, pairs: Any) -> Any:
        time.sleep(0.002)
        return super().judge(pairs)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a home that the module shares: a bulk run stores nothing."""
    home = tmp_path_factory.mktemp("bulk") / "home"
    return Settings(home=home, database_url=None, model=None, test_data=None, witness_rate=0.0)


@pytest.fixture(scope="module")
def services(settings: Settings) -> Iterator[Services]:
    """Services that hold the document; a scripted model judges."""
    with open_services(settings) as opened:
        opened._model = ScriptedModel(SCRIPT)
        ingest_stream(
            opened, [TEXT.encode()], filename=None, media_type="text/plain", doc_id=None, title=None
        )
        yield opened


@pytest.fixture(scope="module")
def doc_hash(services: Services) -> str:
    """The hash of the one document."""
    (record,) = services.store.documents.list().items
    return str(record.document.doc_hash)


def make_rows(doc_hash: str, number: int) -> list[dict[str, Any]]:
    """Rows that quote one sentence after the other, every seventh wrongly."""
    rows = []
    for pair_id in range(number):
        sentence = SENTENCES[pair_id % len(SENTENCES)]
        start = TEXT.index(sentence)
        quoted = sentence.replace("goods", "wares") if pair_id % 7 == 0 else sentence
        rows.append(
            {
                "pair_id": pair_id,
                "doc_hash": doc_hash,
                "char_start": start,
                "char_end": start + len(sentence),
                "span_text": quoted,
                "claim": f"Goods of class {pair_id % len(SENTENCES)} are replaced.",
            }
        )
    return rows


def write(path: Path, rows: list[dict[str, Any]], *, group: int = 64) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)
    return path


def run(services: Services, source: Path, output: Path, **given: Any) -> BulkProgress:
    *_, last = verify_files(services, source, output, part_rows=given.pop("part_rows", 50), **given)
    return last


def read_output(output: Path) -> dict[Any, dict[str, Any]]:
    rows = [
        row for path in output.rglob("*.parquet") for row in parquet.read_table(path).to_pylist()
    ]
    found = {row["pair_id"]: row for row in rows}
    assert len(found) == len(rows)
    return found


def test_a_row_comes_to_what_its_answer_would(services: Services, doc_hash: str) -> None:
    rows = make_rows(doc_hash, 9)
    rows[3] |= {"char_start": 0, "char_end": 5}
    rows[4] |= {"char_start": None, "char_end": None}
    rows[5] |= {"doc_hash": "sha256:" + "0" * 64}
    rows[6] |= {"char_start": 10**6, "char_end": 10**6 + 3}
    moment = datetime.now(UTC)
    with BatchVerifier(services, policy="balanced", verified_at=moment) as verifier:
        judged = verifier.verify_batch(pa.RecordBatch.from_pylist(rows)).to_pylist()
    for row, found in zip(rows, judged, strict=True):
        span = {"text": row["span_text"]}
        if row["char_start"] is not None:
            span |= {"char_start": row["char_start"], "char_end": row["char_end"]}
        citation = {"anchor": 1, "doc_hash": row["doc_hash"], "span": span}
        payload = {"answer": f"{row['claim']} [1]", "citations": [citation]}
        parsed = parse_payload(json.dumps(payload).encode(), "native")
        (verdict,) = judge(services, parsed, load_named_policy("balanced"), None).block.verdicts
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


def test_equal_rows_are_judged_once_and_keys_tell_questions_apart(
    services: Services, doc_hash: str
) -> None:
    model = ScriptedModel(SCRIPT)
    services._model, kept = model, services._model
    rows = make_rows(doc_hash, 1) * 4
    for number, row in enumerate(rows):
        rows[number] = row | {"pair_id": number, "policy": None}
    rows[3]["policy"] = "strict"
    rows += [rows[0] | {"pair_id": 9, "claim": "Another claim."}]
    batch = pa.RecordBatch.from_pylist(rows)
    try:
        with BatchVerifier(services, policy="balanced", verified_at=datetime.now(UTC)) as verifier:
            first = verifier.verify_batch(batch).to_pylist()
            asked = len(model.asked)
            again = verifier.verify_batch(batch).to_pylist()
    finally:
        services._model = kept
    assert first == again
    assert len(model.asked) == asked
    # The one pair of two policies, and the other claim.
    assert (asked, len(set(model.asked))) == (3, 2)
    keys = [row["verdict_key"] for row in first]
    assert len(set(keys[:3])) == 1
    assert len(set(keys)) == 3


def test_a_run_leaves_every_row_once_and_the_same_bytes_again(
    services: Services, doc_hash: str, tmp_path: Path
) -> None:
    source = write(tmp_path / "in.parquet", make_rows(doc_hash, 230))
    done = run(services, source, tmp_path / "out")
    assert (done.rows, done.total, done.resumed, done.parts) == (230, 230, 0, 5)
    assert set(read_output(tmp_path / "out")) == set(range(230))
    assert sum(done.outcomes.values()) == 230
    run(services, source, tmp_path / "other")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [f"in.{start:012d}.parquet" for start in range(0, 230, 50)]
    for name in names:
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    # The second time there is nothing to do, and the counts are the same.
    again = run(services, source, tmp_path / "out")
    assert (again.resumed, again.parts, again.outcomes) == (230, 5, done.outcomes)


def test_shards_share_the_work_without_gap_or_overlap(
    services: Services, doc_hash: str, tmp_path: Path
) -> None:
    rows = make_rows(doc_hash, 300)
    write(tmp_path / "in" / "b.parquet", rows[:170])
    write(tmp_path / "in" / "a" / "a.parquet", rows[170:])
    write(tmp_path / "in" / "_temporary" / "c.parquet", rows[:5])
    for index in (2, 0, 1):
        run(services, tmp_path / "in", tmp_path / "out", shard=Shard(index=index, count=3))
    assert set(read_output(tmp_path / "out")) == set(range(300))
    run(services, tmp_path / "in", tmp_path / "whole")
    files = {p.relative_to(tmp_path / "whole") for p in (tmp_path / "whole").rglob("*.parquet")}
    assert files == {p.relative_to(tmp_path / "out") for p in (tmp_path / "out").rglob("*.parquet")}


def test_what_changed_is_judged_anew_and_nothing_else(
    services: Services, doc_hash: str, tmp_path: Path
) -> None:
    rows = make_rows(doc_hash, 200)
    source, output = write(tmp_path / "in.parquet", rows), tmp_path / "out"
    run(services, source, output)
    assert run(services, source, output, policy="strict").redone == 4
    assert {
        row["verifier_version"].split()[3].split("-")[0] for row in read_output(output).values()
    } == {"policy@strict"}
    # A shorter input: what stood behind its end is gone, not taken for rows of it.
    write(source, rows[:120])
    done = run(services, source, output, policy="strict")
    assert (done.redone, done.stale, done.resumed) == (3, 1, 0)
    assert set(read_output(output)) == set(range(120))
    # A torn part is no part.
    torn = output / "in.000000000050.parquet"
    assert read_description(torn) is not None
    torn.write_bytes(torn.read_bytes()[:-9])
    with pytest.raises(OutputError, match="a file that is none"):
        run(services, source, output, policy="strict")
    torn.unlink()
    assert run(services, source, output, policy="strict").resumed == 70


def test_errors_are_judged_again_where_that_is_asked(
    services: Services, doc_hash: str, tmp_path: Path
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
    assert run(services, source, output).outcomes["error"] == 1
    ingest_stream(
        services, [late.encode()], filename=None, media_type="text/plain", doc_id=None, title=None
    )
    assert run(services, source, output).outcomes["error"] == 1
    done = run(services, source, output, redo_errors=True)
    assert (done.redone, done.resumed, done.outcomes.get("error")) == (1, 50, None)
    assert read_output(output)[55]["existence_status"] == "EXACT"


def bad_inputs(rows: list[dict[str, Any]]) -> dict[str, tuple[Any, str]]:
    """Inputs that are none, each with what its error says."""

    def change(at: int, **given: Any) -> list[dict[str, Any]]:
        return [row | given if number == at else row for number, row in enumerate(rows)]

    table = pa.Table.from_pylist(rows)
    latin = pa.array([b"caf\xe9"] * len(rows), pa.binary()).view(pa.string())
    return {
        "no column": (table.drop_columns(["claim"]), "got no 'claim'"),
        "a type": (table.set_column(2, "char_start", pa.array(["1"] * len(rows))), "whole numbers"),
        "a float id": (table.set_column(0, "pair_id", pa.array([1.5] * len(rows))), "'pair_id'"),
        "bytes": (table.set_column(4, "span_text", latin.view(pa.binary())), "strings in column"),
        "another encoding": (table.set_column(4, "span_text", latin), "UTF-8"),
        "twice the column": (table.append_column("claim", table["claim"]), "one column 'claim'"),
        "twice the id": (change(7, pair_id=3), "got 3 in row 4 of in.parquet and row 8 of"),
        "no id": (change(7, pair_id=None), "a value in column 'pair_id', row 8 of in.parquet"),
        "half a span": (change(5, char_end=None), "both offsets or neither.*row 6"),
        "reversed": (change(5, char_start=9, char_end=3), "row 6"),
        "negative": (change(5, char_start=-1), "row 6"),
        "a short hash": (change(5, doc_hash="sha256:12"), "64 lower-case.*row 6.*got 'sha256:12'"),
        "a hash and more": (change(5, doc_hash="sha256:" + "0" * 64 + "\n"), "row 6"),
        "a blank claim": (change(5, claim=" \n"), "a claim with a word.*row 6"),
        "a huge quote": (change(5, span_text="x" * (1024**2 + 1)), "at most 1048576 bytes.*row 6"),
        "a unit": ([row | {"unit": "line"} for row in rows], "codepoint, utf16, utf8.*row 1"),
        "a policy": ([row | {"policy": "kind"} for row in rows], "balanced, strict, review"),
        "no rows": (table.slice(0, 0), "Expected rows"),
    }


CASES = sorted(
    bad_inputs(
        [
            dict.fromkeys(
                ("pair_id", "doc_hash", "char_start", "char_end", "span_text", "claim"), "x"
            )
        ]
        * 9
    )
)


@pytest.mark.parametrize("case", CASES)
def test_a_malformed_input_is_refused_whole(
    services: Services, doc_hash: str, tmp_path: Path, case: str
) -> None:
    content, says = bad_inputs(make_rows(doc_hash, 60))[case]
    source = tmp_path / "in.parquet"
    table = content if isinstance(content, pa.Table) else pa.Table.from_pylist(content)
    parquet.write_table(table, source)
    with pytest.raises(MalformedBulkError, match=says):
        run(services, source, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*"))


def test_a_path_that_is_none_is_refused(services: Services, doc_hash: str, tmp_path: Path) -> None:
    source = write(tmp_path / "in" / "in.parquet", make_rows(doc_hash, 3))
    text = tmp_path / "in.csv"
    text.write_text("pair_id,claim\n")
    (tmp_path / "empty").mkdir()
    cases: list[tuple[Path, Path, type[SpanproofError]]] = [
        (tmp_path / "none", tmp_path / "out", UnreadableFileError),
        (tmp_path / "empty", tmp_path / "out", UnreadableFileError),
        (text, tmp_path / "out", MalformedBulkError),
        (tmp_path / "in", tmp_path / "in", InputError),
        (tmp_path / "in", tmp_path / "in" / "out", InputError),
        (source, text, InputError),
    ]
    for given, output, error in cases:
        with pytest.raises(error):
            run(services, given, output)
    for text_of in ("1/1", "-1/2", "x", "1/0", "1/2/3", "0/1000000"):
        with pytest.raises(InputError, match="0 <= i < n"):
            Shard.parse(text_of)
    assert Shard.parse("3/4") == Shard(index=3, count=4)


def test_a_part_that_its_file_no_longer_has_is_not_empty(doc_hash: str, tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", make_rows(doc_hash, 100))
    (file,) = plan_files(source, Shard(), part_rows=40)
    assert [len(batch) for _, batch in read_parts(file)] == [40, 40, 20]
    for rows in (90, 80, 10):
        write(source, make_rows(doc_hash, rows))
        with pytest.raises(MalformedBulkError, match=r"rows (81 to 100|1 to 40)"):
            list(read_parts(file))


def test_other_types_that_mean_the_same_are_taken(
    services: Services, doc_hash: str, tmp_path: Path
) -> None:
    table = pa.Table.from_pylist(make_rows(doc_hash, 40))
    run(services, write(tmp_path / "a.parquet", make_rows(doc_hash, 40)), tmp_path / "a")
    for name, kind in (
        ("doc_hash", pa.dictionary(pa.int32(), pa.string())),
        ("char_start", pa.uint16()),
        ("claim", pa.large_string()),
    ):
        at = table.schema.names.index(name)
        table = table.set_column(at, name, table[name].cast(kind))
    table = table.append_column("unit", pa.nulls(40)).append_column("more", pa.nulls(40))
    parquet.write_table(table, tmp_path / "b.parquet")
    run(services, tmp_path / "b.parquet", tmp_path / "b")
    assert read_output(tmp_path / "a") == read_output(tmp_path / "b")


def test_killed_twice_a_run_loses_and_doubles_nothing(
    services: Services, settings: Settings, doc_hash: str, tmp_path: Path
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
    done = run(services, source, output)
    assert done.resumed == 50 * len(kept)
    assert set(read_output(output)) == set(range(800))
    assert {name: (output / name).stat().st_mtime_ns for name in kept} == kept
    # What the killed runs were writing is swept away.
    assert len(list(output.iterdir())) == 16


def _verify_as_child(settings: Settings, source: Path, output: Path) -> None:
    try:
        with open_services(settings) as services:
            services._model = SlowModel(SCRIPT)
            run(services, source, output)
    finally:
        os._exit(1)
