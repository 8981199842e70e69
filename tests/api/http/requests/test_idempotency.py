"""``Idempotency-Key`` where answers are handed in by the array and documents are taken."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from spanproof.operations.settings import Settings
from tests.api.conftest import check_problem, context_of, run_client
from tests.api.http.routes.test_jobs import wait_until_over
from tests.databases import HOMES
from tests.serving import serve_program
from tests.sources import SENTENCE, make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastapi.testclient import TestClient

TEXT = b"Goods are replaced within four days."


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home = tmp_path_factory.mktemp("once") / "home"
    settings = Settings(
        home=home,
        database_url=HOMES.find(home),
        model=None,
        test_data=None,
        job_beat_seconds=0.5,
    )
    with run_client(settings) as client:
        yield client


def send_twice(client: TestClient, method: str, path: str, content: bytes, key: str) -> Any:
    headers = {"Idempotency-Key": key, "Content-Type": "text/plain"}
    answers = [client.request(method, path, content=content, headers=headers) for _ in range(2)]
    replayed = [each.headers["Idempotency-Replayed"] for each in answers]
    assert replayed == ["false", "true"], answers[1].text
    other = client.request(method, path, content=content + b" ", headers=headers)
    check_problem(other, 422, "IDEMPOTENCY_KEY_REUSED")
    return answers


def test_an_array_of_answers_is_handed_in_once(client: TestClient) -> None:
    named = {"answer_id": "mine", "answer": "It is so.", "citations": []}
    content = json.dumps([{"answer": "It is so.", "citations": []}, {"answer": 5}, named]).encode()
    first, second = send_twice(client, "POST", "/v1/answer-batches", content, "batch")
    assert first.status_code == second.status_code == 202
    # The same ids, also of the answer that has none of its own; the same decisions; no row more.
    assert first.json() == second.json()
    rows = first.json()["answers"]
    assert [row["answer_id"] is None for row in rows] == [False, True, False]
    assert rows[2]["answer_id"] == "mine"
    answers = context_of(client).store.samples.answers
    assert len(list(answers.iterate(rows[0]["epoch"]))) == 2
    # Under another key it is another array; what names itself is known all the same.
    again, _ = send_twice(client, "POST", "/v1/answer-batches", content, "another")
    assert again.json()["answers"][0]["answer_id"] != rows[0]["answer_id"]
    assert len(list(answers.iterate(rows[0]["epoch"]))) == 3


@pytest.mark.long
def test_a_document_is_taken_once_by_a_job_or_at_once(client: TestClient) -> None:
    first, second = send_twice(client, "PUT", "/v1/documents?mode=async&doc_id=a", TEXT, "job")
    assert first.status_code == second.status_code == 202
    assert first.json()["job_id"] == second.json()["job_id"]
    job = wait_until_over(client, first.headers["Location"])
    assert job["result"]["doc_id"] == "a"
    first, second = send_twice(client, "PUT", "/v1/documents?doc_id=b", TEXT * 2, "now")
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["doc_hash"] == second.json()["doc_hash"]
    preferred = {"Prefer": "respond-async", "Content-Type": "text/plain"}
    queued = client.put("/v1/documents", content=TEXT, headers=preferred)
    assert (queued.status_code, queued.headers["Preference-Applied"]) == (202, "respond-async")
    assert wait_until_over(client, queued.headers["Location"])["state"] == "done"


@pytest.mark.long
def test_whoever_would_rather_not_wait_gets_a_job(client: TestClient) -> None:
    headers = {"Prefer": "respond-async", "Idempotency-Key": "rather"}
    answer = {"answer": "It is so [1].", "citations": []}
    queued = client.post("/v1/verifications", json=answer, headers=headers)
    assert (queued.status_code, queued.headers["Preference-Applied"]) == (202, "respond-async")
    again = client.post("/v1/verifications", json=answer, headers=headers)
    assert again.json()["job_id"] == queued.json()["job_id"]
    waiting = client.post("/v1/verifications", json=answer, headers={"Idempotency-Key": "rather"})
    check_problem(waiting, 422, "IDEMPOTENCY_KEY_REUSED")
    assert wait_until_over(client, queued.headers["Location"])["state"] == "done"


@pytest.mark.slow
def test_a_thousand_duplicates_at_once_have_one_effect(tmp_path: Path) -> None:
    """A minute: 1,000 connections to a process of its own, each with the same request and key."""
    with serve_program(tmp_path) as address:
        put = httpx.put(f"{address}/v1/documents?doc_id=terms", content=make_pdf(), timeout=60)
        assert put.status_code == 201
        span = {"text": SENTENCE}
        citation = {"anchor": 1, "doc_id": "terms", "span": span}
        answer = {"answer": f"{SENTENCE} [1].", "citations": [citation]}
        answers = asyncio.run(post_at_once(f"{address}/v1/verifications", answer, 1_000))
        by_status = Counter(each.status_code for each in answers)
        sys.stdout.write(f"\n1,000 at once by status: {dict(by_status)}\n")
        # Who came while the first was worked on is told so; who found no place, too.
        assert set(by_status) <= {200, 409, 429}
        assert all(each.headers["Retry-After"] for each in answers if each.status_code == 429)
        found = [each.json() for each in answers if each.status_code == 200]
        assert found
        again = asyncio.run(post_at_once(f"{address}/v1/verifications", answer, 1))[0]
        assert (again.status_code, again.headers["Idempotency-Replayed"]) == (200, "true")
        assert all(each == again.json() for each in found)
        listed = httpx.get(f"{address}/v1/verifications", timeout=60).json()["verifications"]
        assert len(listed) == 1


async def post_at_once(address: str, answer: dict[str, Any], count: int) -> list[httpx.Response]:
    limits = httpx.Limits(max_connections=count)
    headers = {"Idempotency-Key": "the-one"}
    async with httpx.AsyncClient(limits=limits, timeout=300) as client:
        posts = (client.post(address, json=answer, headers=headers) for _ in range(count))
        return list(await asyncio.gather(*posts))
