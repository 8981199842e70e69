"""Answers of production over HTTP: taken in, counted, shown to people."""

from __future__ import annotations

import itertools
import json
import re
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.wire.sampling import (
    RatesOut,
    ReviewListOut,
    ReviewOut,
    SubmissionListOut,
    SubmissionOut,
)
from spanproof.core.digest import Digest
from spanproof.operations.access.keys import KeyRequest, create_key
from spanproof.operations.sampling.sampler import Sampler
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.store.errors import StoreUnavailableError
from tests.api.conftest import check_problem, context_of, run_client
from tests.conftest import copy_home
from tests.operations.sampling.conftest import BAD, GOOD, TEXT, make_payload, make_settings
from tests.store.examples import add_plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from fastapi.testclient import TestClient

    from spanproof.operations.sampling.submission import Submission
    from spanproof.store.samples.records import SubmittedAnswer

PLAN = {
    "default": 0,
    "strata": [{"name": "watched", "model": "m", "probability": 1}],
    "review": {"flagged": 1, "others": 1},
    "trust_trace_ids": True,
}
WATCHED: dict[str, Any] = {"generator": {"model": "m"}}


@pytest.fixture(scope="module")
def client(migrated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The application with one watched model; nothing runs jobs but the test itself."""
    home = tmp_path_factory.mktemp("monitoring") / "home"
    with run_monitored(copy_home(migrated_home, home)) as one:
        yield one


@pytest.fixture
def own_client(migrated_home: Path, tmp_path: Path) -> Iterator[TestClient]:
    """The same for one test alone: the other tests' queue is as long as before."""
    with run_monitored(copy_home(migrated_home, tmp_path / "home")) as one:
        yield one


@contextmanager
def run_monitored(home: Path) -> Iterator[TestClient]:
    with run_client(make_settings(home, PLAN)) as client:
        context = context_of(client)
        # Who verifies is the test: a worker beside it would come before or after as it likes.
        context.job_system.on_start = None
        add_plain(context.store, TEXT, doc_id="agreement")
        for name, quote in (("good", GOOD), ("bad", BAD), ("a/b?c", GOOD)):
            response = client.post("/v1/answers", content=make_payload(name, quote, **WATCHED))
            assert response.status_code == 202, response.text
        verify_waiting(context)
        yield client


def test_an_answer_is_kept_and_told_what_was_decided(client: TestClient) -> None:
    raw = make_payload("told", GOOD)
    first = client.post("/v1/answers", content=raw)
    assert first.status_code == 202
    body = SubmissionOut.model_validate(first.json())
    assert body.model_dump() == {
        "answer_id": "told",
        "sampled": False,
        "probability": 0.0,
        "stratum": "all",
        "epoch": "epoch-1",
    }
    assert client.post("/v1/answers", content=raw).json() == first.json()
    check_problem(client.post("/v1/answers", content=b" " + raw), 409, "CONFLICT")
    watched = client.post("/v1/answers", content=make_payload("good", GOOD, **WATCHED)).json()
    assert (watched["sampled"], watched["probability"]) == (True, 1.0)


def test_a_providers_payload_is_taken_in_its_format(client: TestClient) -> None:
    payload = {"response": "Goods are replaced [REF:1].", "answer_id": "of-provider"}
    response = client.post("/v1/answers?format=ref", content=json.dumps(payload).encode())
    assert response.status_code == 202, response.text
    kept = context_of(client).store.samples.answers.load(response.json()["answer_id"])
    assert kept.format == "ref"
    large = make_payload("large", GOOD, question="x" * 40_000)
    assert client.post("/v1/answers", content=large).status_code == 202


def test_the_requests_trace_decides_where_the_answer_names_none(client: TestClient) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    headers = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01", "tracestate": "ot=rv:" + "f" * 14}
    raw = make_payload("traced", GOOD)
    assert client.post("/v1/answers", content=raw, headers=headers).status_code == 202
    kept = context_of(client).store.samples.answers.load("traced")
    assert (kept.trace_id, kept.randomness) == (trace, (1 << 56) - 1)


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("/v1/answers", b"{}", "MALFORMED_ANSWER"),
        ("/v1/answers", b"no json", "MALFORMED_ANSWER"),
        ("/v1/answers?format=none", make_payload("x", GOOD), "MALFORMED_INPUT"),
        ("/v1/answers?policy=none", make_payload("x", GOOD), "UNKNOWN_POLICY"),
        ("/v1/answers?mode=now", make_payload("x", GOOD), "MALFORMED_PARAMETER"),
    ],
)
def test_what_is_no_answer_is_a_problem(
    client: TestClient, path: str, content: bytes, code: str
) -> None:
    check_problem(client.post(path, content=content), 422, code)


def test_an_array_is_taken_answer_by_answer(client: TestClient) -> None:
    made = [make_payload("one", GOOD), b"{}", make_payload("two", GOOD), make_payload("one", BAD)]
    raw = b"[" + b", ".join(made) + b"]"
    response = client.post("/v1/answer-batches", content=raw)
    assert response.status_code == 202, response.text
    rows = SubmissionListOut.model_validate(response.json()).answers
    assert [row.answer_id for row in rows] == ["one", None, "two", None]
    assert [row.problem and row.problem.code for row in rows] == [
        None,
        "MALFORMED_ANSWER",
        None,
        "CONFLICT",
    ]
    # What is kept of each are the bytes that were sent.
    kept = context_of(client).store.samples.answers.load("two")
    assert kept.payload_digest == Digest.of(make_payload("two", GOOD))
    assert client.post("/v1/answer-batches", content=raw).json() == response.json()
    for wrong in (b"{}", b"[]", b"[", b"[" + b",".join([made[0]] * 257) + b"]"):
        check_problem(client.post("/v1/answer-batches", content=wrong), 422, "MALFORMED_ANSWER")


def test_an_array_for_whose_end_there_is_no_room_keeps_its_beginning(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit, count = Sampler.submit, itertools.count()

    def fill_up(sampler: Sampler, submission: Submission) -> Future[SubmittedAnswer]:
        if next(count):
            raise StoreUnavailableError("Expected room.", hint="Send it again later.")
        return submit(sampler, submission)

    monkeypatch.setattr(Sampler, "submit", fill_up)
    raw = b"[" + b", ".join([make_payload("roomy", GOOD), make_payload("late", GOOD)]) + b"]"
    response = client.post("/v1/answer-batches", content=raw)
    assert response.status_code == 202, response.text
    first, second = response.json()["answers"]
    assert (first["answer_id"], first["problem"]) == ("roomy", None)
    assert second["problem"]["code"] == StoreUnavailableError.code


def test_rates_are_told_by_model(client: TestClient) -> None:
    report = client.get("/v1/rates", params={"by": "model", "stratum": "watched"}).json()
    RatesOut.model_validate(report)
    (group,) = report["groups"]
    assert (group["group"], group["verified"], group["results"]["fail"]) == ("m", 3, 1)
    assert group["judge_flagged"]["method"] == "wilson"
    assert report["alarms"][0]["samples"] == 3
    assert [each["answer_id"] for each in report["incidents"]] == ["bad"]
    assert client.get("/v1/rates?epoch=epoch-9").json()["groups"] == []
    check_problem(client.get("/v1/rates?by=weather"), 422, "MALFORMED_PARAMETER")


def test_two_people_label_an_answer_and_disagree(client: TestClient) -> None:
    queue = ReviewListOut.model_validate(client.get("/v1/reviews").json())
    assert {each.answer_id for each in queue.reviews} == {"good", "bad", "a/b?c"}
    first = client.get("/v1/reviews?limit=1").json()
    assert first["next_after"] == first["reviews"][0]["answer_id"]
    path = "/v1/reviews/a%2Fb%3Fc"
    for reviewer, label in (("ann", "wrong"), ("bob", "correct")):
        given = {"label": label, "reviewer": reviewer, "note": "Page 1."}
        response = client.post(path, content=json.dumps(given).encode())
        assert response.status_code == 200, response.text
        ReviewOut.model_validate(response.json())
    shown = client.get(path).json()
    assert (shown["agreed"], shown["disputed"], len(shown["labels"])) == ("unclear", True, 2)
    assert len(client.get("/v1/reviews").json()["reviews"]) == 2
    assert len(client.get("/v1/reviews?all=true").json()["reviews"]) == 3
    (group,) = client.get("/v1/rates?stratum=watched").json()["groups"]
    assert (group["labelled"], group["true_rate"]["method"]) == (1, "two-phase clopper-pearson")


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"[]", 422, "MALFORMED_INPUT"),
        (b"{", 422, "MALFORMED_INPUT"),
        (b'{"label": "maybe", "reviewer": "ann"}', 422, "MALFORMED_INPUT"),
        (b'{"label": "wrong"}', 422, "MALFORMED_INPUT"),
        (b'{"label": "wrong", "reviewer": "ann", "more": 1}', 422, "MALFORMED_INPUT"),
        (b'{"label": "wrong", "reviewer": "ann", "note": 1}', 422, "MALFORMED_INPUT"),
    ],
)
def test_what_is_no_label_is_a_problem(
    client: TestClient, content: bytes, status: int, code: str
) -> None:
    check_problem(client.post("/v1/reviews/good", content=content), status, code)


def test_an_answer_that_was_not_drawn_is_not_found(client: TestClient) -> None:
    given = b'{"label": "wrong", "reviewer": "ann"}'
    check_problem(client.post("/v1/reviews/nobody", content=given), 404, "NOT_FOUND")
    check_problem(client.get("/v1/reviews/nobody"), 404, "NOT_FOUND")
    check_problem(client.get("/v1/reviews?after=nobody"), 404, "NOT_FOUND")


def test_the_console_takes_a_label_of_a_key_and_hides_the_verdict_before(
    own_client: TestClient,
) -> None:
    client = own_client
    page = client.get("/reviews")
    assert page.status_code == 200
    assert "/reviews/bad" in page.text
    assert "sign in with a key" in page.text
    # Without keys nobody has an identity.
    assert client.get("/reviews/bad").status_code == 409
    now, context = datetime.now(UTC), context_of(client)
    wanted = KeyRequest(scopes=("audit",), expires_at=now + timedelta(hours=1))
    key = create_key(context, context, wanted, now=now)
    client.headers["Authorization"] = f"Bearer {key.text}"
    sheet = client.get("/reviews/bad").text
    assert "verifier flagged" not in sheet
    (field,) = re.findall(r'name="(claim-[0-9-]+)" value="wrong"', sheet)
    form = {field: "wrong", "note": "<b>Not there.</b>", "then": "show"}
    # As a browser sends it: from our own page, and it follows to the page again.
    headers = {"Origin": "http://127.0.0.1"}
    for refused in (
        {},
        {field: "x"},
        {field: "wrong", "claim-0-1": "wrong"},
        {"claim-x-1": "wrong"},
    ):
        assert client.post("/reviews/bad", data=refused, headers=headers).status_code == 422
    done = client.post("/reviews/bad", data=form, headers=headers)
    assert done.status_code == 200
    assert [each.status_code for each in done.history] == [303]
    assert f"key {key.key.key_id}" in done.text
    assert "&lt;b&gt;Not there.&lt;/b&gt;" in done.text
    assert "The verifier flagged this answer" in done.text
    assert client.post("/reviews/bad", data=form, headers=headers).status_code == 409
    assert client.get("/reviews/nobody").status_code == 404
    assert "/reviews/bad" not in client.get("/reviews").text
    assert "/reviews/bad" in client.get("/reviews?all=1").text
    # By API too a key labels as itself.
    named = client.post("/v1/reviews/good", json={"label": "correct", "reviewer": "ann"})
    assert (named.status_code, named.json()["code"]) == (422, "MALFORMED_INPUT")
    said = client.post("/v1/reviews/good", json={"label": "correct"}).json()
    assert [each["reviewer"] for each in said["labels"]] == [f"key {key.key.key_id}"]


def test_the_metrics_tell_of_the_sample(client: TestClient) -> None:
    text = client.get("/metrics").text
    assert 'spanproof_answers_sampled_total{stratum="watched"} 3.0' in text
    assert 'spanproof_budget_log_e_value{stratum="watched"}' in text
    assert "spanproof_sampled_answers_waiting 0.0" in text
