"""Jobs that requests start: drift, re-verification, bulk verification, registration."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import time
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from spanproof.core.digest import Digest
from spanproof.operations.settings import Settings
from tests.api.conftest import check_problem, context_of, run_client
from tests.api.http.routes.test_indexes import make_row, to_lines
from tests.api.http.routes.test_jobs import read_events, wait_until_over
from tests.databases import HOMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi.testclient import TestClient

SENTENCES = ("Goods are replaced within four days.", "Invoices are paid at once.")
TEXT = " ".join(SENTENCES)
HASH = str(Digest.of(TEXT.encode()))
ABSENT = str(Digest.of(b"nothing"))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One application for the module: starting what runs jobs takes a while."""
    home = tmp_path_factory.mktemp("started") / "home"
    settings = Settings(
        home=home,
        database_url=HOMES.find(home),
        model=None,
        test_data=None,
        max_bulk_bytes=200_000,
        max_manifest_rows=50,
        job_beat_seconds=0.5,
    )
    with run_client(settings) as client:
        put = client.put(
            "/v1/documents", content=TEXT.encode(), headers={"Content-Type": "text/plain"}
        )
        assert put.status_code == 201
        yield client


def register(client: TestClient, name: str, version: str, *rows: dict[str, Any]) -> None:
    path = f"/v1/indexes/{name}/versions"
    made = client.post(path, params={"version": version}, content=to_lines(*rows))
    assert made.status_code == 201, made.text


def verify(client: TestClient, chunk_id: str, sentence: str, version: str) -> str:
    start = TEXT.index(sentence)
    span = {"text": sentence, "char_start": start, "char_end": start + len(sentence)}
    citation = {"anchor": 1, "doc_hash": HASH, "chunk_id": chunk_id, "index_version": version}
    answer = {"answer": f"{sentence} [1].", "citations": [citation | {"span": span}]}
    made = client.post("/v1/verifications", json=answer)
    assert made.status_code == 200, made.text
    return str(made.json()["verification_id"])


def follow(client: TestClient, response: Any) -> dict[str, Any]:
    assert response.status_code == 202, response.text
    assert response.headers["Location"] == f"/v1/jobs/{response.json()['job_id']}"
    return wait_until_over(client, response.headers["Location"])


def make_pair(number: int, **given: Any) -> dict[str, Any]:
    pair = {
        "pair_id": number,
        "doc_hash": HASH,
        "char_start": 0,
        "char_end": len(SENTENCES[0]),
        "span_text": SENTENCES[0],
        "claim": "Goods are replaced.",
    }
    return pair | given


def test_drift_is_checked_and_what_it_touched_verified_again(client: TestClient) -> None:
    kept, lost = (
        verify(client, name, sentence, "d1") for name, sentence in zip("ab", SENTENCES, strict=True)
    )
    rows = [make_row(name, name, doc_hash=HASH) for name in "ab"]
    register(client, "drifting", "d1", *rows)
    register(client, "drifting", "d2", rows[0], make_row("b", "other words", doc_hash=HASH))
    wanted = {"index": "drifting", "budget": 0.5}
    job = follow(client, client.post("/v1/drift-checks", json=wanted))
    assert (job["kind"], job["state"]) == ("drift", "done")
    report = job["result"]
    assert report["citations"]["reassigned"] == 1
    assert (report["from"], report["to"]) == ("d1", "d2")
    assert (report["budget"], report["over_budget"]) == (0.5, False)
    # The other way round nothing is lost of what names d2, and a chunk is.
    back = {"index": "drifting", "from": "d2", "to": "d1", "budget": 0.0}
    assert follow(client, client.post("/v1/drift-checks", json=back))["result"]["over_budget"]

    again = {"index": "drifting", "from": "d1", "to": "d2"}
    started = client.post("/v1/reverifications", json=again)
    job = follow(client, started)
    (item,) = job["result"]["verifications"]
    assert (item["before"], item["problem"]) == (lost, None)
    assert item["verification_id"] not in {kept, lost}
    assert client.get(f"/v1/verifications/{item['verification_id']}").json()["receipt"]
    events = read_events(client.get(f"{started.headers['Location']}/events").text)
    assert events[-1]["event"] == "done"


def test_citations_are_looked_for_in_another_extraction(client: TestClient) -> None:
    verify(client, "x", SENTENCES[0], "e1")
    (extraction,) = context_of(client).store.documents.extractions_of(Digest.parse(HASH))
    wanted = {"from_extraction": str(extraction), "to_extraction": str(extraction)}
    result = follow(client, client.post("/v1/drift-checks", json=wanted))["result"]
    assert result["citations"] == result["accepted"] == result["recorded"] > 0
    assert (result["over_budget"], result["budget"]) == (False, 0.001)
    # Each citation has its row: the same again adds none.
    again = follow(client, client.post("/v1/drift-checks", json=wanted))["result"]
    assert again == result | {"recorded": 0}


BAD_CHECKS = {
    "no JSON": (b"{", 422, "MALFORMED_ANSWER"),
    "an array": (b"[]", 422, "MALFORMED_PARAMETER"),
    "nothing": ({}, 422, "MALFORMED_PARAMETER"),
    "a strange field": ({"index": "x", "path": "/etc/passwd"}, 422, "MALFORMED_PARAMETER"),
    "half a pair": ({"index": "x", "from": "1"}, 422, "MALFORMED_PARAMETER"),
    "both": (
        {"index": "x", "from_extraction": ABSENT, "to_extraction": ABSENT},
        422,
        "MALFORMED_PARAMETER",
    ),
    "one extraction": ({"from_extraction": ABSENT}, 422, "MALFORMED_PARAMETER"),
    "no hash": ({"from_extraction": "x", "to_extraction": "y"}, 422, "MALFORMED_PARAMETER"),
    "a budget": ({"index": "x", "budget": 1.5}, 422, "MALFORMED_PARAMETER"),
    "a budget in words": ({"index": "x", "budget": "1"}, 422, "MALFORMED_PARAMETER"),
    "no such index": ({"index": "x"}, 404, "INDEX_NOT_FOUND"),
    "no such version": ({"index": "x", "from": "1", "to": "2"}, 404, "INDEX_NOT_FOUND"),
    "no such extraction": (
        {"from_extraction": ABSENT, "to_extraction": ABSENT},
        404,
        "EXTRACTION_NOT_FOUND",
    ),
}


@pytest.mark.parametrize("name", BAD_CHECKS)
def test_what_cannot_be_checked_is_told_at_once(client: TestClient, name: str) -> None:
    body, status, code = BAD_CHECKS[name]
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    before = len(client.get("/v1/jobs?limit=200").json()["jobs"])
    check_problem(client.post("/v1/drift-checks", content=content), status, code)
    if "extraction" not in content.decode():
        is_own = name not in {"a budget", "a budget in words"}
        wanted = (status, code) if is_own else (422, "MALFORMED_PARAMETER")
        check_problem(client.post("/v1/reverifications", content=content), *wanted)
    assert len(client.get("/v1/jobs?limit=200").json()["jobs"]) == before


def test_pairs_are_verified_from_lines_and_given_back(client: TestClient) -> None:
    pairs = [make_pair(number) for number in range(1_003)]
    pairs[7] |= {"char_start": None, "char_end": None, "span_text": "words that stand nowhere"}
    # Beside what is needed: further fields, an empty line, none at the end of the last.
    content = b"\n".join(json.dumps(pair | {"more": 1}).encode() for pair in pairs[:500])
    content += b"\n\n" + to_lines(*pairs[500:])[:-1]
    assert len(content) > 200_000
    check_problem(client.post("/v1/bulk-verifications", content=content), 413, "BULK_TOO_LARGE")
    table = pa.Table.from_pylist(pairs)
    packed = io.BytesIO()
    parquet.write_table(table, packed)
    started = client.post("/v1/bulk-verifications", content=packed.getvalue())
    job = follow(client, started)
    assert job["progress"] == {"done": 1_003, "total": 1_003}
    assert job["result"]["outcomes"] == {"fail": 1, "pass": 1_002}
    path = f"/v1/bulk-verifications/{job['job_id']}/rows"
    lines = client.get(path)
    assert lines.headers["content-type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in lines.text.splitlines()]
    assert [row["pair_id"] for row in rows] == list(range(1_003))
    assert {row["existence_status"] for row in rows if row["outcome"] == "pass"} == {"EXACT"}
    columns = client.get(path, params={"format": "parquet"})
    assert columns.headers["content-type"] == "application/vnd.apache.parquet"
    read = parquet.read_table(io.BytesIO(columns.content))
    assert read.to_pylist() == rows
    assert b"spanproof.labels" in read.schema.metadata
    # The same as lines, in a job of its own, comes to the same verdicts; its input is gone after.
    some = content[: content.index(b'"pair_id": 300,') - 1]
    made = follow(client, client.post("/v1/bulk-verifications", content=some))
    assert made["result"]["rows"] == 300
    again = client.get(f"/v1/bulk-verifications/{made['job_id']}/rows").text
    assert [json.loads(line) for line in again.splitlines()] == rows[:300]
    folder = context_of(client).jobs.outputs.path(made["job_id"])
    assert [each.name for each in folder.iterdir()] == ["rows"]


BAD_BODIES = {
    "nothing": b"",
    "a list": b"[1]",
    "a form": b"------x\r\nContent-Disposition: form-data\r\n\r\n",
}
#: What only reading it all shows.
BAD_ROWS = {
    "cut off": to_lines(make_pair(1))[:-9],
    "a list later": to_lines(make_pair(1)) + b"[]\n",
    "no bytes of text": to_lines(make_pair(1)) + b'{"pair_id": "\xff"}',
    "half a surrogate": to_lines(make_pair(1, claim="\ud800")),
    "a truth for a number": to_lines(make_pair(1, char_start=True)),
    "a huge number": to_lines(make_pair(2**63)),
    "text among numbers": to_lines(make_pair(1), make_pair(2, pair_id="2")),
    "an id twice": to_lines(make_pair(1), make_pair(1)),
    "no claim": to_lines(make_pair(1, claim=None)),
    "no hash": to_lines(make_pair(1, doc_hash="3f")),
    "nested too deep": b'{"pair_id": ' + b"[" * 100_000,
    "broken Parquet": b"PAR1 and no more",
    "white space": b"{\n",
}


@pytest.mark.parametrize("name", BAD_BODIES)
def test_what_is_no_file_of_pairs_is_told_at_once(client: TestClient, name: str) -> None:
    response = client.post("/v1/bulk-verifications", content=BAD_BODIES[name])
    check_problem(response, 422, "MALFORMED_BULK")


def test_rows_that_are_none_end_their_job(client: TestClient) -> None:
    started = {
        name: client.post("/v1/bulk-verifications", content=content)
        for name, content in BAD_ROWS.items()
    }
    for name, response in started.items():
        job = follow(client, response)
        assert (job["state"], job["problem"]["code"]) == ("failed", "MALFORMED_BULK"), (name, job)
        rows = client.get(f"/v1/bulk-verifications/{job['job_id']}/rows")
        check_problem(rows, 409, "JOB_UNFINISHED")


def test_what_is_wrong_beside_the_body_starts_nothing(client: TestClient) -> None:
    body = to_lines(make_pair(1))
    path = "/v1/bulk-verifications"
    check_problem(client.post(f"{path}?policy=lax", content=body), 422, "UNKNOWN_POLICY")
    check_problem(client.post(f"{path}?path=/etc/passwd", content=body), 422, "MALFORMED_PARAMETER")
    coded = client.post(path, content=body, headers={"Content-Encoding": "gzip"})
    check_problem(coded, 422, "UNSUPPORTED_MEDIA_TYPE")
    wrong = base64.b64encode(hashlib.sha256(b"").digest()).decode()
    field = {"Content-Digest": f"sha-256=:{wrong}:"}
    check_problem(client.post(path, content=body, headers=field), 422, "DIGEST_MISMATCH")
    check_problem(client.get(f"{path}/none/rows"), 404, "JOB_NOT_FOUND")
    other = context_of(client).jobs.start("drift", {"index": "none"})
    check_problem(client.get(f"{path}/{other.job_id}/rows"), 404, "JOB_NOT_FOUND")


def test_rows_that_were_lost_are_no_answer(client: TestClient) -> None:
    job = follow(client, client.post("/v1/bulk-verifications", content=to_lines(make_pair(1))))
    path = f"/v1/bulk-verifications/{job['job_id']}/rows"
    assert client.get(path).status_code == 200
    context_of(client).jobs.outputs.remove(job["job_id"])
    assert client.get(path).status_code == 500


def test_a_manifest_is_registered_by_a_job(client: TestClient) -> None:
    content = to_lines(*(make_row(name, name) for name in "abc"))
    path = "/v1/indexes/queued/versions"
    started = client.post(path, params={"version": "v1", "mode": "async"}, content=content)
    job = follow(client, started)
    assert (job["kind"], job["progress"]) == ("index_registration", {"done": 3, "total": 3})
    assert job["result"]["is_new"] is True
    listed = client.get(path).json()["versions"]
    assert [{**each, "is_new": True} for each in listed] == [job["result"]]
    # By the header too; the same again is none that is new.
    preferred = {"Prefer": "return=minimal, Respond-Async; wait=5"}
    started = client.post(path, params={"version": "v1"}, content=content, headers=preferred)
    assert started.headers["Preference-Applied"] == "respond-async"
    assert follow(client, started)["result"] == job["result"] | {"is_new": False}
    other = client.post(path, params={"version": "v1"}, content=content + content)
    check_problem(other, 409, "CONFLICT")
    malformed = {
        "CONFLICT": to_lines(make_row("d", "d")),
        "MALFORMED_MANIFEST": content + b"[]\n",
        "MANIFEST_TOO_LARGE": to_lines(*(make_row(str(n), "x") for n in range(51))),
    }
    for code, body in malformed.items():
        version = "v1" if code == "CONFLICT" else "v2"
        query = {"version": version, "mode": "async"}
        problem = follow(client, client.post(path, params=query, content=body))["problem"]
        assert problem["code"] == code
    assert len(client.get(path).json()["versions"]) == 1


@pytest.mark.parametrize("route", ["drift-checks", "reverifications", "bulk", "index"])
def test_one_key_starts_one_job(client: TestClient, route: str) -> None:
    if route in {"drift-checks", "reverifications"}:
        register(client, f"once-{route}", "v1", make_row("a", "a"))
        register(client, f"once-{route}", "v2", make_row("a", "b"))
        path, content = f"/v1/{route}", json.dumps({"index": f"once-{route}"}).encode()
    elif route == "bulk":
        path, content = "/v1/bulk-verifications", to_lines(make_pair(1))
    else:
        path = "/v1/indexes/once/versions?version=v1&mode=async"
        content = to_lines(make_row("a", "a"))
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    first = client.post(path, content=content, headers=headers)
    again = client.post(path, content=content, headers=headers)
    assert first.status_code == again.status_code == 202, again.text
    assert first.json()["job_id"] == again.json()["job_id"]
    replayed = [each.headers["Idempotency-Replayed"] for each in (first, again)]
    assert replayed == ["false", "true"]
    other = client.post(path, content=content + b" ", headers=headers)
    check_problem(other, 422, "IDEMPOTENCY_KEY_REUSED")
    assert follow(client, first)["state"] == "done"


def test_a_bulk_verification_is_stopped_between_its_parts(client: TestClient) -> None:
    pairs = [make_pair(number, claim=f"Goods number {number}.") for number in range(4_000)]
    packed = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(pairs), packed)
    started = client.post("/v1/bulk-verifications", content=packed.getvalue())
    path = started.headers["Location"]
    stopped = client.post(f"{path}/cancel")
    assert stopped.status_code == 200, stopped.text
    assert stopped.json()["state"] == "cancelled"
    deadline = time.monotonic() + 60
    folder = context_of(client).jobs.outputs.path(started.json()["job_id"])
    while any(folder.glob(".given-*")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    rows = client.get(f"/v1/bulk-verifications/{started.json()['job_id']}/rows")
    check_problem(rows, 409, "JOB_UNFINISHED")
