"""A query parameter that a route does not declare is refused, on every route under /v1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.api.conftest import check_problem, make_answer, post_answer
from tests.api.http.described import describe_service

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

PATHS: dict[str, dict[str, Any]] = describe_service()["paths"]
OPERATIONS = sorted(
    (method, path) for path, item in PATHS.items() for method in item if path.startswith("/v1/")
)


def _call(client: TestClient, method: str, path: str, query: str) -> Any:
    values = {"{ref}": "agreement", "{page}": "1", "{verification_id}": "v"}
    for name, value in values.items():
        path = path.replace(name, value)
    return client.request(method, f"{path}?{query}")


def _query_names(method: str, path: str) -> list[str]:
    parameters = PATHS[path][method].get("parameters", [])
    return [each["name"] for each in parameters if each["in"] == "query"]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_an_undeclared_parameter_is_refused_and_the_declared_are_named(
    shared_client: TestClient, method: str, path: str
) -> None:
    response = _call(shared_client, method, path, "bogus=1")
    problem = check_problem(response, 422, "MALFORMED_PARAMETER")
    (field,) = problem["errors"]
    names = _query_names(method, path)
    assert field["pointer"] == "/query/bogus"
    assert field["got"] == "'bogus'"
    assert field["expected"] == (f"one of {', '.join(names)}" if names else "no query parameter")
    assert problem["detail"] == f"Expected {field['expected']} at /query/bogus, got 'bogus'."


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_a_declared_parameter_is_never_called_unknown(
    shared_client: TestClient, method: str, path: str
) -> None:
    for name in _query_names(method, path):
        problem = _call(shared_client, method, path, f"{name}=1").json()
        for field in problem.get("errors", []):
            assert not field["expected"].startswith(("one of", "no query")), name


def test_a_typo_does_not_widen_a_list(client: TestClient, document: dict[str, Any]) -> None:
    assert post_answer(client, make_answer(document)).status_code == 200
    assert client.get("/v1/verifications?outcome=fail").json()["verifications"] == []
    problem = check_problem(
        client.get("/v1/verifications?outcom=fail&pgae=2"), 422, "MALFORMED_PARAMETER"
    )
    assert [field["pointer"] for field in problem["errors"]] == ["/query/outcom", "/query/pgae"]
    assert "outcome" in problem["errors"][0]["expected"]


def test_an_unknown_mode_is_refused_and_nothing_is_kept(
    client: TestClient, document: dict[str, Any]
) -> None:
    answer = make_answer(document)
    problem = check_problem(
        client.post("/v1/verifications?mode=fast", json=answer), 422, "MALFORMED_PARAMETER"
    )
    assert problem["errors"][0]["pointer"] == "/query/mode"
    assert client.get("/v1/verifications").json()["verifications"] == []


def test_a_parameter_given_twice_is_refused_where_one_is_read(client: TestClient) -> None:
    problem = check_problem(
        client.get("/v1/verifications?outcome=fail&outcome=pass"), 422, "MALFORMED_PARAMETER"
    )
    assert problem["detail"] == "Expected one value at /query/outcome, got 2 values."


def test_a_parameter_that_may_repeat_may(client: TestClient, document: dict[str, Any]) -> None:
    page = f"/v1/documents/{document['doc_id']}/pages/1.png"
    assert client.get(f"{page}?span=0-3&span=4-9:fail").status_code == 200


def test_a_strange_name_gives_a_pointer_that_can_be_read_back(client: TestClient) -> None:
    response = client.get("/v1/documents", params={"a/b~c" + "x" * 500: "1"})
    problem = check_problem(response, 422, "MALFORMED_PARAMETER")
    (field,) = problem["errors"]
    assert field["pointer"].startswith("/query/a~1b~0cx")
    assert len(field["got"]) <= 80
