"""Every door that shows evidence writes down who asked; the log of it is exported."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.routing import APIRoute

from spanproof.api.http.requests.recording import Recorded
from spanproof.operations.settings import Settings
from tests.api.access import Guarded, run_guarded
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanproof.ingest.sandbox import Parser


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[Guarded]:
    home = tmp_path_factory.mktemp("accesses") / "home"
    settings = Settings(
        home=home,
        database_url=None,
        model=None,
        test_data=None,
        cross_check_rate=0.0,
        access_log=True,
    )
    with run_guarded(settings, warm_parser) as opened:
        yield opened


def test_what_is_shown_is_written_down_with_its_key(guarded: Guarded) -> None:
    key = str(guarded.make_key("alpha").text)
    put = guarded.ask("PUT", "/v1/documents", key, content=SENTENCE.encode()).json()
    citation = {"anchor": 1, "doc_hash": put["doc_hash"], "span": {"text": SENTENCE}}
    answer = {"answer": f"{SENTENCE[:-1]} [1].", "citations": [citation]}
    made = guarded.ask("POST", "/v1/verifications", key, content=json.dumps(answer).encode())
    name = made.json()["verification_id"]
    document = f"/v1/documents/{put['doc_hash']}"
    for path in (
        document,
        f"{document}/source",
        f"{document}/text",
        f"/v1/verifications/{name}",
        f"/v1/verifications/{name}/receipt",
        f"/v1/audit/export?verification_id={name}",
        f"/answers/{name}",
        f"/documents/{put['doc_hash']}",
    ):
        assert guarded.ask("GET", path, key).status_code == 200, path
    today = datetime.now(UTC).date().isoformat()
    rows: list[dict[str, Any]] = guarded.ask("GET", f"/v1/accesses/{today}", key).json()["accesses"]
    assert [(row["door"], row["kind"], row["subject"]) for row in rows] == [
        ("api", "document", put["doc_hash"]),
        ("api", "document", put["doc_hash"]),
        ("api", "document", put["doc_hash"]),
        ("api", "answer", name),
        ("api", "answer", name),
        ("api", "pack", name),
        ("console", "answer", name),
        ("console", "document", put["doc_hash"]),
        # Who reads the log stands in it too.
        ("api", "accesses", today),
    ]
    assert {row["key_id"] for row in rows} == {key.partition(".")[0]}
    csv = guarded.ask("GET", f"/v1/accesses/{today}?format=csv", key).text
    assert csv.splitlines()[0] == "at,door,kind,subject,key_id,oidc_sub_hash,user"
    lines = guarded.ask("GET", f"/v1/accesses/{today}?format=ndjson", key).text.splitlines()
    assert json.loads(lines[0]) == rows[0]
    (day,) = guarded.ask("GET", "/v1/accesses", key).json()["days"]
    assert (day["day"], day["is_logged"]) == (today, False)


def test_lists_proofs_and_rows_are_written_down_too(guarded: Guarded) -> None:
    key = str(guarded.make_key("gamma").text)
    put = guarded.ask("PUT", "/v1/documents", key, content=SENTENCE.encode()).json()
    citation = {"anchor": 1, "doc_hash": put["doc_hash"], "span": {"text": SENTENCE}}
    answer = {"answer": f"{SENTENCE[:-1]} [1].", "citations": [citation]}
    made = guarded.ask("POST", "/v1/verifications", key, content=json.dumps(answer).encode())
    name = made.json()["verification_id"]
    job_id = "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11"
    wanted = {
        f"/v1/answers?doc_hash={put['doc_hash']}": (
            "api",
            "answers",
            f"doc_hash={put['doc_hash']}",
        ),
        "/v1/verifications?limit=5": ("api", "answers", "limit=5"),
        f"/v1/verifications/{name}/receipt.tlog-proof": ("api", "answer", name),
        f"/v1/bulk-verifications/{job_id}/rows": ("api", "rows", job_id),
        # What is searched for may be an answer's own words.
        "/answers.csv?q=days&result=pass": ("console", "answers", "result=pass"),
    }
    for path in wanted:
        # That there is no such job is an answer too.
        assert guarded.ask("GET", path, key).status_code == (404 if job_id in path else 200), path
    today = datetime.now(UTC).date().isoformat()
    rows = guarded.ask("GET", f"/v1/accesses/{today}", key).json()["accesses"]
    shown = [(row["door"], row["kind"], row["subject"]) for row in rows]
    assert shown == [*wanted.values(), ("api", "accesses", today)]


#: What is read and is no evidence: no document's or answer's words, no list of kept answers.
NOT_EVIDENCE = {
    # Of the service itself: its pages, its state, its configuration, its log's hashes.
    "/healthz",
    "/readyz",
    "/version",
    "/metrics",
    "/openapi.json",
    "/docs",
    "/docs/{name}",
    "/static/console/{name}",
    "/login",
    "/access",
    "/log",
    "/jobs",
    "/alarms",
    "/playground",
    "/v1/keys",
    "/v1/webhooks",
    "/v1/webhooks/{webhook_id}/deliveries",
    "/v1/configuration/citations",
    "/v1/configuration/words",
    "/v1/configuration/policies",
    # Who gave a job its answers is told how they end, by their ids.
    "/v1/jobs",
    "/v1/jobs/{job_id}",
    "/v1/jobs/{job_id}/events",
    "/v1/log/checkpoint",
    "/v1/log/tile/{path:path}",
    "/v1/accesses",
    "/v1/retention",
    "/v1/holds",
    # Counts and names.
    "/reports",
    "/drift",
    "/v1/rates",
    "/v1/indexes",
    "/v1/indexes/{name}/versions",
    "/v1/indexes/{name}/drift",
    "/documents",
    "/v1/documents",
    "/v1/documents/{ref:path}/changes",
}


def _find_routes(routes: Iterable[Any]) -> Iterator[Any]:
    for route in routes:
        # Newer releases of FastAPI keep a router whole, older ones its routes.
        router = getattr(route, "original_router", None)
        if router is None:
            yield route
        else:
            yield from _find_routes(router.routes)


def _is_recorded(route: Any) -> bool:
    # A plain route of Starlette has no dependencies.
    dependencies = route.dependant.dependencies if isinstance(route, APIRoute) else ()
    return any(isinstance(each.call, Recorded) for each in dependencies)


def test_every_route_of_evidence_writes_down_who_asked(guarded: Guarded) -> None:
    routes = [route for route in _find_routes(guarded.app.routes) if getattr(route, "methods", ())]
    reads = [route for route in routes if "GET" in route.methods]
    assert {route.path for route in reads if not _is_recorded(route)} == NOT_EVIDENCE
    # Of those that are sent something, these show what is kept.
    sent = {route.path for route in routes if route not in reads and _is_recorded(route)}
    assert sent == {"/v1/rehearsals", "/access/rehearsals"}


def test_a_tenant_sees_its_own_lines_only(guarded: Guarded) -> None:
    other = str(guarded.make_key("beta").text)
    assert guarded.ask("GET", "/v1/accesses", other).json() == {"days": []}
    assert guarded.ask("GET", "/v1/accesses/soon", other).status_code == 422
