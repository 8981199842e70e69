from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from api.wire.grammars import (
    CLEAN_EXAMPLE,
    CLEANED_EXAMPLE,
    PROMPT_EXAMPLE,
    PROMPTED_EXAMPLE,
    CleanTextIn,
    PromptIn,
)
from api.wire.problem_examples import find_problem_examples
from tests.api.conftest import check_problem

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def post(client: TestClient, path: str, body: Any) -> Any:
    """Post a body as JSON."""
    return client.post(path, content=json.dumps(body).encode())


def test_the_examples_are_what_the_service_answers(client: TestClient) -> None:
    CleanTextIn.model_validate(CLEAN_EXAMPLE)
    PromptIn.model_validate(PROMPT_EXAMPLE)
    assert post(client, "/v1/clean-texts", CLEAN_EXAMPLE).json() == CLEANED_EXAMPLE
    assert post(client, "/v1/prompts", PROMPT_EXAMPLE).json() == PROMPTED_EXAMPLE


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
    example = find_problem_examples(f"POST {path}", 422)[code]  # type: ignore[arg-type]
    assert problem | {"request_id": ""} == example | {"request_id": ""}


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("/v1/clean-texts", {}, "/text"),
        ("/v1/clean-texts", {"text": 5}, "/text"),
        ("/v1/clean-texts", {"text": "x", "grammars": [5]}, "/grammars/0"),
        ("/v1/clean-texts", {"text": "x", "grammar": "chunk"}, "/grammar"),
        ("/v1/prompts", {"registry": {"TOOL": "x"}}, "/registry/TOOL"),
        ("/v1/prompts", {"retrieved": [{}]}, "/retrieved/0/chunk_id"),
    ],
)
def test_a_wrong_field_is_named(client: TestClient, path: str, body: Any, pointer: str) -> None:
    problem = check_problem(post(client, path, body), 422, "MALFORMED_ANSWER")
    assert [error["pointer"] for error in problem["errors"]] == [pointer]
