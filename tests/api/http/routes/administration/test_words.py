"""A tenant that keeps no words: every reader of an answer says so, and none fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spanproof.core.verdicts.hash_only import NOT_KEPT
from tests.api.conftest import check_problem, make_answer, post_answer

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

PATH = "/v1/configuration/words"


def test_pages_and_routes_say_that_no_words_are_kept(
    client: TestClient, document: dict[str, Any]
) -> None:
    assert client.get(PATH).json()["mode"] == "kept"
    check_problem(client.put(PATH, content=b'{"mode": "none"}'), 422, "MALFORMED_ANSWER")
    done = client.put(PATH, content=b'{"mode": "hash-only"}')
    assert (done.status_code, done.json()["mode"]) == (200, "hash-only")
    assert client.get(PATH).json() == done.json()

    answer = make_answer(document) | {"question": "What of the zymurgy?"}
    answer["answer"] += " More zymurgy."
    key = {"Idempotency-Key": "one"}
    body = json.dumps(answer).encode()
    made = client.post("/v1/verifications", content=body, headers=key).json()
    assert "zymurgy" in made["answer"]
    path = f"/v1/verifications/{made['verification_id']}"
    repeated = client.post("/v1/verifications", content=body, headers=key).json()
    shown = client.get(path).json()
    assert repeated == shown
    assert (shown["answer"], shown["receipt"]) == (NOT_KEPT, made["receipt"])
    assert shown["verification"]["result"] == made["verification"]["result"]
    check_problem(client.get(f"{path}/feedback"), 410, "WORDS_NOT_KEPT")
    assert client.get(f"{path}/receipt").status_code == 200
    (row,) = client.get("/v1/verifications").json()["verifications"]
    assert row["excerpt"] == NOT_KEPT
    listed = client.get("/v1/verifications", headers={"Accept": "text/csv"}).text
    assert NOT_KEPT in listed
    for page in ("/", f"/answers/{made['verification_id']}"):
        found = client.get(page)
        assert found.status_code == 200, found.text
        assert NOT_KEPT in found.text
        assert "zymurgy" not in found.text
    assert "zymurgy" not in listed + json.dumps([shown, row])

    client.put(PATH, content=b'{"mode": "kept"}')
    whole = post_answer(client, make_answer(document)).json()
    assert client.get(path).json()["answer"] == NOT_KEPT
    kept = client.get(f"/v1/verifications/{whole['verification_id']}").json()
    assert kept["answer"] == whole["answer"]
