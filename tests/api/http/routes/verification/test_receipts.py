from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import BlobDigestMismatchError, LogStoppedError
from spanproof.operations.log.opening import to_log_mark
from spanproof.receipt.forms.bundle import MEDIA_TYPE, parse_bundle
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Intake, IntakeError
from tests.api.conftest import context_of, post_answer, run_client
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.settings import Settings

VERIFICATION, DIGEST = "33333333-3333-4333-8333-333333333333", Digest.of(b"request")
ANSWER: dict[str, Any] = {
    "answer": "It is replaced soon [1].",
    "citations": [{"anchor": 1, "doc_id": "agreement", "span": {"text": SENTENCE}}],
}


def _post(client: TestClient) -> tuple[str, dict[str, Any]]:
    body = post_answer(client, ANSWER).json()
    return f"/v1/verifications/{body['verification_id']}", body


def test_the_receipt_is_answered_and_served_as_a_file(
    client: TestClient, document: dict[str, Any]
) -> None:
    path, body = _post(client)
    response = client.get(f"{path}/receipt")
    assert response.status_code == 200
    assert response.headers["content-type"] == MEDIA_TYPE
    assert response.headers["etag"] == f'"{Digest.of(response.content).hex}"'
    name = f"{body['verification_id']}.sigstore.json"
    assert response.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert response.json() == body["receipt"]
    assert parse_bundle(response.content).included.checkpoint.size == 3
    assert client.get(path).json() == body
    assert document["doc_hash"] in json.dumps(body)


@pytest.mark.parametrize("form", ['"{}"', 'W/"{}"', '"other", "{}"'])
def test_a_receipt_that_the_caller_has_is_not_sent_again(client: TestClient, form: str) -> None:
    path, _ = _post(client)
    etag = client.get(f"{path}/receipt").headers["etag"].strip('"')
    again = client.get(f"{path}/receipt", headers={"If-None-Match": form.format(etag)})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == f'"{etag}"'
    other = client.get(f"{path}/receipt", headers={"If-None-Match": '"0"'})
    assert other.status_code == 200


def test_no_such_verification_is_not_found(client: TestClient) -> None:
    response = client.get("/v1/verifications/11111111-1111-4111-8111-111111111111/receipt")
    assert response.status_code == 404
    assert response.json()["code"] == "VERIFICATION_NOT_FOUND"


def test_what_was_verified_before_there_were_receipts_has_none(client: TestClient) -> None:
    path, body = _post(client)
    store, old = context_of(client).store, "22222222-2222-4222-8222-222222222222"
    stored = store.answers.load(body["verification_id"])
    store.answers.add(
        stored.raw,
        stored.block,
        verification_id=old,
        answer_id="old",
        verified_at=stored.verified_at,
    )
    response = client.get(f"/v1/verifications/{old}/receipt")
    assert response.status_code == 404
    assert response.json()["code"] == "RECEIPT_NOT_FOUND"
    assert client.get(f"/v1/verifications/{old}").json()["receipt"] is None
    page = client.get(f"/answers/{old}").text
    assert "older than receipts" in page
    assert f"{path}/receipt" in client.get(path.replace("/v1/verifications", "/answers")).text


def test_a_log_that_has_stopped_answers_nothing_and_is_not_ready(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = context_of(client).issuer.log

    def refuse(*_: Any, **__: Any) -> Any:
        raise LogStoppedError("Expected a log that could be written, got none.", hint="Mend it.")

    monkeypatch.setattr(log, "append", refuse)
    monkeypatch.setattr(log, "check_open", refuse)
    response = post_answer(client, ANSWER)
    assert response.status_code == 503
    assert response.json()["code"] == "LOG_STOPPED"
    assert response.headers["retry-after"]
    assert client.get("/v1/verifications").json()["verifications"] == []
    ready = client.get("/readyz")
    assert ready.status_code == 503
    assert [each["pointer"] for each in ready.json()["errors"]] == ["/log"]


def test_keys_that_others_can_read_sign_nothing(client: TestClient) -> None:
    context = context_of(client)
    for path in context.issuer.keys.folder.glob("*.pem"):
        path.chmod(0o644)
    context.parts.intakes.close()
    response = post_answer(client, ANSWER)
    assert response.status_code == 503
    assert response.json()["code"] == "KEY_UNAVAILABLE"


def test_the_page_of_an_answer_says_what_its_receipt_shows(client: TestClient) -> None:
    path, body = _post(client)
    page = client.get(f"/answers/{body['verification_id']}").text
    assert f'href="{path}/receipt" download' in page
    assert "It does not prove" in page
    assert context_of(client).log.origin in page


def test_a_start_closes_what_a_killed_one_left_open(
    settings: Settings, warm_parser: Parser
) -> None:
    with run_client(settings, parser=warm_parser) as client:
        context = context_of(client)
        intakes, issuer = context.intakes, context.issuer
        intake = Intake(
            **issuer.make_head(),
            verification_id=VERIFICATION,
            request_digest=DIGEST,
            process=intakes.process,
        )
        issuer.log_event(intake, subject=VERIFICATION)
        # As after a kill: the lock is gone, its file stays.
        intakes._owner.close(is_kept=True)
    with run_client(settings) as client:
        log = context_of(client).log
        assert log.open_intakes() == ()
        event = parse_event(log.find_statements(VERIFICATION)[-1].statement.payload)
        assert isinstance(event, IntakeError)
        assert event.reason == "interrupted"


def test_a_log_that_cannot_be_opened_does_not_stop_the_start(settings: Settings) -> None:
    with run_client(settings) as client:
        path, _ = _post(client)
    to_log_mark(settings).unlink()
    with run_client(settings) as client:
        assert client.get(path).status_code == 200
        assert client.get(f"{path}/receipt").status_code == 200
        response = post_answer(client, ANSWER)
        assert (response.status_code, response.json()["code"]) == (503, "LOG_ROLLED_BACK")
        assert [each["pointer"] for each in client.get("/readyz").json()["errors"]] == ["/log"]


def test_a_receipt_that_cannot_be_read_hides_no_verification(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, body = _post(client)

    def fail(*_: Any) -> Any:
        raise BlobDigestMismatchError("Expected a receipt of one digest.", hint="Restore it.")

    monkeypatch.setattr("spanproof.store.receipts.Receipts.find", fail)
    page = client.get(f"/answers/{body['verification_id']}")
    assert page.status_code == 200
    assert "an error of our store" in page.text
    assert f"{path}/receipt" not in page.text
    assert client.get(f"{path}/receipt").json()["code"] == "BLOB_DIGEST_MISMATCH"
