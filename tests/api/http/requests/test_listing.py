"""Found again: by what is cited and where, page by page, in every form; and what was not asked."""

from __future__ import annotations

import csv
import io
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.wire.verification import AnswerListOut
from spanproof.operations.erasing import erase
from spanproof.operations.replay.verification import ReplayStatus, load_stored, replay
from spanproof.operations.verification.request import Deadline
from tests import sources
from tests.api.conftest import check_problem, context_of, make_answer, post_answer

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

LENGTH = len(sources.SENTENCE)


@pytest.fixture
def answers(client: TestClient, document: dict[str, Any]) -> list[str]:
    """Three answers: two of one name, of which the later one fails; another is a formula."""
    good = make_answer(document, index_version="v7", chunk_id="c-1") | {"answer_id": "a-1"}
    bad = make_answer(document, span={"text": "Nobody ever wrote these words down here."})
    formula = make_answer(document) | {"answer": "=HYPERLINK(1) is replaced [1]."}
    formula["generator"] = {"model": "writer-2"}
    return [
        post_answer(client, each).json()["verification_id"]
        for each in (good, bad | {"answer_id": "a-1"}, formula | {"answer_id": "a-2"})
    ]


def find(client: TestClient, path: str = "/v1/answers", **query: Any) -> list[str]:
    response = client.get(path, params=query)
    assert response.status_code == 200, response.text
    rows = response.json()[path.rpartition("/")[2]]
    return [row["verification_id"] for row in rows]


def test_every_answer_that_cites_a_place_is_found_once(
    client: TestClient, document: dict[str, Any], answers: list[str]
) -> None:
    first, second, third = answers
    doc_hash = document["doc_hash"]
    assert find(client) == [third, second]
    # The newest verification of a-1 found its words nowhere.
    assert find(client, doc_hash=doc_hash, page=1) == [third]
    assert find(client, "/v1/verifications", doc_hash=doc_hash, page=1) == [third, first]
    spans = {
        (0, 1): [third, first],
        (LENGTH - 1, LENGTH): [third, first],
        (LENGTH, LENGTH + 9): [],
        (2**53 - 2, 2**53 - 1): [],
    }
    for (start, end), expected in spans.items():
        query = {"doc_hash": doc_hash, "start": start, "end": end}
        assert find(client, "/v1/verifications", **query) == expected, query
    assert find(client, code="EXISTENCE_ABSENT") == [second]
    assert find(client, generator_model="writer-2") == [third]
    assert find(client, "/v1/verifications", index_version="v7") == [first]
    assert find(client, answer_id="a-1") == [second]
    assert find(client, until="2020-01-01T00:00:00Z") == []
    body = client.get("/v1/answers", params={"doc_hash": doc_hash}).json()
    AnswerListOut.model_validate(body)
    (citation,) = body["answers"][0]["citations"]
    assert (citation["char_start"], citation["char_end"]) == (0, LENGTH)
    assert (citation["pages"], citation["outcome"]) == ([1], "pass")


@pytest.mark.parametrize("name", ["since", "until"])
@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_a_moment_beyond_the_calendar_is_refused(
    shared_client: TestClient, name: str, moment: str
) -> None:
    for path in ("/v1/answers", "/v1/verifications", "/v1/audit/export"):
        response = shared_client.get(path, params={name: moment})
        check_problem(response, 422, "MALFORMED_PARAMETER")
    assert shared_client.get("/", params={name: moment}).status_code == 422


@pytest.mark.parametrize(
    "query",
    ["start=1&end=2", "doc_hash={0}&start=1", "doc_hash={0}&start=2&end=2", "doc_hash={0}&end=2"],
)
@pytest.mark.parametrize("path", ["/v1/answers", "/v1/verifications"])
def test_half_a_span_is_refused(client: TestClient, path: str, query: str) -> None:
    response = client.get(f"{path}?{query.format('sha256:' + '0' * 64)}")
    check_problem(response, 422, "MALFORMED_PARAMETER")


@pytest.mark.parametrize("path", ["/v1/answers", "/v1/verifications"])
def test_a_list_has_the_same_rows_in_every_form(
    client: TestClient, answers: list[str], path: str
) -> None:
    whole = client.get(path).json()[path.rpartition("/")[2]]
    assert len(whole) == 2 + (path == "/v1/verifications")
    lines: list[Any] = []
    url = f"{path}?format=ndjson&limit=1"
    while True:
        page = client.get(url)
        assert page.headers["content-type"] == "application/x-ndjson"
        lines += map(json.loads, page.text.splitlines())
        if "link" not in page.headers:
            break
        url, _, relation = page.headers["link"].partition("; ")
        assert relation == 'rel="next"'
        url = url[1:-1]
    assert lines == whole
    table = client.get(f"{path}?format=csv")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert [row["verification_id"] for row in rows] == [row["verification_id"] for row in whole]
    assert rows[0]["verification_id"] == answers[2]
    assert rows[0]["excerpt"] == "'=HYPERLINK(1) is replaced [1]."
    check_problem(client.get(f"{path}?format=xml"), 422, "MALFORMED_PARAMETER")
    other = client.get(f"{path}?limit=1").json()["next_cursor"]
    changed = client.get(path, params={"cursor": other, "answer_id": "a-1"})
    check_problem(changed, 422, "MALFORMED_INPUT")


def test_the_console_has_the_same_filters(
    client: TestClient, document: dict[str, Any], answers: list[str]
) -> None:
    doc_hash = document["doc_hash"]
    shown = client.get(f"/?doc_hash={doc_hash}&start=0&end=1&index_version=v7").text
    assert f"/answers/{answers[0]}" in shown
    assert f"/answers/{answers[2]}" not in shown
    assert 'value="v7"' in shown
    shown = client.get("/?generator_model=writer-2&answer_id=a-2").text
    assert f"/answers/{answers[2]}" in shown
    assert f"/answers/{answers[0]}" not in shown
    for wrong in ("start=1&end=2", f"doc_hash={doc_hash}&start=x&end=2"):
        refused = client.get(f"/?{wrong}")
        assert refused.status_code == 422
        assert "start below end" in refused.text


def test_a_mechanical_verdict_asks_no_model_and_is_no_pass(
    client: TestClient, document: dict[str, Any]
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError

    model = context_of(client).model
    model.judge = model.confirm = fail  # type: ignore[method-assign, assignment]
    raw = json.dumps(make_answer(document)).encode()
    body = client.post("/v1/verifications?mode=mechanical", content=raw).json()
    block = body["verification"]
    (verdict,) = block["verdicts"]
    assert (verdict["existence"]["status"], verdict["locator"]["status"]) == ("EXACT", "NOT_GIVEN")
    assert (verdict["support"]["status"], verdict["support"]["reason"]) == ("NOT_RUN", "mechanical")
    assert (verdict["outcome"], block["result"]) == ("error", "error")
    assert block["all_spans_present"] is True
    assert block["all_claims_entailed"] is False
    assert body["receipt"]["dsseEnvelope"]
    # What did fail without a model says so at once.
    absent = make_answer(document, span={"text": "Nobody ever wrote these words down here."})
    raw = json.dumps(absent).encode()
    failed = client.post("/v1/verifications?mode=mechanical", content=raw).json()
    assert failed["verification"]["result"] == "fail"
    context = context_of(client)
    replayed = replay(context, load_stored(context, body["verification_id"]))
    assert replayed.status is ReplayStatus.REPLAYED


def test_what_a_deadline_cuts_off_did_not_run(
    client: TestClient, document: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = json.dumps(make_answer(document)).encode()
    inside = client.post("/v1/verifications?deadline_ms=600000", content=raw).json()
    assert inside["verification"]["result"] == "pass"
    assert "DEADLINE_PASSED" not in inside["verification"]["codes"]
    assert time.monotonic() < (Deadline.of("full", 1000).until or 0.0) < time.monotonic() + 1.0
    past = Deadline(until=time.monotonic())
    monkeypatch.setattr(Deadline, "of", classmethod(lambda *_: past))
    made = client.post("/v1/verifications?deadline_ms=1", content=raw).json()
    block = made["verification"]
    monkeypatch.undo()
    (verdict,) = block["verdicts"]
    assert (verdict["support"]["status"], verdict["support"]["reason"]) == ("NOT_RUN", "deadline")
    assert (verdict["outcome"], block["result"]) == ("error", "error")
    assert block["codes"] == ["DEADLINE_PASSED"]
    context = context_of(client)
    replayed = replay(context, load_stored(context, made["verification_id"]))
    assert replayed.status is ReplayStatus.NOT_CHECKED
    for wrong in ("deadline_ms=0", "deadline_ms=600001", "deadline_ms=x", "mode=quick"):
        response = client.post(f"/v1/verifications?{wrong}", content=raw)
        check_problem(response, 422, "MALFORMED_PARAMETER")


def test_what_is_erased_is_gone_over_http(client: TestClient, document: dict[str, Any]) -> None:
    made = post_answer(client, make_answer(document)).json()["verification_id"]
    erase(context_of(client), "agreement", reason="asked for", with_verifications=True)
    for path in ("", "/source", "/text", "/find?quote=x", "/chunks", "/pages/1.png"):
        gone = client.get(f"/v1/documents/agreement{path}")
        assert "tombstone" in check_problem(gone, 410, "DOCUMENT_ERASED")["hint"]
    put = client.put("/v1/documents", content=sources.make_pdf())
    check_problem(put, 410, "DOCUMENT_ERASED")
    for path in ("", "/feedback"):
        gone = client.get(f"/v1/verifications/{made}{path}")
        check_problem(gone, 410, "VERIFICATION_ERASED")
    assert client.get(f"/v1/verifications/{made}/receipt").status_code == 200
    (row,) = client.get("/v1/verifications").json()["verifications"]
    assert (row["verification_id"], row["excerpt"]) == (made, "")
    assert "VERIFICATION_ERASED" in client.get("/").text
