"""Who is let in, and what is told to whoever is not."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.auth import gate as auth_gate
from spanproof.core.errors import KeyUnavailableError
from spanproof.operations.access.key_format import make_key
from spanproof.operations.access.keys import revoke_key
from tests.api.access import ANSWER, Guarded, count_failures, make_open_settings, run_guarded
from tests.api.conftest import check_problem

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.ingest.sandbox import Parser


def test_what_is_not_known_is_one_answer_and_what_is_is_told_to_its_holder(
    guarded: Guarded,
) -> None:
    key = guarded.make_key("default", "read")
    assert key.text is not None
    wrong = key.text[:-1] + ("A" if key.text[-1] != "A" else "B")
    before = count_failures(guarded)
    bodies = []
    for shown in (wrong, make_key().text, "sp_x", "eyJhbGciOiJub25lIn0.e30."):
        answer = guarded.ask("GET", "/v1/documents", shown)
        problem = check_problem(answer, 401, "UNAUTHENTICATED")
        assert 'error="invalid_token"' in answer.headers["www-authenticate"]
        bodies.append(problem | {"request_id": ""})
    assert all(body == bodies[0] for body in bodies)
    assert guarded.ask("GET", "/v1/documents", key).status_code == 200
    after = count_failures(guarded)
    assert after["unknown"] - before.get("unknown", 0) == 4


def test_what_is_sent_beside_a_key_is_not_kept(guarded: Guarded) -> None:
    key = guarded.make_key("default", "read")
    gate = guarded.client.app.state.gate  # type: ignore[attr-defined]
    kept = len(gate._believed)
    for number in range(8):
        beside = {"Cookie": f"spanproof_session={'x' * 16_000}{number}"}
        assert guarded.ask("GET", "/v1/documents", key, headers=beside).status_code == 200
    assert len(gate._believed) == kept


def test_an_expired_a_revoked_and_a_scopeless_key_are_told_apart(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, now = guarded.tenants.default, datetime.now(UTC)
    revoked = guarded.make_key("default", "read")
    assert guarded.ask("GET", "/v1/documents", revoked).status_code == 200
    revoke_key(home, home, revoked.key.key_id, now=now)
    problem = guarded.ask("GET", "/v1/documents", revoked)
    check_problem(problem, 401, "KEY_REVOKED")
    reader = guarded.make_key("default", "read")
    answer = guarded.ask("POST", "/v1/verifications", reader, content=ANSWER)
    check_problem(answer, 403, "SCOPE_MISSING")
    assert answer.headers["www-authenticate"] == 'Bearer error="insufficient_scope", scope="verify"'
    # What else is wrong is not looked at.
    check_problem(
        guarded.ask("POST", "/v1/verifications", reader, content=b"{"), 403, "SCOPE_MISSING"
    )
    gate = guarded.client.app.state.gate  # type: ignore[attr-defined]
    monkeypatch.setattr(gate, "_clock", lambda: now + timedelta(days=2))
    monkeypatch.setattr(gate, "_believed", {})
    check_problem(guarded.ask("GET", "/v1/documents", reader), 401, "KEY_EXPIRED")
    failures = count_failures(guarded)
    assert {"revoked", "expired", "scope"} <= failures.keys()


def test_an_answer_names_the_key_that_asked_in_intake_and_receipt(guarded: Guarded) -> None:
    key = guarded.make_key("default", "verify")
    made = guarded.ask("POST", "/v1/verifications", key, content=ANSWER)
    assert made.status_code == 200, made.text
    found = guarded.tenants.default.log.find_statements(made.json()["verification_id"])
    actors = [json.loads(each.statement.payload)["predicate"]["actor"] for each in found]
    assert actors == [{"key_id": key.key.key_id, "oidc_sub_hash": None}] * 2


def test_without_any_key_this_machine_is_let_in_and_no_page_of_another_site(
    tmp_path: Path, warm_parser: Parser
) -> None:
    with run_guarded(make_open_settings(tmp_path / "home"), warm_parser) as opened:
        assert opened.ask("POST", "/v1/verifications", None, content=ANSWER).status_code == 200
        foreign = {"Origin": "http://evil.example"}
        answer = opened.ask("POST", "/v1/verifications", None, content=ANSWER, headers=foreign)
        check_problem(answer, 403, "CROSS_SITE")
        body = b'{"scopes": ["admin"]}'
        check_problem(opened.ask("POST", "/v1/keys", None, content=body), 403, "SCOPE_MISSING")
        assert opened.ask("GET", "/v1/keys", None).json() == {"keys": []}
        check_problem(opened.ask("GET", "/v1/keys", make_key().text), 401, "UNAUTHENTICATED")
        key = opened.make_key("default", "read")
        # From the first key on, nobody is let in without one; nor once all are revoked.
        check_problem(opened.ask("GET", "/v1/documents", None), 401, "UNAUTHENTICATED")
        home = opened.tenants.default
        revoke_key(home, home, key.key.key_id, now=datetime.now(UTC))
        check_problem(opened.ask("GET", "/v1/documents", None), 401, "UNAUTHENTICATED")
        # A pepper that is gone lets nobody in, and none is made in its place.
        gate = opened.client.app.state.gate  # type: ignore[attr-defined]
        gate.pepper.path.rename(tmp_path / "pepper")
        fresh = auth_gate.Gate(opened.tenants)
        with pytest.raises(KeyUnavailableError, match="access-pepper"):
            fresh.identify(f"Bearer {key.text}", None)
        with pytest.raises(KeyUnavailableError):
            opened.make_key("default")


def test_beyond_loopback_nobody_is_let_in_without_a_key(
    tmp_path: Path, warm_parser: Parser
) -> None:
    settings = make_open_settings(tmp_path / "home", host="0.0.0.0")  # noqa: S104 - nothing is bound
    with run_guarded(settings, warm_parser) as opened:
        check_problem(opened.ask("GET", "/v1/documents", None), 401, "UNAUTHENTICATED")


def test_the_body_of_a_webhook_is_read_after_its_key_and_under_the_cap(guarded: Guarded) -> None:
    reader, admin = guarded.make_key("default", "read"), guarded.make_key("default", "admin")

    def post(key: Any, content: bytes) -> Any:
        return guarded.ask("POST", "/v1/webhooks", key, content=content)

    check_problem(post(None, b"{"), 401, "UNAUTHENTICATED")
    check_problem(post(reader, b"{"), 403, "SCOPE_MISSING")
    check_problem(post(admin, b"{"), 422, "MALFORMED_ANSWER")
    problem = check_problem(post(admin, b'{"url": 5}'), 422, "MALFORMED_PARAMETER")
    assert [each["pointer"] for each in problem["errors"]] == ["/body/url"]
    most = guarded.tenants.default.settings.max_answer_bytes
    check_problem(post(admin, b" " * (most + 1)), 413, "ANSWER_TOO_LARGE")


@pytest.mark.parametrize("kind", ["webhook_delivery", "sampled_verification"])
def test_only_an_administrator_stops_what_watches(guarded: Guarded, kind: str) -> None:
    job = guarded.tenants.default.jobs.start(kind, {})
    path = f"/v1/jobs/{job.job_id}/cancel"
    sender = guarded.make_key("default", "verify", "ingest")
    check_problem(guarded.ask("POST", path, sender), 403, "SCOPE_MISSING")
    # Over by now or not: the door is open.
    answer = guarded.ask("POST", path, guarded.make_key("default", "admin"))
    assert answer.status_code in {200, 409}, answer.text
