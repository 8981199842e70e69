"""Who may see which page of the console, and what the pages about the running service show."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.access.principal import SCOPES
from tests.api.access import ANSWER
from tests.sources import make_pdf

if TYPE_CHECKING:
    from tests.api.access import Guarded

READERS = {"read", "audit"}
#: What is no page, or is open to everybody.
OPEN = {("GET", f"/{name}") for name in ("login", "metrics", "healthz", "readyz", "version")}
OPEN |= {("POST", "/login"), ("POST", "/logout")}
#: Each page of the console, and the scopes of which one opens it.
PAGES: dict[tuple[str, str], set[str]] = {
    ("GET", "/"): READERS,
    ("GET", "/answers.csv"): READERS,
    ("GET", "/answers/nosuch"): READERS,
    ("POST", "/answers/nosuch/decisions"): {"audit"},
    ("GET", "/documents"): READERS,
    ("GET", "/documents/nosuch"): READERS,
    ("GET", "/view/nosuch/original"): READERS,
    ("GET", "/view/nosuch/nosuch/nosuch/nosuch"): READERS,
    ("GET", "/log"): READERS,
    ("GET", "/jobs"): READERS,
    ("GET", "/alarms"): READERS,
    ("GET", "/reviews"): {"audit"},
    ("GET", "/reviews/nosuch"): {"audit"},
    ("POST", "/reviews"): {"audit"},
    ("POST", "/reviews/nosuch"): {"audit"},
    ("GET", "/reports"): {"audit"},
    ("POST", "/reports"): {"audit"},
    ("GET", "/reports/nosuch/nosuch"): {"audit"},
    ("POST", "/views"): {"audit"},
    ("POST", "/views/nosuch/remove"): {"audit"},
    # These need two or more: one to see the console, one to change or see what it is about.
    ("POST", "/jobs/nosuch/cancel"): set(),
    ("GET", "/access"): set(),
    ("GET", "/playground"): set(),
    ("POST", "/playground/documents"): set(),
    ("POST", "/playground/answers"): set(),
}
PAIRS = {
    ("POST", "/jobs/nosuch/cancel"): ("read", "verify"),
    ("GET", "/access"): ("read", "admin"),
    ("GET", "/playground"): ("read", "verify"),
    ("POST", "/playground/documents"): ("read", "verify", "ingest"),
    ("POST", "/playground/answers"): ("audit", "verify"),
}


def test_each_page_opens_to_its_scopes_alone_and_each_form_to_our_own_site(
    guarded: Guarded,
) -> None:
    keys = {scope: guarded.make_key("default", scope) for scope in SCOPES}
    named = {(method, path.replace("nosuch", "{}")) for method, path in PAGES}
    console = {
        (method, path)
        for route in guarded.list_routes()
        for method in route.methods
        if not (path := _blank(route.path)).startswith(("/v1/", "/static/", "/docs", "/openapi"))
    }
    assert console - named <= OPEN, "a page of the console that this table does not know"
    for (method, path), allowed in PAGES.items():
        for scope, key in keys.items():
            answer = guarded.ask(method, path, key, headers={"accept": "text/html"})
            is_refused = answer.status_code == 403
            assert is_refused is (scope not in allowed), (method, path, scope, answer.status_code)
            assert answer.status_code < 500
    for (method, path), scopes in PAIRS.items():
        assert guarded.ask(method, path, guarded.make_key("default", *scopes)).status_code != 403

    # By a session, a form counts only from a page of ours.
    key = guarded.make_key("default", *SCOPES)
    login = guarded.client.post(
        "/login",
        data={"key": key.text or ""},
        headers={"origin": "http://127.0.0.1"},
        follow_redirects=False,
    )
    cookie = {"cookie": login.headers["set-cookie"].partition(";")[0]}
    for method, path in PAGES:
        if method == "POST":
            for headers in (
                {"origin": "http://evil.example"},
                {"sec-fetch-site": "cross-site"},
                {},
            ):
                answer = guarded.ask(method, path, None, headers=cookie | headers)
                assert (answer.status_code, answer.json()["code"]) == (403, "CROSS_SITE"), path


def _blank(path: str) -> str:
    return re.sub(r"\{[^}]+\}", "{}", path)


@pytest.fixture(scope="module")
def filled(guarded: Guarded) -> dict[str, Any]:
    key = guarded.make_key("default", *SCOPES)
    content = make_pdf()
    made = guarded.ask("PUT", "/v1/documents?doc_id=terms", key, content=content).json()
    answer = json.loads(ANSWER)
    answer["citations"][0] = {"anchor": 1, "doc_hash": made["doc_hash"], "span": {"text": "no"}}
    verified = guarded.ask("POST", "/v1/verifications", key, content=json.dumps(answer).encode())
    job = guarded.ask("POST", "/v1/verifications?mode=async", key, content=ANSWER).json()
    return {"key": key, "verified": verified.json(), "job": job["job_id"], "hash": made["doc_hash"]}


def test_the_pages_show_what_runs(guarded: Guarded, filled: dict[str, Any]) -> None:
    def show(path: str) -> str:
        answer = guarded.ask("GET", path, filled["key"], headers={"accept": "text/html"})
        assert answer.status_code == 200, answer.text
        return str(answer.text)

    documents = show("/documents")
    assert f'href="/documents/{filled["hash"]}"' in documents
    assert "1 answer cites it" in documents
    assert "No document with a problem" in show("/documents?problems=1")
    assert f"<code>{filled['job']}</code>" in show("/jobs")
    assert guarded.ask("GET", "/jobs?state=odd", filled["key"]).status_code == 422
    own = {"origin": "http://127.0.0.1"}
    path = f"/jobs/{filled['job']}/cancel"
    assert guarded.ask("POST", path, filled["key"], headers=own).status_code in {303, 409}
    assert "No alarm was raised." in show("/alarms")
    access = show("/access")
    assert filled["key"].key.key_id in access
    assert filled["key"].text not in access
    assert "balanced, version" in access

    verification = filled["verified"]["verification_id"]
    by_id = show(f"/log?q={verification}")
    for kind in ("intake", "result"):
        assert f'<span class="badge none">{kind}</span>' in by_id
    assert f'href="/answers/{verification}"' in by_id
    assert "hashes, from the leaf up" in by_id
    assert verification in show(f"/log?q={filled['verified']['answer_id']}")
    assert "Leaf 0" in show("/log?q=0")
    assert "No leaf has this number" in show("/log?q=999999999999999")
    assert "No leaf has this number" in show("/log?q=%3Cb%3E")


def test_a_report_is_asked_for_by_a_form_and_its_files_are_sent(
    guarded: Guarded, filled: dict[str, Any]
) -> None:
    key, own = filled["key"], {"origin": "http://127.0.0.1"}
    asked = guarded.ask(
        "POST", "/reports", key, data={"result": "fail", "since": "2020-01-01"}, headers=own
    )
    assert (asked.status_code, asked.headers["location"]) == (303, "/reports")
    wrong = guarded.ask("POST", "/reports", key, data={"result": "odd"}, headers=own)
    assert wrong.status_code == 422
    listed = guarded.ask("GET", "/reports?result=fail", key).text
    assert '<input type="hidden" name="result" value="fail">' in listed
    patience = time.monotonic() + 240
    while '">done</span>' not in listed and time.monotonic() < patience:
        assert '">failed</span>' not in listed, listed
        time.sleep(0.1)
        listed = guarded.ask("GET", "/reports", key).text
    found = re.search(r'href="(/reports/[0-9a-f-]+/)report\.html"', listed)
    assert found is not None, listed[listed.index("</form>") :]
    page = guarded.ask("GET", f"{found[1]}report.html", key)
    assert page.headers["content-security-policy"].startswith("default-src 'none'; img-src 'self'")
    assert "Report of verified answers" in page.text
    assert guarded.ask("GET", f"{found[1]}report.pdf", key).content.startswith(b"%PDF-1.7")
    check = guarded.ask("GET", f"{found[1]}check.html", key)
    assert check.headers["content-disposition"].startswith("attachment")
    assert guarded.ask("GET", f"{found[1]}report.zip", key).content.startswith(b"PK")
    assert guarded.ask("GET", f"{found[1]}manifest.txt", key).status_code == 404
