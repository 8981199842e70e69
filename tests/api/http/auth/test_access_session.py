"""Sessions of the console, and pages of other sites that would write by one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from spanproof.operations.access.keys import revoke_key
from tests.api.access import ANSWER, Guarded
from tests.api.conftest import check_problem


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


@pytest.mark.parametrize("content", ["&" * 20, "a=1&" * 20, "key=", "key=%00", "key=%ff", "="])
def test_a_form_without_a_key_lets_nobody_in(guarded: Guarded, content: str) -> None:
    headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}
    answer = guarded.ask("POST", "/login", None, content=content.encode(), headers=headers)
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


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
        {"Origin": "http://["},
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
