from __future__ import annotations

import json
import logging
import re
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest

from api import auth_gate
from api.admission import Admission, Work
from api.auth_keys import find_key_id, make_key
from api.cli.keys import read_moment
from api.operations.access_keys import digest_key, revoke_key, rotate_key
from api.settings import Settings
from core.errors import InputError, KeyUnavailableError
from receipt.events import ConfigChange, parse_event
from tests.api.access import Guarded, run_guarded
from tests.api.conftest import check_problem
from tests.api.sources import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ingest.sandbox import Parser

ANSWER = json.dumps(
    {
        "answer": "So it is [1].",
        "citations": [{"anchor": 1, "doc_id": "nosuch", "span": {"text": SENTENCE}}],
    }
).encode()


def make_settings(home: Path, **changes: Any) -> Settings:
    given: dict[str, Any] = {
        "home": home,
        "database_url": None,
        "model": None,
        "test_data": None,
        "witness_rate": 0.0,
        "rate_limit": 0,
    }
    return Settings(**(given | changes))


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[Guarded]:
    home = tmp_path_factory.mktemp("access") / "home"
    with run_guarded(make_settings(home), warm_parser) as opened:
        opened.make_key("default")
        yield opened


def count_failures(guarded: Guarded) -> dict[str, float]:
    text = guarded.tenants.default.metrics.render().decode()
    rows = re.findall(r'spanproof_auth_failures_total\{reason="(\w+)"\} ([0-9.]+)', text)
    return {reason: float(count) for reason, count in rows}


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


def test_a_rotated_key_counts_for_a_while_beside_the_one_that_follows(guarded: Guarded) -> None:
    home, now = guarded.tenants.default, datetime.now(UTC)
    old = guarded.make_key("default", "read", label="ci")
    new = rotate_key(home, home, old.key.key_id, overlap=timedelta(hours=1), now=now)
    assert (new.key.scopes, new.key.label) == (old.key.scopes, "ci")
    for key in (old, new):
        assert guarded.ask("GET", "/v1/documents", key).status_code == 200
    kept = home.store.access_keys.find(old.key.key_id)
    assert kept is not None
    assert kept.find_state(now + timedelta(hours=1)) == "rotated"
    assert new.key.find_state(now + timedelta(hours=1)) == "active"


def test_every_change_of_a_key_is_a_leaf_of_its_tenants_log(guarded: Guarded) -> None:
    key = guarded.make_key("logged")
    home, tenant = guarded.tenants.default, guarded.tenants.find("logged")
    now = datetime.now(UTC)
    new = rotate_key(home, tenant, key.key.key_id, now=now)
    for _ in range(2):
        revoke_key(home, tenant, key.key.key_id, now=now)
    events = [
        parse_event(stored.statement.payload)
        for stored in tenant.log.find_statements("access-keys")
    ]
    changes = [c for event in events if isinstance(event, ConfigChange) for c in event.changes]
    names = [f"access-key:{each.key.key_id}" for each in (key, new, key)]
    assert [change.name for change in changes] == names
    assert [change.old for change in changes] == [None, None, digest_key(key.key)]
    assert [change.new for change in changes] == [digest_key(key.key), digest_key(new.key), None]
    assert not [
        s
        for s in home.log.find_statements("access-keys")
        if key.key.key_id.encode() in s.statement.payload
    ]
    # A head covers them.
    assert tenant.log.latest()[0].size == tenant.log.head().size


def test_a_secret_stands_nowhere_but_in_the_one_answer(
    guarded: Guarded, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    admin = guarded.make_key("default")
    made = guarded.ask("POST", "/v1/keys", admin, content=b'{"scopes": ["read", "verify"]}')
    assert made.status_code == 201, made.text
    assert made.headers["cache-control"] == "no-store"
    text = made.json()["key"]
    secret = text.partition(".")[2]
    answers = [
        guarded.ask("GET", "/v1/documents", text),
        guarded.ask("GET", "/v1/keys", admin),
        guarded.ask("GET", "/v1/documents", f"{text}x"),
        guarded.ask("POST", "/v1/keys", text, content=text.encode()),
        guarded.ask("POST", "/v1/verifications", text, content=b"{"),
        guarded.ask("GET", "/metrics", text),
        guarded.ask("POST", "/v1/verifications", text, content=ANSWER),
        guarded.ask("DELETE", f"/v1/keys/{find_key_id(text)}", admin),
    ]
    assert [each.status_code for each in answers] == [200, 200, 401, 403, 422, 200, 200, 200]
    for answer in answers:
        assert secret not in answer.text + str(answer.headers)
    told = caplog.text + "".join(capfd.readouterr())
    assert secret not in told
    for path in guarded.tenants.default.settings.home.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_an_answer_names_the_key_that_asked_in_intake_and_receipt(guarded: Guarded) -> None:
    key = guarded.make_key("default", "verify")
    made = guarded.ask("POST", "/v1/verifications", key, content=ANSWER)
    assert made.status_code == 200, made.text
    found = guarded.tenants.default.log.find_statements(made.json()["verification_id"])
    actors = [json.loads(each.statement.payload)["predicate"]["actor"] for each in found]
    assert actors == [{"key_id": key.key.key_id, "oidc_sub_hash": None}] * 2


def test_a_key_manages_the_keys_of_its_tenant_alone(guarded: Guarded) -> None:
    theirs, ours = guarded.make_key("acme"), guarded.make_key("default", "admin")
    listed = guarded.ask("GET", "/v1/keys", ours).json()["keys"]
    assert {row["tenant"] for row in listed} == {"default"}
    path = f"/v1/keys/{theirs.key.key_id}"
    check_problem(guarded.ask("DELETE", path, ours), 404, "KEY_NOT_FOUND")
    check_problem(guarded.ask("POST", f"{path}/rotate", ours), 404, "KEY_NOT_FOUND")
    assert guarded.ask("GET", "/v1/documents", theirs).status_code == 200
    made = guarded.ask("POST", "/v1/keys", theirs, content=b'{"scopes": ["read"]}').json()
    assert made["tenant"] == "acme"
    rotated = guarded.ask("POST", f"/v1/keys/{made['key_id']}/rotate", theirs)
    assert rotated.status_code == 201
    again = guarded.ask("POST", f"/v1/keys/{made['key_id']}/rotate", theirs)
    check_problem(again, 409, "CONFLICT")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"scopes": []}, "/scopes"),
        ({"scopes": ["root"]}, "/scopes"),
        ({"scopes": "read"}, "/scopes"),
        ({"scopes": ["read"], "expires_at": "2020-01-01"}, "/expires_at"),
        ({"scopes": ["read"], "expires_at": 5}, "/expires_at"),
        ({"scopes": ["read"], "label": "x" * 201}, "/label"),
        ({"scopes": ["read"], "tenant": "acme"}, "/tenant"),
    ],
)
def test_a_wish_that_is_none_makes_no_key(
    guarded: Guarded, body: dict[str, Any], pointer: str
) -> None:
    admin = guarded.make_key("default", "admin")
    before = len(guarded.tenants.default.store.access_keys.list())
    answer = guarded.ask("POST", "/v1/keys", admin, content=json.dumps(body).encode())
    problem = check_problem(answer, 422, "MALFORMED_ANSWER")
    assert problem["errors"][0]["pointer"] == pointer
    assert len(guarded.tenants.default.store.access_keys.list()) == before


def test_the_console_asks_for_a_key_and_keeps_a_session_that_ends_with_it(
    guarded: Guarded,
) -> None:
    html = {"Accept": "text/html"}
    away = guarded.ask("GET", "/answers/x?a=b", None, headers=html)
    assert away.status_code == 303
    assert away.headers["location"] == "/login?next=%2Fanswers%2Fx%3Fa%3Db"
    key = guarded.make_key("default", "read")
    own = {"Sec-Fetch-Site": "same-origin"}
    form = {"key": key.text, "next": "/log"}
    wrong = guarded.ask("POST", "/login", None, data=form | {"key": "sp_x"}, headers=own)
    assert wrong.status_code == 401
    assert "sp_x" not in wrong.text
    done = guarded.ask("POST", "/login", None, data=form, headers=own)
    assert (done.status_code, done.headers["location"]) == (303, "/log")
    cookie = done.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert key.text not in cookie
    session = {"Cookie": cookie.partition(";")[0]}
    page = guarded.ask("GET", "/", None, headers=session)
    assert page.status_code == 200
    assert "Sign out" in page.text
    forged = {"Cookie": session["Cookie"][:-1] + ("0" if session["Cookie"][-1] != "0" else "1")}
    assert guarded.ask("GET", "/v1/documents", None, headers=forged).status_code == 401
    home = guarded.tenants.default
    revoke_key(home, home, key.key.key_id, now=datetime.now(UTC))
    check_problem(guarded.ask("GET", "/v1/documents", None, headers=session), 401, "KEY_REVOKED")
    guarded.client.cookies.clear()


@pytest.mark.parametrize(
    "goal",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x", "", "/\n"],
)
def test_a_login_leads_to_a_page_of_ours(guarded: Guarded, goal: str) -> None:
    key = guarded.make_key("default", "read")
    form = {"key": key.text, "next": goal}
    done = guarded.ask("POST", "/login", None, data=form, headers={"Origin": "http://127.0.0.1"})
    assert done.headers["location"] == "/"
    guarded.client.cookies.clear()


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {},
    ],
)
def test_a_page_of_another_site_writes_nothing_by_the_session(
    guarded: Guarded, headers: dict[str, str]
) -> None:
    key = guarded.make_key("default")
    own = {"Sec-Fetch-Site": "same-origin"}
    done = guarded.ask("POST", "/login", None, data={"key": key.text}, headers=own)
    session = {"Cookie": done.headers["set-cookie"].partition(";")[0]}
    guarded.client.cookies.clear()
    answer = guarded.ask(
        "POST", "/v1/verifications", None, content=ANSWER, headers=session | headers
    )
    check_problem(answer, 403, "CROSS_SITE")
    check_problem(guarded.ask("POST", "/login", None, headers=headers), 403, "CROSS_SITE")
    ours = guarded.ask("POST", "/v1/verifications", None, content=ANSWER, headers=session | own)
    assert ours.status_code == 200


def test_without_any_key_this_machine_is_let_in_and_no_page_of_another_site(
    tmp_path: Path, warm_parser: Parser
) -> None:
    with run_guarded(make_settings(tmp_path / "home"), warm_parser) as opened:
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
    settings = make_settings(tmp_path / "home", host="0.0.0.0")  # noqa: S104 - nothing is bound
    with run_guarded(settings, warm_parser) as opened:
        check_problem(opened.ask("GET", "/v1/documents", None), 401, "UNAUTHENTICATED")


def test_a_key_asks_as_often_as_it_may(tmp_path: Path, warm_parser: Parser) -> None:
    with run_guarded(make_settings(tmp_path / "home", rate_limit=0.01), warm_parser) as opened:
        one, other = opened.make_key("default", "read"), opened.make_key("default", "read")
        first = opened.ask("GET", "/v1/documents", one)
        assert first.headers["ratelimit-policy"] == '"key";q=1;w=100'
        assert first.headers["ratelimit"].startswith('"key";r=0;t=')
        second = opened.ask("GET", "/v1/documents", one)
        check_problem(second, 429, "RATE_LIMITED")
        assert 0 < int(second.headers["retry-after"]) <= 100
        assert opened.ask("GET", "/v1/documents", other).status_code == 200


def test_an_overload_is_sent_away_before_it_is_read(tmp_path: Path, warm_parser: Parser) -> None:
    settings = make_settings(tmp_path / "home", running=1, waiting=0)
    with run_guarded(settings, warm_parser) as opened, ThreadPoolExecutor(8) as pool:
        statuses = list(
            pool.map(
                lambda _: opened.ask("POST", "/v1/verifications", None, content=ANSWER).status_code,
                range(24),
            )
        )
        assert set(statuses) <= {200, 429}
        admission: Admission = opened.app.state.admission
        assert admission.count_inside(Work.VERIFY) == 0
        assert statuses.count(200) >= 1
        ticket = admission.enter(Work.VERIFY)
        full = opened.ask("POST", "/v1/verifications", None, content=ANSWER)
        ticket.close()
        check_problem(full, 429, "SERVICE_BUSY")
        assert full.headers["retry-after"] == "2"


def test_a_request_that_is_sent_twice_has_one_effect(guarded: Guarded) -> None:
    key = guarded.make_key("once", "verify", "read")
    headers = {"Idempotency-Key": '"k-1"'}
    before = guarded.tenants.find("once").log.head().size

    def post(content: bytes = ANSWER, name: str = '"k-1"') -> Any:
        given = {"Idempotency-Key": name}
        return guarded.ask("POST", "/v1/verifications", key, content=content, headers=given)

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: post(), range(120)))
    assert {answer.status_code for answer in answers} <= {200, 409}
    bodies = {answer.text for answer in answers if answer.status_code == 200}
    assert len(bodies) == 1
    for answer in answers:
        if answer.status_code == 409:
            check_problem(answer, 409, "REQUEST_IN_FLIGHT")
    again = post()
    assert (again.text, again.headers["idempotency-replayed"]) == (bodies.pop(), "true")
    listed = guarded.ask("GET", "/v1/verifications", key).json()["verifications"]
    assert len(listed) == 1
    after_one = guarded.tenants.find("once").log.head().size
    other = post(content=ANSWER.replace(b"So", b"No"))
    check_problem(other, 422, "IDEMPOTENCY_KEY_REUSED")
    check_problem(post(name="x" * 256), 422, "MALFORMED_PARAMETER")
    # What failed made nothing: its key is free.
    bad = post(content=b"{", name="k-2")
    check_problem(bad, 422, "MALFORMED_ANSWER")
    assert post(name="k-2").headers["idempotency-replayed"] == "false"
    # Of another tenant it is another key.
    stranger = guarded.make_key("twice", "verify")
    first = guarded.ask("POST", "/v1/verifications", stranger, content=ANSWER, headers=headers)
    assert first.headers["idempotency-replayed"] == "false"
    # Configuration, intake and result once each; the second answer has two more.
    assert after_one - before <= 4
    assert guarded.tenants.find("once").log.head().size == after_one + 2


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


def test_a_moment_beyond_the_calendar_is_none(guarded: Guarded) -> None:
    admin = guarded.make_key("default", "admin")
    wish = {"scopes": ["read"], "expires_at": "9999-12-31T23:59:59-10:00"}
    problem = check_problem(
        guarded.ask("POST", "/v1/keys", admin, json=wish), 422, "MALFORMED_ANSWER"
    )
    assert problem["errors"][0]["pointer"] == "/expires_at"
    # As long a life as the calendar has left.
    old = guarded.make_key("default", "read", hours=7_900 * 365 * 24)
    home, later = guarded.tenants.default, datetime.now(UTC) + timedelta(days=365 * 200)
    new = rotate_key(home, home, old.key.key_id, now=later)
    assert new.key.expires_at is not None
    assert new.key.expires_at.year == 9999
    with pytest.raises(InputError, match="such as 90d"):
        read_moment("9999-12-31T23:59:59-10:00", later)


def test_nobody_waits_for_a_tenant_that_is_being_closed(guarded: Guarded) -> None:
    own, other = guarded.make_key("default", "read"), guarded.make_key("waiting", "read")
    with ThreadPoolExecutor(2) as pool:
        with guarded.tenants._lock:
            held = pool.submit(guarded.ask, "GET", "/v1/documents", other)
            sleep(0.2)
            free = pool.submit(guarded.ask, "GET", "/v1/documents", own)
            done, _ = wait([free], timeout=20)
        assert done == {free}
        assert free.result().status_code == held.result().status_code == 200
