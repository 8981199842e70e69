"""Jobs over HTTP: 202 with a resource, its events, its cancelling; webhooks; nothing half-told."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.jobs import KINDS
from tests.api.conftest import context_of, run_client
from tests.operations.jobs import kinds
from tests.sources import make_encrypted_pdf, make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi.testclient import TestClient

    from spanproof.ingest.sandbox import Parser

QUOTE = "Defective goods are replaced within four business days"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[TestClient]:
    """One application for the module: starting what runs jobs takes a while."""
    from spanproof.operations.settings import Settings

    known = dict(KINDS)
    kinds.register()
    settings = Settings(
        home=tmp_path_factory.mktemp("served") / "home",
        model=None,
        cross_check_rate=0.0,
        job_beat_seconds=0.5,
        webhook_private=True,
    )
    with run_client(settings, parser=warm_parser) as client:
        put = client.put("/v1/documents", params={"doc_id": "agreement"}, content=make_pdf())
        assert put.status_code == 201
        yield client
        kinds.GATE.set()
    KINDS.clear()
    KINDS.update(known)


def make_answer(number: int = 1) -> dict[str, Any]:
    """An answer of one citation."""
    return {
        "answer_id": f"a{number}",
        "answer": "Goods are replaced within four business days [1].",
        "citations": [{"anchor": 1, "doc_id": "agreement", "span": {"text": QUOTE}}],
    }


def wait_until_over(client: TestClient, path: str) -> dict[str, Any]:
    """The job once it is over, by polling as a caller does."""
    deadline = time.monotonic() + 60
    while True:
        response = client.get(path)
        assert response.status_code == 200, response.text
        job: dict[str, Any] = response.json()
        if job["state"] in {"done", "failed", "cancelled"}:
            assert "Retry-After" not in response.headers
            return job
        assert response.headers["Retry-After"] == "1"
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_answer_is_verified_in_the_background(served: TestClient) -> None:
    response = served.post("/v1/verifications?mode=async", json=make_answer())
    assert response.status_code == 202, response.text
    path = response.headers["Location"]
    assert path == f"/v1/jobs/{response.json()['job_id']}"
    job = wait_until_over(served, path)
    assert job["state"] == "done"
    (row,) = job["result"]["verifications"]
    kept = served.get(f"/v1/verifications/{row['verification_id']}").json()
    assert kept["verification"]["result"] == row["result"]
    assert kept["answer_id"] == "a1"
    assert kept["receipt"] is not None


def test_an_array_is_a_job_and_a_malformed_answer_stops_no_other(served: TestClient) -> None:
    batch = [make_answer(2), {"answer": 5}, make_answer(3)]
    response = served.post("/v1/verifications", json=batch)
    assert response.status_code == 202
    job = wait_until_over(served, response.headers["Location"])
    assert job["progress"] == {"done": 3, "total": 3}
    first, second, third = job["result"]["verifications"]
    assert second["problem"]["code"] == "MALFORMED_ANSWER"
    assert second["verification_id"] is None
    assert first["verification_id"] != third["verification_id"]
    assert {first["problem"], third["problem"]} == {None}


@pytest.mark.parametrize("body", [b"[", b"[]", b"{}", b"null", b"", b"[1,]"])
def test_what_is_malformed_is_told_at_once(served: TestClient, body: bytes) -> None:
    response = served.post("/v1/verifications?mode=async", content=body)
    assert response.status_code == 422
    assert response.json()["code"] == "MALFORMED_ANSWER"


def test_a_document_is_read_in_the_background(served: TestClient) -> None:
    content = make_pdf("Other words than those of before.")
    response = served.put("/v1/documents?mode=async&doc_id=other", content=content)
    assert response.status_code == 202
    job = wait_until_over(served, response.headers["Location"])
    assert job["kind"] == "ingest"
    assert job["result"]["doc_id"] == "other"
    assert served.get("/v1/documents/other").status_code == 200
    refused = served.put("/v1/documents?mode=async", content=make_encrypted_pdf())
    problem = wait_until_over(served, refused.headers["Location"])["problem"]
    assert problem["code"] == "DOCUMENT_ENCRYPTED"


def read_events(text: str) -> list[dict[str, str]]:
    """The events of a stream: their fields by name."""
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]


def test_a_job_is_followed_to_its_end_and_taken_up_again(served: TestClient) -> None:
    kinds.GATE.clear()
    job = context_of(served).jobs.start("gated", {})
    path = f"/v1/jobs/{job.job_id}/events"
    deadline = time.monotonic() + 30
    while not context_of(served).jobs.find(job.job_id).progress.done:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    kinds.GATE.set()
    response = served.get(path)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = read_events(response.text)
    assert events[-1]["event"] == "done"
    assert json.loads(events[-1]["data"])["state"] == "done"
    assert len({event["id"] for event in events}) == len(events)
    again = served.get(path, headers={"Last-Event-ID": events[-1]["id"]})
    assert read_events(again.text) == []
    late = served.get(path, headers={"Last-Event-ID": "no such event"})
    assert read_events(late.text) == events[-1:]
    assert served.get("/v1/jobs/none/events").status_code == 404


def test_a_job_is_cancelled_once_and_one_that_is_over_is_not(served: TestClient) -> None:
    kinds.GATE.clear()
    job_id = context_of(served).jobs.start("gated", {}).job_id
    cancelled = served.post(f"/v1/jobs/{job_id}/cancel")
    assert cancelled.status_code == 200
    assert cancelled.json()["state"] == "cancelled"
    assert cancelled.json()["problem"]["code"] == "JOB_CANCELLED"
    assert served.post(f"/v1/jobs/{job_id}/cancel").json()["state"] == "cancelled"
    kinds.GATE.set()
    over = context_of(served).jobs.start("counted", {"name": "over"}).job_id
    wait_until_over(served, f"/v1/jobs/{over}")
    refused = served.post(f"/v1/jobs/{over}/cancel")
    assert (refused.status_code, refused.json()["code"]) == (409, "JOB_FINISHED")
    for method, path in (("GET", "/v1/jobs/none"), ("POST", "/v1/jobs/none/cancel")):
        unknown = served.request(method, path)
        assert (unknown.status_code, unknown.json()["code"]) == (404, "JOB_NOT_FOUND")


def test_jobs_are_listed_by_state_and_kind(served: TestClient) -> None:
    job = context_of(served).jobs.start("counted", {"name": "listed"})
    wait_until_over(served, f"/v1/jobs/{job.job_id}")
    page = served.get("/v1/jobs?kind=counted&state=done&limit=1").json()
    assert page["jobs"][0]["job_id"] == job.job_id
    assert served.get("/v1/jobs?state=gone").status_code == 422
    assert served.get("/v1/jobs?cursor=x").status_code == 422


def test_webhooks_are_made_listed_and_removed(served: TestClient) -> None:
    made = served.post("/v1/webhooks", json={"url": "https://hooks.example.org/in"})
    assert made.status_code == 201
    webhook_id, secret = made.json()["webhook_id"], made.json()["secret"]
    assert secret.startswith("whsec_")
    listed = served.get("/v1/webhooks")
    assert [each["webhook_id"] for each in listed.json()["webhooks"]] == [webhook_id]
    assert secret not in listed.text
    rotated = served.post(f"/v1/webhooks/{webhook_id}/rotate").json()
    assert rotated["secret"] != secret
    assert served.post(f"/v1/webhooks/{webhook_id}/enable").json()["state"] == "enabled"
    assert served.get(f"/v1/webhooks/{webhook_id}/deliveries").json() == {"tries": []}
    path = f"/v1/webhooks/{webhook_id}/messages/msg_{'0' * 32}/replay"
    assert served.post(path).json()["code"] == "WEBHOOK_NOT_FOUND"
    assert served.delete(f"/v1/webhooks/{webhook_id}").status_code == 204
    assert served.delete(f"/v1/webhooks/{webhook_id}").status_code == 404
    wrong = served.post("/v1/webhooks", json={"url": "ftp://x/"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "MALFORMED_ADDRESS")
