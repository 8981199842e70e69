"""Decisions over HTTP and in the console: scopes, identity, other sites, hostile words."""

from __future__ import annotations

from urllib.parse import urlencode

from tests.api.access import ANSWER, Guarded
from tests.api.conftest import check_problem

ATTACK = '"><script>alert(1)</script>'


def test_a_decision_has_its_keys_identity_and_a_second_key_confirms(guarded: Guarded) -> None:
    first, second = guarded.make_key("default"), guarded.make_key("default", "audit", "read")
    reader = guarded.make_key("default", "read")
    made = guarded.ask("POST", "/v1/verifications", first, content=ANSWER).json()
    path = f"/v1/verifications/{made['verification_id']}/decisions"
    accept = {"action": "accept", "citation": 0, "reason": "read on page 1"}
    check_problem(guarded.ask("POST", path, reader, json=accept), 403, "SCOPE_MISSING")
    check_problem(guarded.ask("POST", path, None, json=accept), 401, "UNAUTHENTICATED")
    named = guarded.ask("POST", path, first, json=accept | {"reviewer": "Anna"})
    assert named.status_code == 422
    answer = guarded.ask("POST", path, first, json=accept)
    assert answer.status_code == 200, answer.text
    assert answer.json()["actor"] == {"key_id": first.key.key_id, "oidc_sub_hash": None}
    assert guarded.ask("POST", path, first, json=accept).json() == answer.json()

    # The console: a session, its own site, the same rules.
    own = {"Sec-Fetch-Site": "same-origin"}
    guarded.ask("POST", "/login", None, data={"key": second.text, "next": "/"}, headers=own)
    page = f"/answers/{made['verification_id']}"
    form = urlencode(
        {"action": "waive", "citation": "0", "reason": ATTACK, "expires": "2999-01-01"}
    )
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    target = f"{page}/decisions"
    foreign = {"Sec-Fetch-Site": "cross-site"} | kind
    refused = guarded.ask("POST", target, None, content=form, headers=foreign)
    check_problem(refused, 403, "CROSS_SITE")
    late = guarded.ask("POST", target, None, content=form, headers=own | kind)
    assert late.status_code == 422
    assert "ends within 366 days" in late.text
    form = urlencode({"action": "reject", "citation": "0", "reason": ATTACK})
    done = guarded.ask("POST", target, None, content=form, headers=own | kind)
    assert (done.status_code, done.headers["location"]) == (303, page)
    shown = guarded.ask("GET", page, None).text
    assert "rejected by a person" in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "<script>alert" not in shown
    assert second.key.key_id in shown

    listed = guarded.ask("GET", path, reader).json()
    assert [each["action"] for each in listed["decisions"]] == ["accept", "reject"]
    assert [each["word"] for each in listed["standing"]] == ["rejected"]
    assert made["verification"]["result"] in shown
    missing = "/v1/verifications/unknown/decisions"
    check_problem(guarded.ask("GET", missing, reader), 404, "VERIFICATION_NOT_FOUND")
