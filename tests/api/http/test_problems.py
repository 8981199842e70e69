"""Every failure is a problem document (RFC 9457), whatever raised it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import spanproof.core.errors
import spanproof.operations.errors
import spanproof.store.errors
from spanproof.api.http import problems
from spanproof.core.errors import SpanproofError, VerificationFailed
from tests.api.conftest import check_problem

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def _walk(kind: type[SpanproofError]) -> list[type[SpanproofError]]:
    """The errors of the service: the client's own, which other tests load, are not among them."""
    if kind.__module__.startswith("spanproof.client."):
        return []
    return [kind, *(each for child in kind.__subclasses__() for each in _walk(child))]


ALL = [kind for kind in _walk(SpanproofError) if kind is not SpanproofError]


def test_the_walk_meets_all_three_modules() -> None:
    modules = {kind.__module__ for kind in ALL}
    assert {
        spanproof.core.errors.__name__,
        spanproof.operations.errors.__name__,
        spanproof.store.errors.__name__,
    } <= modules


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_has_a_status_and_a_code(kind: type[SpanproofError]) -> None:
    assert 400 <= problems.find_status(kind) < 600
    assert kind.code != SpanproofError.code
    assert kind.code.replace("_", "").isalnum()
    assert kind.code == kind.code.upper()


def test_an_error_outside_the_tree_has_no_status() -> None:
    with pytest.raises(LookupError):
        problems.find_status(SpanproofError)


def test_a_callers_fault_is_never_a_servers_fault() -> None:
    for kind in ALL:
        if issubclass(
            kind, spanproof.core.errors.InputError | spanproof.core.errors.ExtractionError
        ):
            assert problems.find_status(kind) < 500
        if issubclass(kind, spanproof.core.errors.IntegrityError | VerificationFailed):
            assert problems.find_status(kind) == 500


def test_an_unknown_route_is_a_problem(client: TestClient) -> None:
    check_problem(client.get("/v2/nothing"), 404, "NO_SUCH_ROUTE")


def test_a_wrong_method_is_a_problem_that_names_the_right_ones(client: TestClient) -> None:
    response = client.delete("/v1/documents")
    check_problem(response, 405, "METHOD_NOT_ALLOWED")
    assert response.headers["allow"]


def test_a_bad_parameter_names_its_place(client: TestClient) -> None:
    problem = check_problem(client.get("/v1/documents?limit=201"), 422, "MALFORMED_PARAMETER")
    assert problem["errors"][0]["pointer"] == "/query/limit"


def test_a_fault_of_ours_tells_nothing_of_its_cause(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        message = "secret words of a document"
        raise RuntimeError(message)

    monkeypatch.setattr("spanproof.api.http.routes.documents.list_documents", fail)
    response = client.get("/v1/documents")
    check_problem(response, 500, "INTERNAL")
    assert "secret" not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"
    monkeypatch.undo()
    assert client.get("/v1/documents").status_code == 200


def test_the_callers_request_id_is_kept_if_it_can_stand_in_a_log(client: TestClient) -> None:
    kept = client.get("/nowhere", headers={"X-Request-Id": "trace-7.a_b"})
    assert kept.headers["x-request-id"] == kept.json()["request_id"] == "trace-7.a_b"
    for bad in ("a b", "x" * 65, "né".encode().decode("latin-1"), "a;b"):
        response = client.get("/healthz", headers={b"X-Request-Id": bad.encode("latin-1")})
        assert response.headers["x-request-id"] != bad
        assert len(response.headers["x-request-id"]) == 32


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("start=-1&end=3", "a value greater than or equal to 0 at /query/start, got '-1'"),
        ("start=1", "a value at /query/end, got nothing"),
        ("start=a&end=3", "a valid integer at /query/start, got 'a'"),
        ("start=1.5&end=3", "a valid integer at /query/start, got '1.5'"),
        ("start=1&end=", "a valid integer at /query/end, got ''"),
        (
            "start=1&end=2&unit=byte",
            "'codepoint', 'utf16' or 'utf8' at /query/unit, got 'byte'",
        ),
    ],
)
def test_a_bad_parameter_is_told_as_expected_and_got(
    client: TestClient, query: str, detail: str
) -> None:
    response = client.get(f"/v1/documents/agreement/locate?{query}")
    problem = check_problem(response, 422, "MALFORMED_PARAMETER")
    assert problem["detail"] == f"Expected {detail}."
    (field,) = problem["errors"]
    assert field["detail"] == f"Expected {field['expected']}, got {field['got']}."
    assert detail == f"{field['expected']} at {field['pointer']}, got {field['got']}"


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("/v1/verifications?since=soon", "a valid datetime or date at /query/since, got 'soon'"),
        (
            "/v1/verifications?outcome=bad",
            "'pass', 'fail', 'review' or 'error' at /query/outcome, got 'bad'",
        ),
        ("/v1/verifications?page=" + "9" * 5000, "a value"),
        ("/v1/verifications?limit=201", "a value less than or equal to 200 at /query/limit"),
        (
            "/v1/documents/agreement/find?quote=",
            "a string with at least 1 character at /query/quote, got ''",
        ),
        ("/v1/documents/agreement/pages/x.png", "a valid integer at /path/page, got 'x'"),
    ],
)
def test_the_sentence_holds_for_every_kind_of_rule(
    client: TestClient, path: str, detail: str
) -> None:
    problem = check_problem(client.get(path), 422, "MALFORMED_PARAMETER")
    assert problem["detail"].startswith(f"Expected {detail}")
    assert "should" not in problem["detail"]
    assert len(problem["detail"]) < 300
