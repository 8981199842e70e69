from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.wire.examples.fields import FIELD_CALIBRATION, FIELDS
from spanproof.api.http.wire.fields import LABELLED_EXAMPLE, TURN_EXAMPLE, LabelledTurnsIn, TurnIn
from spanproof.api.http.wire.problem_examples import PROBLEM_EXAMPLES
from tests.api.conftest import check_problem

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def post(client: TestClient, path: str, body: Any) -> Any:
    """Post a body as JSON."""
    return client.post(path, content=json.dumps(body).encode())


def test_the_examples_are_what_the_service_answers(client: TestClient) -> None:
    TurnIn.model_validate(TURN_EXAMPLE)
    LabelledTurnsIn.model_validate(LABELLED_EXAMPLE)
    assert post(client, "/v1/fields", TURN_EXAMPLE).json() == FIELDS
    assert post(client, "/v1/fields/calibrations", LABELLED_EXAMPLE).json() == FIELD_CALIBRATION


def test_a_body_without_its_parts_and_one_too_large_are_refused(client: TestClient) -> None:
    turn = {name: value for name, value in TURN_EXAMPLE.items() if name != "context"}
    problem = check_problem(post(client, "/v1/fields", turn), 422, "MALFORMED_ANSWER")
    assert problem["errors"][0]["pointer"] == "/context"
    labels = post(client, "/v1/fields/calibrations", {"rows": [TURN_EXAMPLE]})
    problem = check_problem(labels, 422, "MALFORMED_LABELS")
    assert problem | {"request_id": ""} == PROBLEM_EXAMPLES["MALFORMED_LABELS"] | {"request_id": ""}
    for path in ("/v1/fields", "/v1/fields/calibrations"):
        large = client.post(path, headers={"Content-Length": "8388609"}, content=b"x")
        check_problem(large, 413, "ANSWER_TOO_LARGE")


@pytest.mark.parametrize("body", [[], {}, {"rows": {}}, {"rows": []}, {"rows": [], "x": 1}, 1])
def test_labels_that_are_none_are_refused(shared_client: TestClient, body: Any) -> None:
    check_problem(post(shared_client, "/v1/fields/calibrations", body), 422, "MALFORMED_LABELS")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"a": NaN}'])
def test_a_body_that_is_no_turn_is_refused(shared_client: TestClient, content: bytes) -> None:
    check_problem(shared_client.post("/v1/fields", content=content), 422, "MALFORMED_ANSWER")


def test_no_depth_is_read_that_cannot_be_told_of(shared_client: TestClient) -> None:
    # As deep as is read, and a little deeper: what is told of the value stands deeper in the stack.
    for depth in range(850, 1000):
        content = b'{"x": ' + b"[" * depth + b"]" * depth + b"}"
        check_problem(shared_client.post("/v1/fields", content=content), 422, "MALFORMED_ANSWER")


def test_dropped_markers_are_counted_by_who_wrote_them(client: TestClient) -> None:
    turn = TURN_EXAMPLE | {"response": "A [[T:owner]] b [[T:status]] [[t:STATUS]] [[X:y]]."}
    post(client, "/v1/fields", turn)
    labels = 'generator_model="example-1",grammar="field",prompt_id="ticket-7"'
    lines = client.get("/metrics").text.splitlines()
    assert f"spanproof_unknown_field_total{{{labels}}} 2.0" in lines
    assert f"spanproof_duplicate_field_marker_total{{{labels}}} 1.0" in lines
    assert f"spanproof_over_cited_total{{{labels}}} 1.0" in lines
    assert not any(line.startswith("spanproof_hidden_section_total{") for line in lines)
    source = f'attribution_source="citation",{labels}'
    assert f"spanproof_field_turns_total{{{source}}} 1.0" in lines


def test_markers_of_a_verified_answer_are_counted_too(client: TestClient) -> None:
    payload = {
        "response": "It is open [[H:status]].",
        "context": {"secret": {"fields": {"status": "open"}, "hidden": True}},
        "registry": {"prefixes": {"H": "secret"}},
    }
    answered = client.post("/v1/verifications?format=field", content=json.dumps(payload).encode())
    assert answered.status_code == 200, answered.text
    block = answered.json()["verification"]
    assert block["result"] == "fail"
    assert [each["code"] for each in block["import"]["remarks"]] == ["HIDDEN_SECTION"]
    labels = 'generator_model="",grammar="field",prompt_id=""'
    lines = client.get("/metrics").text.splitlines()
    assert f"spanproof_hidden_section_total{{{labels}}} 1.0" in lines
    assert not any(line.startswith("spanproof_unknown_field_total{") for line in lines)
