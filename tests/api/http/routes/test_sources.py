"""Sources over HTTP and in the console: a change with its author, its history, what it affects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.api.conftest import check_problem, make_answer, post_answer

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

WITHDRAW = {"action": "withdraw", "reason": "recalled"}


def test_a_withdrawn_document_says_so_everywhere(
    client: TestClient, document: dict[str, Any]
) -> None:
    made = post_answer(client, make_answer(document)).json()
    path = f"/v1/documents/{document['doc_id']}"
    assert client.get(path).json()["source_state"] is None
    listed = 'aria-label="Affected answers, newest first"'
    assert listed not in client.get(f"/documents/{document['doc_hash']}").text
    changed = client.post(f"{path}/changes", json=WITHDRAW)
    assert changed.status_code == 200, changed.text
    assert changed.json()["source_state"]["withdrawn_from"]
    state = client.get(path).json()["source_state"]
    assert state == changed.json()["source_state"]
    assert client.get("/v1/documents").json()["documents"][0]["source_state"] == state
    assert client.get(f"{path}/changes").json() == {"changes": [changed.json()]}
    (row,) = client.get(f"{path}/affected").json()["affected"]
    assert row["verification_id"] == made["verification_id"]
    assert row["codes"] == ["SOURCE_WITHDRAWN"]
    page = client.get(f"/documents/{document['doc_hash']}").text
    assert "Withdrawn from" in page
    rows = page.partition(listed)[2].partition("</ul>")[0]
    assert f"/answers/{made['verification_id']}" in rows
    assert "SOURCE_WITHDRAWN" in rows
    assert "recalled" in page
    again = post_answer(client, make_answer(document)).json()
    assert "SOURCE_WITHDRAWN" in again["verification"]["verdicts"][0]["codes"]


def test_dates_are_given_null_removes_and_absence_keeps(
    client: TestClient, document: dict[str, Any]
) -> None:
    path = f"/v1/documents/{document['doc_hash']}/changes"
    given = {"valid_from": "2026-01-01T00:00:00+01:00", "licence": "CC-BY-4.0"}
    first = client.post(path, json={"action": "set", "reason": "r"} | given).json()
    assert first["source_state"]["valid_from"] == "2025-12-31T23:00:00Z"
    second = client.post(path, json={"action": "set", "reason": "r", "valid_from": None}).json()
    assert second["source_state"]["valid_from"] is None
    assert second["source_state"]["licence"] == "CC-BY-4.0"


@pytest.mark.parametrize(
    "body",
    [
        {"action": "hide", "reason": "r"},
        {"action": "withdraw"},
        {"action": "set", "reason": "r"},
        {"action": "withdraw", "reason": "r", "unknown": 1},
        {"action": "withdraw", "reason": "r", "since": "yesterday"},
        {"action": "withdraw", "reason": "r", "since": "0001-01-01T00:00:00+14:00"},
        {"action": "reinstate", "reason": "r"},
    ],
)
def test_a_malformed_change_is_refused(
    client: TestClient, document: dict[str, Any], body: dict[str, Any]
) -> None:
    path = f"/v1/documents/{document['doc_hash']}"
    assert client.post(f"{path}/changes", json=body).status_code == 422
    assert client.get(f"{path}/changes").json() == {"changes": []}


def test_an_unknown_document_is_not_found(client: TestClient) -> None:
    check_problem(
        client.post("/v1/documents/nothing/changes", json=WITHDRAW), 404, "DOCUMENT_NOT_FOUND"
    )
    check_problem(client.get("/v1/documents/nothing/affected"), 404, "DOCUMENT_NOT_FOUND")
