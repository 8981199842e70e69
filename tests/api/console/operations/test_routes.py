"""Who may see which page of the console, and what the pages about the running service show."""

from __future__ import annotations

import base64
import json
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from spanproof.core.log.merkle import hash_leaf
from spanproof.operations.access.principal import SCOPES
from spanproof.operations.sampling.waiting import verify_waiting
from tests.api.access import ANSWER, make_open_settings, run_guarded
from tests.api.console.browsing import make_lost_citation
from tests.operations.sampling.conftest import BAD, TEXT, closing_sampler, make_payload, submit
from tests.sources import make_pdf
from tests.store.examples import add_plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.ingest.sandbox import Parser
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
    ("GET", "/drift"): READERS,
    ("GET", "/drift/nosuch"): READERS,
    ("POST", "/alarms/nosuch/acknowledgements"): {"audit"},
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
    ("POST", "/drift/nosuch/reverifications"): set(),
    ("GET", "/access"): set(),
    ("POST", "/access/rehearsals"): set(),
    ("GET", "/playground"): set(),
    ("POST", "/playground/documents"): set(),
    ("POST", "/playground/answers"): set(),
}
PAIRS = {
    ("POST", "/jobs/nosuch/cancel"): ("read", "verify"),
    ("POST", "/drift/nosuch/reverifications"): ("read", "verify"),
    ("GET", "/access"): ("read", "admin"),
    ("POST", "/access/rehearsals"): ("read", "admin"),
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
    assert "The proof, from the leaf up" in by_id
    assert verification in show(f"/log?q={filled['verified']['answer_id']}")
    assert "Leaf 0" in show("/log?q=0")
    assert "No leaf has this number" in show("/log?q=999999999999999")
    assert "No leaf has this number" in show("/log?q=%3Cb%3E")

    # By its hash, in both spellings; the steps of the proof lead to the root that is signed.
    leaf_hash = hash_leaf(guarded.tenants.default.log.read_entry(1))
    for written in (leaf_hash.hex(), base64.b64encode(leaf_hash).decode()):
        found = show("/log?" + urlencode({"q": written}))
        assert f"<code>{leaf_hash.hex()}</code>" in found
        assert "Leaf 1<" in found
        assert "hashes lead from it to the root of the signed head" in found
    assert "No leaf has this number or hash" in show(f"/log?q={'0' * 64}")


def test_a_policy_is_tried_on_kept_answers(guarded: Guarded, filled: dict[str, Any]) -> None:
    key, own = filled["key"], {"origin": "http://127.0.0.1", "accept": "text/html"}
    size = guarded.tenants.default.log.head().size

    def send(**form: str) -> Any:
        return guarded.ask("POST", "/access/rehearsals", key, data=form, headers=own)

    tried = send(policy="strict", limit="10").text
    assert "tried on kept answers" in tried
    assert "kept answers were judged again" in tried
    assert "another result</dt><dd>0 of " in tried
    assert guarded.tenants.default.log.head().size == size
    for form in ({"policy": "/etc/passwd", "limit": "10"}, {"policy": "strict", "limit": "9999"}):
        assert send(**form).status_code == 422


def test_lost_citations_are_listed_and_verified_again(
    guarded: Guarded, filled: dict[str, Any]
) -> None:
    key, own = filled["key"], {"origin": "http://127.0.0.1", "accept": "text/html"}
    page = {"accept": "text/html"}
    assert "No index is registered" in guarded.ask("GET", "/drift", key, headers=page).text
    assert guarded.ask("GET", "/drift/terms", key, headers=page).status_code == 404
    quote = "Words of it."
    kept = guarded.ask("PUT", "/v1/documents?doc_id=other", key, content=quote.encode()).json()
    answer, rows = make_lost_citation(kept["doc_hash"], kept["extraction_pipeline"], quote)
    verified = guarded.ask(
        "POST", "/v1/verifications", key, content=json.dumps(answer).encode()
    ).json()
    for version, row in zip(("v1", "v2"), rows, strict=True):
        made = guarded.ask(
            "POST",
            f"/v1/indexes/terms/versions?version={version}",
            key,
            content=row,
            headers={"content-type": "application/x-ndjson"},
        )
        assert made.status_code == 201, made.text
    assert 'href="/drift/terms"' in guarded.ask("GET", "/drift", key, headers=page).text
    shown = guarded.ask("GET", "/drift/terms", key, headers=page).text
    assert f'href="/answers/{verified["verification_id"]}"' in shown
    assert "its chunk has other words now" in shown
    assert "over the budget" in shown
    path = "/drift/terms/reverifications"
    form = {"from": "v1", "to": "v2"}
    for part in ({}, {"from": "v1"}, {"to": "v2"}):
        assert guarded.ask("POST", path, key, data=part, headers=own).status_code == 422
    sent = guarded.ask("POST", path, key, data=form, headers=own)
    assert (sent.status_code, sent.headers["location"]) == (303, "/jobs")
    assert "reverification" in guarded.ask("GET", "/jobs", key, headers=page).text
    reader = guarded.make_key("default", "read")
    assert "Verify these answers again" not in guarded.ask("GET", path[:12], reader).text


@pytest.fixture
def watched(tmp_path: Path, warm_parser: Parser) -> Iterator[Guarded]:
    plan = {"default": 1, "budget": 0.03, "alpha": 0.01, "gap": 200}
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    settings = make_open_settings(tmp_path / "home", sampling_plan=tmp_path / "plan.json")
    with run_guarded(settings, warm_parser) as opened:
        opened.make_key("default")
        context = opened.tenants.default
        add_plain(context.store, TEXT, doc_id="agreement")
        with closing_sampler(context):
            for number in range(4):
                submit(context, make_payload(f"<b>{number}", BAD))
            verify_waiting(context)
        yield opened


def test_alarms_and_incidents_are_acknowledged(watched: Guarded) -> None:
    auditor, reader = watched.make_key("default", "audit"), watched.make_key("default", "read")
    own = {"origin": "http://127.0.0.1", "accept": "text/html"}
    before = watched.ask("GET", "/alarms", auditor).text
    assert "&lt;b&gt;0" in before
    paths = re.findall(r'action="(/alarms/[^"]+/acknowledgements)"', before)
    assert len(paths) == len(set(paths)) >= 5
    assert "acknowledgements" not in watched.ask("GET", "/alarms", reader).text
    data = {"reason": "the index is <i>rolled back</i>"}
    assert watched.ask("POST", paths[0], reader, data=data, headers=own).status_code == 403
    empty = watched.ask("POST", paths[0], auditor, data={"reason": " "}, headers=own)
    assert empty.status_code == 422
    sent = watched.ask("POST", paths[0], auditor, data=data, headers=own)
    assert (sent.status_code, sent.headers["location"]) == (303, "/alarms")
    after = watched.ask("GET", "/alarms", auditor).text
    assert paths[0] not in after
    assert f"Acknowledged by <bdi>{auditor.key.key_id}" in after.replace("key ", "")
    assert "the index is &lt;i&gt;rolled back&lt;/i&gt;" in after


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
