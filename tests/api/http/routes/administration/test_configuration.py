from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.api.conftest import check_problem, context_of

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

PATH = "/v1/configuration/citations"


def put(client: TestClient, grammar: str, payload: Any) -> Any:
    return client.put(f"{PATH}/{grammar}", content=json.dumps(payload).encode())


def test_a_mode_that_is_set_empties_the_prompt_at_once(client: TestClient) -> None:
    def ask() -> Any:
        return client.post("/v1/prompts", content=b'{"grammar": "chunk"}').json()

    assert ask()["instructions"]
    done = put(client, "chunk", {"mode": "off"})
    assert done.status_code == 200, done.text
    assert done.json()["mode"] == "off"
    assert done.json()["actor"] == {"key_id": None, "oidc_sub_hash": None}
    assert (ask()["mode"], ask()["instructions"]) == ("off", "")
    modes = {row["grammar"]: row["mode"] for row in client.get(PATH).json()["citations"]}
    assert modes["chunk"] == "off"
    assert modes["numbered"] == "enforce"
    put(client, "chunk", {"mode": "enforce"})
    assert ask()["instructions"]


@pytest.mark.parametrize(
    "payload", [{"mode": "on"}, {"mode": None}, {}, [], {"mode": "off", "more": 1}, "off"]
)
def test_another_body_is_refused(client: TestClient, payload: Any) -> None:
    check_problem(put(client, "chunk", payload), 422, "MALFORMED_ANSWER")


def test_another_grammar_is_refused(client: TestClient) -> None:
    check_problem(put(client, "anthropic", {"mode": "off"}), 422, "UNKNOWN_GRAMMAR")


def test_the_key_that_changed_it_is_named_and_only_an_admins_may(client: TestClient) -> None:
    from datetime import UTC, datetime

    from spanproof.operations.access.keys import KeyRequest, create_key

    context, now = context_of(client), datetime.now(UTC)
    keys = {
        scope: create_key(context, context, KeyRequest(scopes=(scope,), expires_at=None), now=now)
        for scope in ("admin", "verify")
    }
    body = b'{"mode": "observe"}'
    shown = {name: {"Authorization": f"Bearer {key.text}"} for name, key in keys.items()}
    refused = client.put(f"{PATH}/ref", content=body, headers=shown["verify"])
    check_problem(refused, 403, "SCOPE_MISSING")
    check_problem(client.put(f"{PATH}/ref", content=body), 401, "UNAUTHENTICATED")
    done = client.put(f"{PATH}/ref", content=body, headers=shown["admin"])
    assert done.json()["actor"]["key_id"] == keys["admin"].key.key_id
    assert client.get(PATH, headers=shown["verify"]).status_code == 200
