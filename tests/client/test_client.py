"""The client against the real application behind a real socket."""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import httpx
import pytest

import spanproof
from spanproof.client import (
    AsyncClient,
    Client,
    CredentialRefusedError,
    RequestConflictError,
    RequestRefusedError,
    ResourceNotFoundError,
    RetryPolicy,
    ServiceBusyError,
    ServiceFaultError,
    ServiceUnreachableError,
    calls,
)
from spanproof.core.errors import InputError, SettingsError, VerificationFailed
from spanproof.receipt.forms.bundle import parse_bundle
from tests.api.conftest import make_answer
from tests.sources import SENTENCE, make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.client.conftest import Served


class Pauses(list[float]):
    """Waits for nothing and remembers for how long it should have."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@contextmanager
def breaking_server(answers: list[bytes]) -> Iterator[str]:
    """Takes one connection for each answer, sends those bytes, and closes it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def run() -> None:
            for answer in answers:
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        thread = threading.Thread(target=run)
        thread.start()
        host, port = listening.getsockname()
        yield f"http://{host}:{port}"
        thread.join()


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def client(served: Served, pauses: Pauses) -> Iterator[Client]:
    with Client(served.url, pause=pauses) as client:
        yield client


def test_a_document_becomes_a_verified_answer_with_a_receipt(client: Client) -> None:
    document = client.ingest(
        make_pdf(), doc_id="terms", title="Terms", media_type="application/pdf"
    )
    assert (document.doc_id, document.pages, document.status) == ("terms", 1, "ok")
    assert not document.is_new
    text = client.text(document.doc_hash)
    assert len(text) == document.characters
    assert client.text("terms", 0, len(SENTENCE)) == SENTENCE
    place = client.locate(document.doc_hash, 0, len(SENTENCE))
    assert place["pages"][0]["page"] == 1
    verified = client.verify(make_answer(dict(document.raw)))
    assert verified.result == "pass"
    assert verified.all_spans_present
    assert verified.require() is verified
    bundle = client.receipt(verified.verification_id)
    assert parse_bundle(bundle).envelope.payload
    assert json.loads(bundle) == verified.raw["receipt"]


def test_the_same_bytes_again_are_not_new(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "again.txt"
    path.write_text("The same bytes come twice.", encoding="utf-8")
    assert client.ingest(path).is_new
    assert not client.ingest(path).is_new


def test_an_answer_that_fails_is_data_until_it_is_required_to_pass(client: Client) -> None:
    document = client.ingest(make_pdf())
    answer = make_answer(
        dict(document.raw), span={"text": "Words that stand in no document at all."}
    )
    verified = client.verify(answer, policy="strict")
    assert verified.result == "fail"
    with pytest.raises(VerificationFailed, match=verified.verification_id):
        verified.require()


def test_another_format_is_named_in_the_call(client: Client) -> None:
    payload = {"response": "Goods are replaced. [[REF:a]]", "retrieved": []}
    assert client.verify(payload, format="ref").result == "fail"


def test_a_malformed_answer_is_refused_with_its_fields(client: Client) -> None:
    with pytest.raises(RequestRefusedError) as caught:
        client.verify({"answer": 1, "citations": []})
    problem = caught.value.problem
    assert (problem.status, problem.code) == (422, "MALFORMED_ANSWER")
    assert problem.errors[0].pointer == "/answer"
    assert problem.request_id
    assert problem.hint in str(caught.value)


def test_what_is_not_kept_is_not_found(client: Client) -> None:
    with pytest.raises(ResourceNotFoundError) as caught:
        client.text("sha256:" + "0" * 64)
    assert caught.value.problem.code == "DOCUMENT_NOT_FOUND"
    with pytest.raises(ResourceNotFoundError):
        client.receipt("../../healthz")


def test_a_value_that_json_lacks_is_refused_before_it_is_sent(
    client: Client, served: Served
) -> None:
    with pytest.raises(InputError) as caught:
        client.verify({"answer": "a secret", "citations": [], "labels": {"x": float("nan")}})
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError):
        client.verify({"answer": "x", "citations": [{1, 2}]})
    assert served.door.seen == []


def test_a_busy_service_is_asked_again_after_what_it_says(
    client: Client, served: Served, pauses: Pauses
) -> None:
    served.door.refusals.extend(
        [(429, {"retry-after": "7"}), (503, {}), (503, {"retry-after": "0"})]
    )
    assert client.text("terms", 0, 3) == SENTENCE[:3]
    assert len(served.door.seen) == 4
    assert pauses[0] == 7
    assert 0 <= pauses[1] <= 1
    assert pauses[2] == 0


def test_every_try_of_one_call_has_the_same_key_and_every_call_its_own(
    client: Client, served: Served
) -> None:
    served.door.refusals.append((503, {"retry-after": "0"}))
    answer = {"answer": "No claims.", "citations": []}
    client.verify(answer)
    client.verify(answer)
    client.verify(answer, idempotency_key="mine")
    keys = [headers["idempotency-key"] for _, _, headers in served.door.seen]
    assert keys[0] == keys[1] != keys[2]
    assert keys[3] == "mine"


def test_a_service_that_stays_busy_is_given_up(
    client: Client, served: Served, pauses: Pauses
) -> None:
    served.door.refusals.extend([(503, {"retry-after": "1"})] * 10)
    with pytest.raises(ServiceBusyError) as caught:
        client.text("terms")
    assert caught.value.problem.code == "BUSY"
    assert pauses == [1, 1, 1]


def test_a_wait_that_is_too_long_is_the_callers_to_make(
    client: Client, served: Served, pauses: Pauses
) -> None:
    served.door.refusals.append((429, {"retry-after": "3600"}))
    with pytest.raises(ServiceBusyError):
        client.text("terms")
    assert pauses == []


def test_other_refusals_are_not_sent_again(client: Client, served: Served) -> None:
    for status, kind in ((400, RequestRefusedError), (500, ServiceFaultError)):
        served.door.refusals.append((status, {}))
        with pytest.raises(kind):
            client.text("terms")
    assert len(served.door.seen) == 2


def test_a_page_that_is_not_ours_is_an_error_that_quotes_none_of_it(
    client: Client, served: Served
) -> None:
    served.door.refusals.append((502, {"content-type": "text/html"}))
    with pytest.raises(ServiceFaultError, match="FOREIGN_ANSWER") as caught:
        client.text("terms")
    assert "BUSY" not in str(caught.value)
    served.door.refusals.append((200, {"content-type": "application/json"}))
    with pytest.raises(ServiceFaultError, match="FOREIGN_ANSWER"):
        client.verify({"answer": "x", "citations": []})


def test_a_connection_that_breaks_is_tried_again_where_that_does_no_harm(pauses: Pauses) -> None:
    body = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
    with (
        breaking_server(answers=[b"", body, b"", b"HTTP/1.1 200"]) as url,
        Client(url, pause=pauses, retry=RetryPolicy(tries=2)) as client,
    ):
        assert client.text("terms") == "abc"
        with pytest.raises(ServiceUnreachableError):
            client.text("terms")
    assert len(pauses) == 2


def test_a_port_where_nobody_listens_is_unreachable(pauses: Pauses) -> None:
    with (
        Client("http://127.0.0.1:9", pause=pauses, retry=RetryPolicy(tries=2)) as client,
        pytest.raises(ServiceUnreachableError),
    ):
        client.text("terms")
    assert len(pauses) == 1


@pytest.mark.parametrize("url", ["ftp://host", "127.0.0.1:8321", "http://", "http://u:p@host", ""])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SettingsError):
        Client(url)


def test_a_key_is_sent_in_the_clear_to_this_machine_only(served: Served) -> None:
    with pytest.raises(SettingsError, match="https"):
        Client("http://spanproof.example", key="k")
    # What the service makes of it is the service's matter.
    with Client(served.url, key="not-a-key") as client, suppress(CredentialRefusedError):
        client.text("terms", 0, 1)
    assert served.door.seen[0][2]["authorization"] == "Bearer not-a-key"


def test_a_production_answer_is_taken_and_its_sampling_told(client: Client) -> None:
    answer = {"answer": "It is so [1].", "citations": [], "answer_id": "taken-once"}
    first = client.submit_answer(answer)
    assert first.answer_id == "taken-once"
    assert 0 <= first.probability <= 1
    assert first.stratum
    assert isinstance(first.sampled, bool)
    payload = {"response": "It is so. [[REF:a]]", "retrieved": []}
    assert client.submit_answer(payload, format="ref").answer_id
    with pytest.raises(RequestRefusedError):
        client.submit_answer({"answer": 1})


def test_an_answer_without_an_id_gets_one_and_bytes_are_not_repeated() -> None:
    given = {"answer": "It is so [1].", "citations": []}
    named = calls.submit_answer(given, format="native", idempotency_key=None)
    assert named.repeatable
    assert json.loads(named.content or b"")["answer_id"]
    assert "answer_id" not in given
    raw = json.dumps(given).encode()
    plain = calls.submit_answer(raw, format="native", idempotency_key=None)
    assert plain.content == raw
    assert not plain.repeatable
    assert calls.submit_answer(raw, format="native", idempotency_key="k").repeatable


def test_a_job_is_shown_listed_and_cancelled(client: Client, served: Served) -> None:
    answer = {"answer": "It is so [1].", "citations": []}
    posted = httpx.post(f"{served.url}/v1/verifications?mode=async", json=answer, timeout=30)
    assert posted.status_code == 202, posted.text
    job = client.job(posted.json()["job_id"])
    assert job.kind == "verification"
    assert job.job_id in {each.job_id for each in client.jobs(kind="verification")}
    assert client.jobs(kind="bulk") == []
    try:
        job = client.cancel_job(job.job_id)
    except RequestConflictError:
        # It was over already.
        job = client.job(job.job_id)
    assert job.is_final or job.state in {"queued", "running"}
    with pytest.raises(ResourceNotFoundError):
        client.job("no-such-job")


def test_the_other_client_says_the_same_awaited(served: Served) -> None:
    waited: list[float] = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)

    async def use() -> Any:
        async with AsyncClient(served.url, pause=pause) as client:
            document = await client.ingest(make_pdf())
            served.door.refusals.append((429, {"retry-after": "2"}))
            verified = await client.verify(make_answer(dict(document.raw)))
            receipt = await client.receipt(verified.verification_id)
            text = await client.text(document.doc_hash)
            place = await client.locate(document.doc_hash, 0, 3)
            with pytest.raises(ResourceNotFoundError):
                await client.text("nothing")
            return verified, receipt, text, place

    verified, receipt, text, place = asyncio.run(use())
    assert verified.result == "pass"
    assert json.loads(receipt) == verified.raw["receipt"]
    assert text.startswith(SENTENCE)
    assert place["text"] == SENTENCE[:3]
    assert waited == [2]


def test_both_clients_have_the_same_methods() -> None:
    def methods(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    assert methods(Client) == methods(AsyncClient)
    for name in methods(Client):
        one, other = (inspect.signature(getattr(kind, name)) for kind in (Client, AsyncClient))
        assert one.parameters == other.parameters, name


def test_verify_takes_in_process_what_the_clients_take() -> None:
    """But for what only one of the two can have: a model and documents, or a key of the request."""
    here = dict(inspect.signature(spanproof.verify).parameters)
    there = dict(inspect.signature(Client.verify).parameters)
    assert set(here) - set(there) == {"model", "documents"}
    assert set(there) - set(here) == {"self", "idempotency_key"}
    for name in set(here) & set(there):
        assert here[name] == there[name]


CONTEXTS: list[str | dict[str, str]] = [
    "Invoices are paid in four days.",
    {"text": "Doors are locked.", "source": "rules"},
]


def test_contexts_go_out_as_retrieved_texts(client: Client) -> None:
    verified = client.verify("Invoices are paid in four days [1].", CONTEXTS)
    assert verified.result == "pass"
    (verdict,) = verified.block["verdicts"]
    assert verdict["identity"]["status"] == "SNIPPET"
    assert verified.raw["retrieved"][1] == {
        "chunk_id": "context-2",
        "text": "Doors are locked.",
        "doc_id": "rules",
    }


def test_contexts_beside_bytes_or_of_another_type_are_refused(client: Client) -> None:
    with pytest.raises(TypeError, match="expected a text or a mapping beside contexts, got bytes"):
        client.verify(b"{}", CONTEXTS)
    with pytest.raises(TypeError, match="contexts: expected a list of texts"):
        client.verify("a", "one text")


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_an_argument_of_another_type_is_named(kind: type[Client | AsyncClient]) -> None:
    with pytest.raises(TypeError, match="url: expected the service's address, a str, got int"):
        kind(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("ingest", ("lease.pdf",), r"document: expected bytes or a pathlib\.Path, got str"),
        ("verify_bulk", ("pairs.jsonl",), r"pairs: expected bytes or a pathlib\.Path, got str"),
        ("register_index", ("a", "b", 5), r"manifest: expected bytes or a pathlib\.Path, got int"),
        ("submit_answer", ("So it is.",), "answer: expected a mapping or bytes, got str"),
        ("receipt", (5,), "verification_id: expected a str, got int"),
        ("text", (5,), "ref: expected a str, got int"),
        ("job", (5,), "job_id: expected a str, got int"),
    ],
)
def test_a_call_names_an_argument_of_another_type(
    method: str, arguments: tuple[object, ...], message: str
) -> None:
    with Client("http://127.0.0.1:1") as client, pytest.raises(TypeError, match=message):
        getattr(client, method)(*arguments)
