"""Erasing over HTTP: what is named whole goes, its tombstone says so, its receipt stays."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.operations.settings import Settings
from spanproof.receipt.check.receipt import check_tombstone
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Erasure
from tests.api.access import run_guarded
from tests.api.conftest import check_problem, context_of, make_answer, post_answer, run_client
from tests.databases import HOMES
from tests.operations.audited import load_trust
from tests.sources import make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastapi.testclient import TestClient

    from spanproof.ingest.sandbox import Parser

ABSENT = str(Digest.of(b"nothing"))
#: Each test has a document of its own; the home is the module's.
NUMBERS = iter(range(100))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[TestClient]:
    home = tmp_path_factory.mktemp("erasures") / "home"
    settings = Settings(
        home=home,
        database_url=HOMES.find(home),
        model=None,
        test_data=None,
        cross_check_rate=0.0,
        # Every submitted answer is chosen, and waits: nothing here runs a job.
        sampling_rate=1.0,
        job_threads=0,
    )
    with run_client(settings, parser=warm_parser) as client:
        yield client


@pytest.fixture
def document(client: TestClient) -> dict[str, Any]:
    name = f"agreement-{next(NUMBERS)}"
    put = client.put("/v1/documents", params={"doc_id": name}, content=make_pdf(f"Of {name}."))
    assert put.status_code == 201, put.text
    row: dict[str, Any] = put.json()
    return row


def verify(client: TestClient, document: dict[str, Any]) -> str:
    made = post_answer(client, make_answer(document))
    assert made.status_code == 200, made.text
    return str(made.json()["verification_id"])


def ask(client: TestClient, kind: str, subject: str, **given: Any) -> Any:
    wanted = {"kind": kind, "subject": subject, "reason": "asked for"} | given
    return client.post("/v1/erasures", json=wanted)


def test_a_verification_goes_and_its_receipt_stays(
    client: TestClient, document: dict[str, Any]
) -> None:
    gone = verify(client, document)
    path = f"/v1/verifications/{gone}"
    receipt = client.get(f"{path}/receipt").content
    response = ask(client, "verification", gone, reason="  asked for by the customer ")
    assert response.status_code == 200, response.text
    (row,) = response.json()["erased"]
    assert (row["kind"], row["subject"]) == ("verification", gone)
    assert row["reason"] == "asked for by the customer"
    assert row["removed"] == len(row["contents"]) == 2
    check_problem(client.get(path), 410, "VERIFICATION_ERASED")
    assert client.get(f"{path}/receipt").content == receipt
    bundle = json.dumps(row["bundle"]).encode()
    trust = load_trust(context_of(client))
    event = check_tombstone(bundle, trust, now=datetime.now(UTC)).event
    assert (event.verification_id, event.reason) == (gone, "asked for by the customer")
    # The same again adds no second tombstone, and keeps the first reason.
    (again,) = ask(client, "verification", gone, reason="another").json()["erased"]
    assert again == row | {"removed": 0}
    assert client.get(f"/v1/documents/{document['doc_hash']}").status_code == 200


def test_a_submitted_answer_goes_by_its_own_id(
    client: TestClient, document: dict[str, Any]
) -> None:
    sent = client.post("/v1/answers", content=json.dumps(make_answer(document)))
    assert sent.status_code == 202, sent.text
    answer_id = sent.json()["answer_id"]
    assert sent.json()["sampled"]
    (row,) = ask(client, "answer", answer_id).json()["erased"]
    assert (row["kind"], row["subject"], row["removed"]) == ("answer", answer_id, 1)
    bundle = json.dumps(row["bundle"]).encode()
    told = check_tombstone(bundle, load_trust(context_of(client)), now=datetime.now(UTC)).event
    assert [str(each) for each in told.contents] == row["contents"]
    (group,) = client.get("/v1/rates").json()["groups"]
    assert (group["verified"], group["erased"], group["judge_flagged"]) == (0, 1, None)


def test_a_document_goes_with_what_quotes_it_if_that_is_asked_for(
    client: TestClient, document: dict[str, Any]
) -> None:
    quoting = verify(client, document)
    (row,) = ask(client, "document", document["doc_hash"]).json()["erased"]
    assert row["still_quoted_by"] == [quoting]
    check_problem(client.get(f"/v1/documents/{document['doc_id']}"), 410, "DOCUMENT_ERASED")
    assert client.get(f"/v1/verifications/{quoting}").status_code == 200
    wanted = ask(client, "document", document["doc_hash"], with_verifications=True)
    first, second = wanted.json()["erased"]
    assert (first["removed"], first["still_quoted_by"]) == (0, [])
    assert (second["kind"], second["subject"]) == ("verification", quoting)
    check_problem(client.get(f"/v1/verifications/{quoting}"), 410, "VERIFICATION_ERASED")


BAD: dict[str, tuple[Any, int, str]] = {
    "no JSON": (b"{", 422, "MALFORMED_ANSWER"),
    "nothing": ({}, 422, "MALFORMED_PARAMETER"),
    "no reason": ({"kind": "document", "subject": ABSENT}, 422, "MALFORMED_PARAMETER"),
    "an empty reason": ({"reason": ""}, 422, "MALFORMED_PARAMETER"),
    "a blank reason": ({"reason": "  "}, 422, "MALFORMED_INPUT"),
    "a long reason": ({"reason": "x" * 501}, 422, "MALFORMED_PARAMETER"),
    "another kind": ({"kind": "log"}, 422, "MALFORMED_PARAMETER"),
    "a strange field": ({"force": True}, 422, "MALFORMED_PARAMETER"),
    "a flag in words": ({"with_verifications": "yes"}, 422, "MALFORMED_PARAMETER"),
    "a part of a hash": ({"subject": ABSENT[:20]}, 422, "MALFORMED_DIGEST"),
    "a doc_id": ({"subject": "agreement"}, 422, "MALFORMED_DIGEST"),
    "no such document": ({}, 404, "NOT_FOUND"),
    "no such answer": ({"kind": "answer", "subject": "a-1"}, 404, "NOT_FOUND"),
    "no such verification": ({"kind": "verification", "subject": "v-1"}, 404, "NOT_FOUND"),
    "a document as a verification": ({"kind": "verification"}, 404, "NOT_FOUND"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_not_named_whole_erases_nothing(client: TestClient, name: str) -> None:
    body, status, code = BAD[name]
    whole = {"kind": "document", "subject": ABSENT, "reason": "asked for"}
    if isinstance(body, bytes):
        content = body
    else:
        content = json.dumps(body if name in {"nothing", "no reason"} else whole | body).encode()
    before = context_of(client).store.erasures.list()
    check_problem(client.post("/v1/erasures", content=content), status, code)
    assert context_of(client).store.erasures.list() == before


def test_a_request_is_not_answered_again_with_what_was_erased(
    client: TestClient, document: dict[str, Any]
) -> None:
    content = json.dumps(make_answer(document)).encode()
    key = {"Idempotency-Key": f"erased-{document['doc_id']}"}
    made = client.post("/v1/verifications", content=content, headers=key)
    assert made.status_code == 200
    ask(client, "verification", made.json()["verification_id"])
    again = client.post("/v1/verifications", content=content, headers=key)
    check_problem(again, 410, "VERIFICATION_ERASED")


def test_an_extraction_is_no_document(client: TestClient, document: dict[str, Any]) -> None:
    check_problem(ask(client, "document", document["extraction_id"]), 404, "NOT_FOUND")
    assert client.get(f"/v1/documents/{document['doc_hash']}").status_code == 200


def test_only_an_administrator_erases_and_the_tombstone_names_the_key(
    tmp_path: Path, warm_parser: Parser
) -> None:
    home = tmp_path / "home"
    settings = Settings(
        home=home, database_url=HOMES.find(home), model=None, test_data=None, cross_check_rate=0.0
    )
    with run_guarded(settings, warm_parser) as guarded:
        key = str(guarded.make_key("alpha").text)
        others = guarded.make_key("alpha", "ingest", "verify", "read", "audit").text
        stranger = guarded.make_key("beta").text
        put = guarded.ask("PUT", "/v1/documents", key, content=make_pdf())
        subject = put.json()["doc_hash"]
        body = json.dumps({"kind": "document", "subject": subject, "reason": "asked for"}).encode()
        refused = guarded.ask("POST", "/v1/erasures", others, content=body)
        check_problem(refused, 403, "SCOPE_MISSING")
        foreign = guarded.ask("POST", "/v1/erasures", stranger, content=body)
        check_problem(foreign, 404, "NOT_FOUND")
        assert guarded.ask("GET", f"/v1/documents/{subject}", key).status_code == 200
        done = guarded.ask("POST", "/v1/erasures", key, content=body)
        assert done.status_code == 200, done.text
        with guarded.tenants.using("alpha") as context:
            index = done.json()["erased"][0]["tombstone"]["index"]
            stored = context.log.find_statement(index)
            assert stored is not None
            event = parse_event(stored.statement.payload)
        assert isinstance(event, Erasure)
        assert event.actor.key_id == key.partition(".")[0]
