from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.wire.grammars import (
    CLEAN_EXAMPLE,
    CLEANED_EXAMPLE,
    FIELD_PROMPT_EXAMPLE,
    PROMPT_EXAMPLE,
    PROMPTED_EXAMPLE,
    CleanTextIn,
    PromptIn,
)
from spanproof.api.http.wire.problem_examples import PROBLEM_EXAMPLES
from tests.api.conftest import check_problem

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


@pytest.fixture
def client(shared_client: TestClient) -> TestClient:
    """These tests only read, or add what no other looks at: one application is enough."""
    return shared_client


def post(client: TestClient, path: str, body: Any) -> Any:
    """Post a body as JSON."""
    return client.post(path, content=json.dumps(body).encode())


def test_the_examples_are_what_the_service_answers(client: TestClient) -> None:
    CleanTextIn.model_validate(CLEAN_EXAMPLE)
    PromptIn.model_validate(PROMPT_EXAMPLE)
    assert post(client, "/v1/clean-texts", CLEAN_EXAMPLE).json() == CLEANED_EXAMPLE
    assert post(client, "/v1/prompts", PROMPT_EXAMPLE).json() == PROMPTED_EXAMPLE


def test_the_fields_of_a_context_are_listed_without_what_is_hidden(client: TestClient) -> None:
    PromptIn.model_validate(FIELD_PROMPT_EXAMPLE)
    answer = post(client, "/v1/prompts", FIELD_PROMPT_EXAMPLE).json()
    assert answer["reference_list"] == "Fields:\n\n[[t:status]] ticket.status: in_progress\n"
    assert "Cite with [[PREFIX:field]]." in answer["instructions"]
    # The digest names the instructions, whatever fields a turn has.
    bare = post(client, "/v1/prompts", {"grammar": "field"}).json()
    assert bare == answer | {"reference_list": None}


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/v1/clean-texts", {"text": "x", "grammars": ["latex"]}, "UNKNOWN_GRAMMAR"),
        ("/v1/prompts", {"grammar": "link"}, "MALFORMED_INPUT"),
    ],
)
def test_the_example_problems_are_what_the_service_answers(
    client: TestClient, path: str, body: Any, code: str
) -> None:
    problem = check_problem(post(client, path, body), 422, code)
    assert problem | {"request_id": ""} == PROBLEM_EXAMPLES[code] | {"request_id": ""}


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("/v1/clean-texts", {}, "/text"),
        ("/v1/clean-texts", {"text": 5}, "/text"),
        ("/v1/clean-texts", {"text": "x", "grammars": [5]}, "/grammars/0"),
        ("/v1/clean-texts", {"text": "x", "grammar": "chunk"}, "/grammar"),
        ("/v1/prompts", {"grammar": "field", "registry": {"TOOL": ["x"]}}, "/registry/TOOL"),
        ("/v1/prompts", {"grammar": "field", "context": {"a": {"fields": 5}}}, "/context/a/fields"),
        ("/v1/prompts", {"grammar": "field", "retrieved": []}, "/retrieved"),
        ("/v1/prompts", {"grammar": "chunk", "context": {}}, "/context"),
        ("/v1/prompts", {"retrieved": [{}]}, "/retrieved/0/chunk_id"),
    ],
)
def test_a_wrong_field_is_named(client: TestClient, path: str, body: Any, pointer: str) -> None:
    problem = check_problem(post(client, path, body), 422, "MALFORMED_ANSWER")
    assert [error["pointer"] for error in problem["errors"]] == [pointer]
