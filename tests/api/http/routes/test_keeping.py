"""Holds and retention over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.api.conftest import check_problem, make_answer, post_answer

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def test_a_hold_refuses_an_erasure_until_it_is_released(
    client: TestClient, document: dict[str, Any]
) -> None:
    made = post_answer(client, make_answer(document)).json()["verification_id"]
    hold = client.post("/v1/holds", json={"kind": "answer", "subject": made, "reason": "m"})
    assert hold.status_code == 200, hold.text
    assert client.get("/v1/holds").json() == {"holds": [hold.json()]}
    order = {"kind": "verification", "subject": made, "reason": "asked for"}
    check_problem(client.post("/v1/erasures", json=order), 409, "LEGAL_HOLD")
    path = f"/v1/holds/{hold.json()['hold_id']}/release"
    assert client.post(path, json={"reason": "closed"}).json()["released_at"]
    assert client.get("/v1/holds").json() == {"holds": []}
    assert len(client.get("/v1/holds", params={"all": True}).json()["holds"]) == 1
    assert client.post("/v1/erasures", json=order).status_code == 200
    check_problem(client.post("/v1/holds/nothing/release", json={"reason": "r"}), 404, "NOT_FOUND")


def test_without_a_plan_nothing_is_due(client: TestClient, document: dict[str, Any]) -> None:
    del document
    listed = client.get("/v1/retention")
    assert (listed.status_code, listed.json()["due"]) == (200, [])
    done = client.post("/v1/retention", json={"limit": 5})
    assert (done.status_code, done.json()["erased"]) == (200, [])


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/holds", {"kind": "tenant", "subject": "x", "reason": "r"}),
        ("/v1/holds", {"kind": "label", "subject": "x", "reason": "r"}),
        ("/v1/holds", {"kind": "label", "subject": "x=y"}),
        ("/v1/retention", {}),
        ("/v1/retention", {"limit": 0}),
    ],
)
def test_a_malformed_order_is_refused(client: TestClient, path: str, body: dict[str, Any]) -> None:
    assert client.post(path, json=body).status_code == 422
