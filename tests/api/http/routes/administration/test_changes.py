"""A policy tried on kept answers, approved by two keys over HTTP, and taken back by one."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.operations.access.keys import KeyRequest, create_key
from tests.api.conftest import check_problem, context_of, make_answer, post_answer

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

PATH = "/v1/configuration/policies"


def send(client: TestClient, path: str, payload: Any, **headers: str) -> Any:
    return client.post(path, content=json.dumps(payload).encode(), headers=headers)


def test_a_rehearsal_counts_kept_answers_and_keeps_nothing(
    client: TestClient, document: dict[str, Any]
) -> None:
    post_answer(client, make_answer(document))
    moved = make_answer(document)
    moved["citations"][0]["span"] |= {"char_start": 3, "char_end": 9}
    post_answer(client, moved)
    size = context_of(client).log.head().size
    done = send(client, "/v1/rehearsals", {"policy": "strict", "limit": 10})
    assert done.status_code == 200, done.text
    body = done.json()
    assert (body["kept"], body["judged"], body["left_out"]) == (2, 2, {})
    assert [(each["before"], each["now"]) for each in body["flips"]] == [("review", "fail")]
    assert body["rates"]["worse"]["count"] == 1
    assert context_of(client).log.head().size == size
    check_problem(send(client, "/v1/rehearsals", {"policy": "lax"}), 422, "UNKNOWN_POLICY")
    check_problem(send(client, "/v1/rehearsals", {"limit": 201}), 422, "MALFORMED_PARAMETER")


def test_two_keys_pin_a_policy_and_one_takes_it_back(client: TestClient) -> None:
    # Without keys nobody can be told from another.
    check_problem(send(client, f"{PATH}/ref", {"policy": "strict"}), 401, "UNAUTHENTICATED")
    context, now = context_of(client), datetime.now(UTC)

    def make(scope: str) -> dict[str, str]:
        wanted = KeyRequest(scopes=(scope,), expires_at=None)
        key = create_key(context, context, wanted, now=now)
        return {"Authorization": f"Bearer {key.text}"}

    alice, bob, reader = make("admin"), make("admin"), make("read")
    refused = send(client, f"{PATH}/ref", {"policy": "strict"}, **reader)
    check_problem(refused, 403, "SCOPE_MISSING")
    first = send(client, f"{PATH}/ref", {"policy": "strict"}, **alice).json()
    assert (first["policy"], first["proposed"]) == (None, "strict")
    check_problem(send(client, f"{PATH}/ref", {"policy": "strict"}, **alice), 409, "CONFLICT")
    pinned = send(client, f"{PATH}/ref", {"policy": "strict"}, **bob).json()
    assert (pinned["policy"], len(pinned["approved_by"])) == ("strict", 2)
    rows = client.get(PATH, headers=reader).json()["policies"]
    assert {row["grammar"]: row["policy"] for row in rows}["ref"] == "strict"
    back = client.post(f"{PATH}/ref/roll-back", headers=alice)
    assert (back.status_code, back.json()["policy"]) == (200, None)
    again = client.post(f"{PATH}/ref/roll-back", headers=alice)
    check_problem(again, 409, "CONFLICT")
    wrong = send(client, f"{PATH}/latex", {"policy": "strict"}, **alice)
    check_problem(wrong, 422, "UNKNOWN_GRAMMAR")
