"""Clients made to exhaust the service: what becomes of their work, and of everybody else's."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.app import create_app
from spanproof.api.http.routes import audit, spans
from spanproof.api.http.routes.administration import changes
from spanproof.api.http.routes.verification import attributions, fields, grammars
from spanproof.api.http.server import make_server_config
from spanproof.core.errors import OutputError
from spanproof.operations.errors import CallerGoneError
from spanproof.operations.settings import Settings
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import IntakeError
from tests.api.conftest import keep_document, run_client
from tests.builders import ScriptedModel
from tests.operations.audited import take_document, verify_answer
from tests.serving import START_SECONDS, run_server

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.context import Context

#: Words that differ from those of the source at every seventh place.
SOURCE = " ".join(f"word{number}" for number in range(9000))
ALTERED = [
    " ".join("other" if place % 7 == 0 else word for place, word in enumerate(words))
    for words in (SOURCE.split()[start : start + 2000] for start in range(0, 7000, 50))
]


def _write_request(method: str, path: str, body: bytes, kind: str = "application/json") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def _wait_for_closed_intake(context: Context) -> IntakeError:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = [context.log.find_statement(index) for index in range(context.log.head().size)]
        events = [
            parse_event(each.statement.payload)
            for each in found
            if each is not None and each.statement.kind == IntakeError.KIND
        ]
        for event in events:
            if isinstance(event, IntakeError):
                return event
        time.sleep(0.05)
    msg = "Expected an intake that was closed by its error, got none."
    raise AssertionError(msg)


@pytest.mark.long
def test_work_of_a_client_that_hangs_up_ends(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", cross_check_rate=0.0, budget_seconds=600)
    app = create_app(settings, parts={"model": ScriptedModel()})
    config = make_server_config(app, host="127.0.0.1", port=0, log_level="critical", ws="none")
    with run_server(config) as address:
        with socket.create_connection(address, timeout=START_SECONDS) as connection:
            path = "/v1/documents?doc_id=a"
            connection.sendall(_write_request("PUT", path, SOURCE.encode(), "text/plain"))
            assert connection.recv(4096).startswith(b"HTTP/1.1 201")
        citations = [
            {"anchor": number, "doc_id": "a", "span": {"text": text}}
            for number, text in enumerate(ALTERED)
        ]
        prose = " ".join(f"It is so [{number}]." for number in range(len(ALTERED)))
        raw = json.dumps({"answer": prose, "citations": citations}).encode()
        with socket.create_connection(address, timeout=START_SECONDS) as connection:
            connection.sendall(_write_request("POST", "/v1/verifications", raw))
        context: Context = app.state.context
        event = _wait_for_closed_intake(context)
        assert event.code == "CLIENT_DISCONNECTED"
        assert context.store.answers.list().items == ()


#: Two hundred sentences and as many texts; three thousand fields; two hundred labelled turns; as
#: many tokens and chunks.
_TURN = {
    "role": "assistant",
    "response": " ".join(f"Value {number} holds." for number in range(900)),
    "context": {
        "terms": {"fields": {f"f{number}": f"value {number} here" for number in range(3000)}}
    },
}
_LABELLED = _TURN | {"labels": {f"terms.f{number}": True for number in range(200)}}
_CHUNKS = [{"text": f"Clause word{number} binds all."} for number in range(200)]
#: The request, and what works for it.
LONG_WORK: dict[str, tuple[str, Any, Any, str]] = {
    "attributions": (
        "POST /v1/attributions",
        {
            "answer": " ".join(f"The clause {number} binds word{number}." for number in range(200)),
            "retrieved": _CHUNKS,
        },
        attributions,
        "attribute_payload",
    ),
    "fields": ("POST /v1/fields", _TURN, fields, "describe_turn"),
    "calibrations": (
        "POST /v1/fields/calibrations",
        {"rows": [_LABELLED] * 20},
        fields,
        "calibrate_rows",
    ),
    "clean texts": (
        "POST /v1/clean-texts",
        {"text": "It is so [1]. " * 200},
        grammars,
        "clean_payload",
    ),
    "prompts": (
        "POST /v1/prompts",
        {"retrieved": [each | {"chunk_id": "c", "doc_id": "agreement"} for each in _CHUNKS]},
        grammars,
        "make_prompt",
    ),
    "a quote": ("GET /v1/documents/agreement/find?quote=never", None, spans, "find"),
    "rehearsals": ("POST /v1/rehearsals", {"policy": "strict"}, changes, "rehearse"),
    "export": ("GET /v1/audit/export?since=2020-01-01T00:00:00Z", None, audit, "export_pack"),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", LONG_WORK)
def test_other_work_of_a_client_that_hangs_up_ends_too(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line, body, module, name = LONG_WORK[kind]
    work = getattr(module, name)
    began, ended, given_up = threading.Event(), threading.Event(), threading.Event()

    def watch(*given: Any, **named: Any) -> Any:
        began.set()
        try:
            # What is asked for takes long, however fast this machine is. A pack is written once.
            while not given_up.is_set():
                with suppress(OutputError):
                    work(*given, **named)
        except CallerGoneError:
            ended.set()
            raise

    monkeypatch.setattr(module, name, watch)
    settings = Settings(home=tmp_path / "home", cross_check_rate=0.0, budget_seconds=600)
    app = create_app(settings, parts={"model": ScriptedModel()})
    config = make_server_config(app, host="127.0.0.1", port=0, log_level="critical", ws="none")
    with run_server(config) as address:
        verify_answer(app.state.context, take_document(app.state.context))
        method, path = line.split()
        raw = b"" if body is None else json.dumps(body).encode()
        with socket.create_connection(address, timeout=START_SECONDS) as connection:
            connection.sendall(_write_request(method, path, raw))
            assert began.wait(60)
        is_over = ended.wait(60)
        given_up.set()
        assert is_over


@pytest.mark.parametrize(
    "kind", [kind for kind in LONG_WORK if kind not in {"attributions", "rehearsals", "export"}]
)
def test_work_that_cannot_be_cut_short_is_refused_when_its_time_is_spent(
    settings: Settings, warm_parser: Parser, kind: str
) -> None:
    hasty = settings.model_copy(update={"budget_seconds": 1e-9})
    method, path = LONG_WORK[kind][0].split()
    with run_client(hasty, parser=warm_parser) as client:
        keep_document(client)
        response = client.request(method, path, json=LONG_WORK[kind][1])
    assert response.json()["code"] == "REQUEST_TOO_COSTLY"
    assert response.status_code == 422
