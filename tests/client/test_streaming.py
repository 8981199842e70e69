"""Large bodies pass through the client: never in memory as a whole, never half a file."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

from spanproof.client import (
    AsyncClient,
    Client,
    RequestRefusedError,
    ResourceNotFoundError,
    ServiceFaultError,
    ServiceUnreachableError,
    job_calls,
)
from spanproof.client.bodies import FileBody
from spanproof.core.errors import InputError, OutputError
from tests.api.http.routes.test_indexes import to_lines
from tests.client.test_client import Pauses, breaking_server
from tests.client.test_job_calls import wait
from tests.sources import SENTENCE, make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.client.conftest import Served

MIB = 1 << 20
ROWS = 1_000
#: So that few rows are many bytes: a name of a pair may be long.
NAME_BYTES = 33 * 1024 + 512
#: What a client may hold of a body of 32 MiB: some chunks and a row, whatever the body's size.
MOST_BYTES = 4 * MIB


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    with Client(served.url) as opened:
        yield opened


def make_pair(name: str, doc_hash: str) -> dict[str, Any]:
    return {"pair_id": name, "doc_hash": doc_hash, "span_text": SENTENCE, "claim": SENTENCE}


@pytest.mark.long
def test_bodies_of_tens_of_megabytes_are_held_in_chunks(
    served: Served, client: Client, tmp_path: Path
) -> None:
    doc_hash = client.ingest(make_pdf()).doc_hash
    names = [f"{number:06}-{'n' * NAME_BYTES}" for number in range(ROWS)]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_bytes(to_lines(*(make_pair(name, doc_hash) for name in names)))
    assert pairs.stat().st_size > 32 * MIB
    # A process of its own: the service in this one holds what it holds.
    done = subprocess.run(
        [sys.executable, "-m", "tests.client.measured", served.url, pairs, tmp_path],
        check=True,
        stdout=subprocess.PIPE,
    )
    found = json.loads(done.stdout)
    assert found.pop("count") == ROWS
    assert set(found) == {"upload", "rows", "save", "lines", "async"}
    assert {name: peak for name, peak in found.items() if peak > MOST_BYTES} == {}
    lines = (tmp_path / "a.jsonl").read_bytes()
    assert len(lines) > 32 * MIB
    assert [json.loads(line)["pair_id"] for line in lines.splitlines()] == names
    assert parquet.read_table(tmp_path / "a.parquet").column("pair_id").to_pylist() == names
    for name in ("jsonl", "parquet"):
        assert (tmp_path / f"b.{name}").read_bytes() == (tmp_path / f"a.{name}").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {
        "pairs.jsonl",
        *(f"{client}.{kind}" for client in "ab" for kind in ("jsonl", "parquet")),
    }


def test_a_file_is_sent_with_its_length_and_digest_by_both_clients(
    served: Served, client: Client, tmp_path: Path
) -> None:
    path = tmp_path / "terms.pdf"
    path.write_bytes(make_pdf("Words of a file."))
    served.door.seen.clear()
    made = client.ingest(path)

    async def use() -> bool:
        async with AsyncClient(served.url) as opened:
            return (await opened.ingest(path)).is_new

    assert (made.is_new, asyncio.run(use())) == (True, False)
    sent = [headers for method, _, headers in served.door.seen if method == "PUT"]
    assert [each["content-length"] for each in sent] == [str(path.stat().st_size)] * 2
    assert all("transfer-encoding" not in each for each in sent)
    assert sent[0]["content-digest"] == sent[1]["content-digest"]


def test_a_busy_service_gets_the_whole_file_again(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "terms.pdf"
    path.write_bytes(make_pdf("Words of another file."))
    pauses = Pauses()
    served.door.refusals.extend([(503, {"retry-after": "1"}), (429, {"retry-after": "2"})])
    with Client(served.url, pause=pauses) as opened:
        assert opened.ingest(path).status == "ok"
    assert pauses == [1.0, 2.0]


def test_a_file_that_changed_after_it_was_digested_is_refused(
    client: Client, tmp_path: Path
) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(to_lines({"pair_id": 1}))
    call = job_calls.verify_bulk(path, policy=None, idempotency_key=None)
    path.write_bytes(to_lines({"pair_id": 2}))
    with pytest.raises(RequestRefusedError, match="DIGEST"):
        client.send(call)
    for other in (b"x", b"x" * 100):
        path.write_bytes(other)
        with pytest.raises(InputError, match="another length"):
            client.send(call)
    path.unlink()
    with pytest.raises(InputError, match="can be read"):
        client.send(call)
    with pytest.raises(InputError, match="can be read"):
        FileBody.of(path)


def test_rows_come_one_by_one_and_what_is_no_row_is_told(client: Client, tmp_path: Path) -> None:
    doc_hash = client.ingest(make_pdf()).doc_hash
    # U+2028 ends a line for some, and no row.
    names = ["a\u2028b", "c\u0085d", "e"]
    job = client.verify_bulk(to_lines(*(make_pair(name, doc_hash) for name in names)))
    with pytest.raises(ResourceNotFoundError):
        next(client.iterate_bulk_rows("no-such-job"))
    with pytest.raises(ResourceNotFoundError):
        client.save_bulk_rows("no-such-job", tmp_path / "rows.parquet")
    assert list(tmp_path.iterdir()) == []
    wait(client, job)
    rows = client.iterate_bulk_rows(job.job_id)
    assert next(rows)["pair_id"] == names[0]
    # Whoever has seen enough goes away, and the connection serves others.
    rows.close()
    assert [row["pair_id"] for row in client.bulk_rows(job.job_id)] == names
    target = tmp_path / "rows.jsonl"
    target.write_text("before")
    assert client.save_bulk_rows(job.job_id, target, format="ndjson") == target
    assert [json.loads(line)["pair_id"] for line in target.read_bytes().split(b"\n")[:-1]] == names
    with pytest.raises(OutputError, match="no folder"):
        client.save_bulk_rows(job.job_id, tmp_path / "no folder" / "rows.parquet")


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
#: An answer that breaks off in its second row.
BROKEN = HEAD + b"Content-Length: 100\r\n\r\n" + b'{"pair_id": 1}\n{"pair'
WHOLE = HEAD + b"Content-Length: 15\r\n\r\n" + b'{"pair_id": 1}\n'


def test_an_answer_that_breaks_off_is_no_end_and_makes_no_file(tmp_path: Path) -> None:
    target = tmp_path / "rows.jsonl"
    target.write_text("before")
    pauses = Pauses()
    with breaking_server([BROKEN]) as url, Client(url, pause=pauses) as opened:
        rows = opened.iterate_bulk_rows("job")
        assert next(rows) == {"pair_id": 1}
        with pytest.raises(ServiceUnreachableError):
            next(rows)
    assert pauses == []
    # A file is begun anew: it is whole, or it is what was there before.
    with (
        breaking_server([BROKEN] * 4) as url,
        Client(url, pause=pauses) as opened,
        pytest.raises(ServiceUnreachableError),
    ):
        opened.save_bulk_rows("job", target)
    assert (target.read_text(), len(pauses)) == ("before", 3)
    with breaking_server([BROKEN, WHOLE]) as url, Client(url, pause=pauses) as opened:
        opened.save_bulk_rows("job", target)
    assert target.read_bytes() == b'{"pair_id": 1}\n'
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_a_broken_answer_is_told_to_coroutines_too() -> None:
    async def use(url: str) -> Any:
        async with AsyncClient(url) as opened:
            rows = opened.iterate_bulk_rows("job")
            first = await anext(rows)
            with pytest.raises(ServiceUnreachableError):
                await anext(rows)
        return first

    with breaking_server([BROKEN]) as url:
        assert asyncio.run(use(url)) == {"pair_id": 1}


@pytest.mark.parametrize("line", [b"no JSON\n", b"[1]\n", b"\xff\n"])
def test_a_line_that_is_no_row_is_a_foreign_answer(line: bytes) -> None:
    answer = HEAD + b"Content-Length: %d\r\n\r\n" % len(line) + line
    with (
        breaking_server([answer]) as url,
        Client(url) as opened,
        pytest.raises(ServiceFaultError, match="FOREIGN_ANSWER"),
    ):
        opened.bulk_rows("job")
