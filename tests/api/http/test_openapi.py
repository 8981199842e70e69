from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.wire.answer import EXAMPLE, AnswerIn
from spanproof.verifier import policies
from spanproof.verifier.formats import registry
from tests.api.http.described import describe_service

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

ROUTES = {
    ("put", "/v1/documents"),
    ("get", "/v1/configuration/citations"),
    ("put", "/v1/configuration/citations/{grammar}"),
    ("get", "/v1/configuration/words"),
    ("put", "/v1/configuration/words"),
    ("post", "/v1/rehearsals"),
    ("get", "/v1/configuration/policies"),
    ("post", "/v1/configuration/policies/{grammar}"),
    ("post", "/v1/configuration/policies/{grammar}/roll-back"),
    ("get", "/v1/documents"),
    ("get", "/v1/documents/{ref}"),
    ("get", "/v1/documents/{ref}/source"),
    ("get", "/v1/documents/{ref}/text"),
    ("get", "/v1/documents/{ref}/locate"),
    ("get", "/v1/documents/{ref}/find"),
    ("get", "/v1/documents/{ref}/chunks"),
    ("get", "/v1/documents/{ref}/pages/{page}.png"),
    ("post", "/v1/indexes/{name}/versions"),
    ("get", "/v1/indexes"),
    ("get", "/v1/indexes/{name}/versions"),
    ("get", "/v1/indexes/{name}/diff"),
    ("get", "/v1/indexes/{name}/drift"),
    ("post", "/v1/drift-checks"),
    ("post", "/v1/reverifications"),
    ("post", "/v1/bulk-verifications"),
    ("get", "/v1/bulk-verifications/{job_id}/rows"),
    ("post", "/v1/erasures"),
    ("get", "/v1/accesses"),
    ("get", "/v1/accesses/{day}"),
    ("post", "/v1/verifications/{verification_id}/decisions"),
    ("get", "/v1/verifications/{verification_id}/decisions"),
    ("post", "/v1/holds"),
    ("get", "/v1/holds"),
    ("post", "/v1/holds/{hold_id}/release"),
    ("get", "/v1/retention"),
    ("post", "/v1/retention"),
    ("post", "/v1/documents/{ref}/changes"),
    ("get", "/v1/documents/{ref}/changes"),
    ("get", "/v1/documents/{ref}/affected"),
    ("post", "/v1/verifications"),
    ("get", "/v1/verifications/{verification_id}/feedback"),
    ("get", "/v1/verifications/{verification_id}/receipt"),
    ("get", "/v1/verifications/{verification_id}/receipt.tlog-proof"),
    ("get", "/v1/log/checkpoint"),
    ("get", "/v1/audit/export"),
    ("get", "/v1/log/tile/{path}"),
    ("post", "/v1/attributions"),
    ("post", "/v1/clean-texts"),
    ("post", "/v1/prompts"),
    ("post", "/v1/fields"),
    ("post", "/v1/fields/calibrations"),
    ("post", "/v1/answers"),
    ("post", "/v1/answer-batches"),
    ("get", "/v1/answers"),
    ("get", "/v1/rates"),
    ("get", "/v1/reviews"),
    ("get", "/v1/reviews/{answer_id}"),
    ("post", "/v1/reviews/{answer_id}"),
    ("get", "/v1/verifications"),
    ("get", "/v1/verifications/{verification_id}"),
    ("get", "/v1/jobs"),
    ("get", "/v1/jobs/{job_id}"),
    ("get", "/v1/jobs/{job_id}/events"),
    ("post", "/v1/jobs/{job_id}/cancel"),
    ("post", "/v1/webhooks"),
    ("get", "/v1/webhooks"),
    ("delete", "/v1/webhooks/{webhook_id}"),
    ("post", "/v1/webhooks/{webhook_id}/rotate"),
    ("post", "/v1/webhooks/{webhook_id}/enable"),
    ("get", "/v1/webhooks/{webhook_id}/deliveries"),
    ("post", "/v1/webhooks/{webhook_id}/messages/{message_id}/replay"),
    ("post", "/v1/fetched-documents"),
    ("post", "/v1/keys"),
    ("get", "/v1/keys"),
    ("post", "/v1/keys/{key_id}/rotate"),
    ("delete", "/v1/keys/{key_id}"),
    ("get", "/healthz"),
    ("get", "/readyz"),
    ("get", "/metrics"),
    ("get", "/version"),
}
DOCUMENT: dict[str, Any] = describe_service()


def test_it_lists_the_routes_of_the_contract() -> None:
    found = {(method, path) for path, item in DOCUMENT["paths"].items() for method in item}
    assert found == ROUTES


@pytest.mark.parametrize(("method", "path"), sorted(ROUTES))
def test_every_route_documents_its_problems(method: str, path: str) -> None:
    operation = DOCUMENT["paths"][path][method]
    assert operation["summary"]
    assert operation["description"]
    # "Not modified" is no problem.
    others = ("2", "304")
    responses = {s: r for s, r in operation["responses"].items() if not s.startswith(others)}
    assert "500" in responses
    if operation.get("parameters"):
        assert "422" in responses
    for response in responses.values():
        (media_type,) = response["content"]
        assert media_type == "application/problem+json"
        schema = response["content"][media_type]["schema"]
        assert schema == {"$ref": "#/components/schemas/ProblemOut"}


def _references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(_references, value.values()))
    return set().union(*map(_references, value)) if isinstance(value, list) else set()


def _gather_shapes(value: Any) -> set[str]:
    """Every shape that a part of the document leads to, at any depth."""
    found: set[str] = set()
    left = _references(value)
    while left:
        name = left.pop().removeprefix("#/components/schemas/")
        if name not in found:
            found.add(name)
            left |= _references(DOCUMENT["components"]["schemas"][name])
    return found


def test_no_response_has_a_shape_of_a_request_and_no_request_one_of_a_response() -> None:
    operations = _list_operations()
    given = _gather_shapes([each.get("requestBody", {}) for each in operations])
    answered = _gather_shapes([each["responses"] for each in operations])
    assert {"CitationIn", "RetrievedIn"} <= given
    assert {"VerificationOut", "SentCitationOut", "SentSpanOut"} <= answered
    assert not [name for name in answered if name.endswith("In")]
    assert not [name for name in given if name.endswith("Out")]


def test_every_reference_leads_somewhere() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    for reference in _references(DOCUMENT):
        assert reference.removeprefix("#/components/schemas/") in schemas
    assert "HTTPValidationError" not in schemas


def test_the_example_answer_is_one() -> None:
    body = DOCUMENT["paths"]["/v1/verifications"]["post"]["requestBody"]["content"]
    (example,) = body["application/json"]["examples"].values()
    assert example["value"] == EXAMPLE
    AnswerIn.model_validate(example["value"])


def test_it_is_served_and_the_page_of_it_loads_only_our_files(client: TestClient) -> None:
    assert client.get("/openapi.json").json() == DOCUMENT
    page = client.get("/docs")
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert loaded
    for address in loaded:
        assert not address.startswith(("http", "/"))
        if not address.startswith("data:"):
            assert client.get(f"/{address}").status_code == 200
    assert "unsafe" not in page.headers["content-security-policy"]
    assert client.get("/docs/redoc.standalone.js").status_code == 404
    assert client.get("/redoc").status_code == 404


def _list_operations() -> list[dict[str, Any]]:
    return [operation for item in DOCUMENT["paths"].values() for operation in item.values()]


def test_each_operation_has_a_name_of_its_own_that_starts_with_a_verb() -> None:
    names = [operation["operationId"] for operation in _list_operations()]
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(r"[a-z]+[A-Za-z]*", name), name
        assert not name.startswith(("post", "put")), name
    assert {"createVerification", "listDocuments", "getReceipt"} <= set(names)


def test_an_answer_that_is_verified_and_one_that_is_queued_have_a_shape_each() -> None:
    (operation,) = (
        each for each in _list_operations() if each["operationId"] == "createVerification"
    )
    described = {
        status: response["content"]["application/json"]
        for status, response in operation["responses"].items()
        if status.startswith("2")
    }
    shapes = {status: each["schema"]["$ref"] for status, each in described.items()}
    assert shapes == {
        "200": "#/components/schemas/VerificationOut",
        "202": "#/components/schemas/JobOut",
    }
    # A field that only one of them has tells them apart, as do their statuses.
    required = DOCUMENT["components"]["schemas"]
    assert "verification" in required["VerificationOut"]["required"]
    assert "verification" not in required["JobOut"]["properties"]
    assert "job_id" in required["JobOut"]["required"]
    assert "job_id" in described["202"]["example"]


def test_each_operation_stands_in_one_described_group() -> None:
    described = [tag["name"] for tag in DOCUMENT["tags"] if tag["description"]]
    assert {tag for each in _list_operations() for tag in each["tags"]} == set(described)
    assert all(len(operation["tags"]) == 1 for operation in _list_operations())


def test_only_the_routes_that_need_no_key_say_so() -> None:
    is_open = {each["operationId"] for each in _list_operations() if each["security"] == []}
    assert is_open == {"getHealth", "getReadiness", "getVersion"}


def test_no_field_has_a_default_that_a_generator_takes_for_required() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        for field in schema.get("properties", {}).values():
            assert "default" not in field
    fields = DOCUMENT["components"]["schemas"]["AnswerIn"]["properties"]
    assert fields["answer_kind"]["description"] == 'Default: "answer".'


@pytest.mark.parametrize("name", ["createVerification", "submitAnswer", "createAttribution"])
def test_format_and_policy_name_their_values(name: str) -> None:
    (operation,) = (each for each in _list_operations() if each["operationId"] == name)
    schemas = {each["name"]: each["schema"] for each in operation["parameters"]}
    single, joined = schemas["format"]["anyOf"]
    assert tuple(single["enum"]) == registry.NAMES
    assert re.search(joined["pattern"], "anthropic,field")
    assert not re.search(joined["pattern"], "anthropic,native")
    assert tuple(schemas["policy"]["anyOf"][0]["enum"]) == policies.NAMES
