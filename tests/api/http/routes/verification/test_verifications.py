from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.wire.verification import VerificationListOut, VerificationOut
from tests import sources
from tests.api.conftest import check_problem, context_of, make_answer, post_answer

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def test_an_answer_comes_back_with_its_block(client: TestClient, document: dict[str, Any]) -> None:
    answer = make_answer(document) | {"labels": {"team": "legal"}, "own": [1, 2.5, None]}
    response = post_answer(client, answer)
    assert response.status_code == 200, response.text
    body = response.json()
    VerificationOut.model_validate(body)
    assert {name: body[name] for name in answer} == answer
    block = body["verification"]
    assert block["result"] == "pass"
    assert block["all_spans_present"] is True
    (verdict,) = block["verdicts"]
    assert verdict["identity"]["status"] == "MATCH"
    assert verdict["existence"]["status"] == "EXACT"
    assert verdict["view_url"] == (
        f"/view/{document['doc_hash']}/{document['extraction_id']}/0/{len(sources.SENTENCE)}"
    )
    assert client.get(verdict["view_url"]).status_code == 200


def test_what_is_kept_is_what_was_answered(client: TestClient, document: dict[str, Any]) -> None:
    raw = b"\xef\xbb\xbf" + json.dumps(make_answer(document), indent=3).encode()
    response = client.post("/v1/verifications", content=raw)
    body = response.json()
    again = client.get(response.headers["content-location"])
    assert again.json() == body
    stored = context_of(client).store.answers.load(body["verification_id"])
    assert stored.raw == raw
    assert stored.answer_id == body["answer_id"]


def test_the_callers_answer_id_is_kept_and_each_verification_has_its_own(
    client: TestClient, document: dict[str, Any]
) -> None:
    answer = make_answer(document) | {"answer_id": "a-1"}
    bodies = [post_answer(client, answer).json() for _ in range(2)]
    assert {body["answer_id"] for body in bodies} == {"a-1"}
    assert len({body["verification_id"] for body in bodies}) == 2
    listed = client.get("/v1/verifications?answer_id=a-1").json()["verifications"]
    assert len(listed) == 2


def test_a_document_named_by_id_alone_is_found(
    client: TestClient, document: dict[str, Any]
) -> None:
    answer = make_answer(document)
    del answer["citations"][0]["doc_hash"]
    answer["citations"][0]["doc_id"] = document["doc_id"]
    (verdict,) = post_answer(client, answer).json()["verification"]["verdicts"]
    assert verdict["identity"]["doc_hash"] == document["doc_hash"]
    assert any("HASH_NOT_GIVEN" in code for code in verdict["codes"])


def test_a_quote_of_another_supplied_document_is_misattributed(
    client: TestClient, document: dict[str, Any]
) -> None:
    other = client.put("/v1/documents", content=b"The moon is made of stone.").json()
    answer = make_answer(document, doc_hash=other["doc_hash"])
    answer["documents"] = [document["doc_id"]]
    (verdict,) = post_answer(client, answer).json()["verification"]["verdicts"]
    assert verdict["existence"]["status"] == "MISATTRIBUTED"
    assert verdict["outcome"] == "fail"


def test_a_document_that_was_not_supplied_is_not_looked_into(
    client: TestClient, document: dict[str, Any]
) -> None:
    other = client.put("/v1/documents", content=b"The moon is made of stone.").json()
    answer = make_answer(document, doc_hash=other["doc_hash"])
    (verdict,) = post_answer(client, answer).json()["verification"]["verdicts"]
    assert verdict["existence"]["status"] == "ABSENT"


def test_the_policy_of_the_query_wins_over_the_answers(
    client: TestClient, document: dict[str, Any]
) -> None:
    answer = json.dumps(make_answer(document) | {"policy": "strict"}).encode()

    def name_of(**params: str) -> str:
        response = client.post("/v1/verifications", params=params, content=answer)
        name: str = response.json()["verification"]["policy"]["name"]
        return name

    assert name_of() == "strict"
    assert name_of(policy="balanced") == "balanced"
    unknown = client.post("/v1/verifications?policy=lenient", content=answer)
    check_problem(unknown, 422, "UNKNOWN_POLICY")
    check_problem(
        client.post("/v1/verifications?format=runes", content=answer), 422, "MALFORMED_INPUT"
    )


def test_lists_are_narrowed_by_every_filter(client: TestClient, document: dict[str, Any]) -> None:
    good = make_answer(document, index_version="v1") | {"generator": {"model": "m-1"}}
    bad = make_answer(document, span={"text": "The moon is made of green cheese and honey."})
    passed = post_answer(client, good).json()
    failed = post_answer(client, bad).json()
    ids = {"passed": passed["verification_id"], "failed": failed["verification_id"]}
    code = failed["verification"]["verdicts"][0]["codes"][-1]
    moment = passed["verification"]["verified_at"]

    def find(**filters: str) -> set[str]:
        response = client.get("/v1/verifications", params=filters)
        assert response.status_code == 200, response.text
        VerificationListOut.model_validate(response.json())
        found = {row["verification_id"] for row in response.json()["verifications"]}
        return {name for name, each in ids.items() if each in found}

    both = {"passed", "failed"}
    assert find() == both
    assert find(doc_hash=document["doc_hash"]) == both
    assert find(doc_hash="sha256:" + "0" * 64) == set()
    assert find(outcome="pass") == {"passed"}
    assert find(result="fail") == {"failed"}
    assert find(code="EXISTENCE_ABSENT") == {"failed"}
    assert find(code="NO_SUCH_CODE") == set()
    assert "failed" in find(code=code)
    assert find(generator_model="m-1") == {"passed"}
    assert find(index_version="v1") == {"passed"}
    assert find(page="1") == {"passed"}
    assert find(page="2") == set()
    assert find(since=moment) == both
    assert find(until="2001-01-01T00:00:00Z") == set()
    assert find(since="2001-01-01") == both


def test_lists_are_read_page_by_page(client: TestClient, document: dict[str, Any]) -> None:
    made = [post_answer(client, make_answer(document)).json() for _ in range(5)]
    found: list[str] = []
    cursor: str | None = None
    while True:
        params = {"limit": "2"} | ({} if cursor is None else {"cursor": cursor})
        page = client.get("/v1/verifications", params=params).json()
        found += [row["verification_id"] for row in page["verifications"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
        other = client.get("/v1/verifications", params={"cursor": cursor, "result": "fail"})
        check_problem(other, 422, "MALFORMED_INPUT")
    assert sorted(found) == sorted(body["verification_id"] for body in made)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("doc_hash=sha256:00", "MALFORMED_DIGEST"),
        ("outcome=great", "MALFORMED_PARAMETER"),
        ("since=yesterday", "MALFORMED_PARAMETER"),
        ("page=0", "MALFORMED_PARAMETER"),
        ("limit=0", "MALFORMED_PARAMETER"),
        ("limit=201", "MALFORMED_PARAMETER"),
        ("cursor=%20", "MALFORMED_INPUT"),
    ],
)
def test_a_bad_filter_is_a_problem(client: TestClient, query: str, code: str) -> None:
    check_problem(client.get(f"/v1/verifications?{query}"), 422, code)


@pytest.mark.parametrize("name", ["nothing", "%00", "0" * 3000])
def test_an_unknown_verification_is_a_problem(client: TestClient, name: str) -> None:
    check_problem(client.get(f"/v1/verifications/{name}"), 404, "VERIFICATION_NOT_FOUND")
