"""A witness over HTTP: its two resources, and what is not theirs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import structlog
from fastapi.testclient import TestClient

import spanproof.api.http.witness_app
from spanproof.api.http.witness_app import WitnessApp
from spanproof.operations.log.witness import WitnessFolder, name_log
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.receipt.witness.cosigned_list import parse_list
from spanproof.receipt.witness.cosigning import (
    MAX_REQUEST_BYTES,
    CosignRequest,
    Witness,
    read_answer,
    write_request,
)
from tests.receipt.samples import MemoryLog

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping
    from pathlib import Path

LOG = MemoryLog(entries=[b"entry %d" % number for number in range(9)])
FIRST = write_request(CosignRequest(old_size=0, hashes=(), note=LOG.note(5)))
LISTED = f"/{name_log(LOG.origin)}/cosigned"
HEAD = f"/{name_log(LOG.origin)}/checkpoint"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[WitnessFolder]:
    with WitnessFolder.open(tmp_path / "w", name="w.example", passphrase=None) as opened:
        yield opened


@pytest.fixture
def app(folder: WitnessFolder) -> WitnessApp:
    witness = Witness(
        cosigner=folder.cosigner,
        logs={LOG.origin: [LOG.key.verifier]},
        store=folder,
        clock=lambda: 1_700_000_000,
    )
    return WitnessApp(witness, folder)


@pytest.fixture
def client(app: WitnessApp) -> TestClient:
    return TestClient(app)


def test_all_that_was_cosigned_is_listed(client: TestClient, folder: WitnessFolder) -> None:
    assert client.get(LISTED).status_code == 404
    assert client.post("/add-checkpoint", content=FIRST).status_code == 200
    assert client.post("/add-checkpoint", content=LOG.prove_growth(5, 9)).status_code == 200
    answer = client.get(LISTED)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    found = parse_list(answer.content)
    assert (found.origin, [each.size for each in found.heads]) == (LOG.origin, [5, 9])
    key = folder.cosigner.verifier
    for each in found.heads:
        assert key.verify(parse_note(LOG.note(each.size)).text, each.content)
    assert client.post(LISTED).status_code == 405


def test_a_head_is_cosigned_and_shown(client: TestClient, folder: WitnessFolder) -> None:
    assert client.get(HEAD).status_code == 404
    answer = client.post("/add-checkpoint", content=FIRST)
    assert answer.status_code == 200
    line = read_answer(answer.content, parse_note(LOG.note(5)), folder.cosigner.verifier)
    shown = client.get(HEAD)
    assert shown.status_code == 200
    assert shown.headers["content-type"] == "text/plain; charset=utf-8"
    note = parse_note(shown.content)
    assert note.signatures[-1] == line
    assert note.signatures[0].name == LOG.origin


def test_a_conflict_tells_the_size_under_its_own_type(client: TestClient) -> None:
    client.post("/add-checkpoint", content=FIRST)
    answer = client.post("/add-checkpoint", content=FIRST)
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "text/x.tlog.size"
    assert answer.content == b"5\n"


def test_a_fork_is_refused_and_told_to_whoever_runs_the_witness(client: TestClient) -> None:
    client.post("/add-checkpoint", content=FIRST)
    fork = MemoryLog(entries=[b"another %d" % number for number in range(9)])
    request = write_request(CosignRequest(old_size=5, hashes=(), note=fork.note(5)))
    with structlog.testing.capture_logs() as events:
        answer = client.post("/add-checkpoint", content=request)
    assert answer.status_code == 422
    (event,) = events
    assert event["event"] == "witness.refused"
    assert event["body"] == request


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/add-checkpoint", 405),
        ("PUT", "/add-checkpoint", 405),
        ("POST", "/add-checkpoint/", 404),
        ("POST", HEAD, 405),
        ("GET", HEAD.upper(), 404),
        ("GET", HEAD[:20] + "/checkpoint", 404),
        ("GET", "/../witness.pem", 404),
        ("GET", "/sign-subtree", 404),
    ],
)
def test_there_is_nothing_else(client: TestClient, method: str, path: str, status: int) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert answer.content.startswith(b"Expected ")


def test_a_longer_body_than_any_request_is_413(client: TestClient) -> None:
    answer = client.post("/add-checkpoint", content=b"x" * (MAX_REQUEST_BYTES + 1))
    assert answer.status_code == 413
    assert client.post("/add-checkpoint", content=b"x").status_code == 400


def test_a_failed_write_is_503_and_says_nothing_of_the_disk(
    client: TestClient, tmp_path: Path
) -> None:
    (tmp_path / "w" / "heads" / name_log(LOG.origin)).mkdir()
    for _ in range(2):
        with structlog.testing.capture_logs() as events:
            answer = client.post("/add-checkpoint", content=FIRST)
        assert answer.status_code == 503
        assert b"Nothing was cosigned" in answer.content
        assert str(tmp_path).encode() not in answer.content
        assert events[0]["code"] == "LOG_STOPPED"


def call(app: WitnessApp, messages: list[dict[str, Any] | None]) -> list[Any]:
    """Answer a POST whose body comes in these messages; None never comes."""
    sent: list[Any] = []

    async def receive() -> MutableMapping[str, Any]:
        message = messages.pop(0)
        if message is None:
            await asyncio.Event().wait()
        return message or {}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/add-checkpoint"}
    asyncio.run(app(scope, receive, send))
    return sent


def test_a_body_in_pieces_is_read_whole(app: WitnessApp) -> None:
    pieces = [FIRST[at : at + 7] for at in range(0, len(FIRST), 7)]
    messages: list[dict[str, Any] | None] = [
        {"type": "http.request", "body": piece, "more_body": True} for piece in pieces
    ]
    start, body = call(app, [*messages, {"type": "http.request"}])
    assert start["status"] == 200
    assert body["body"].startswith("— w.example ".encode())


def test_a_body_that_stops_coming_is_408(app: WitnessApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spanproof.api.http.witness_app, "BODY_SECONDS", 0.05)
    start, _ = call(app, [{"type": "http.request", "body": b"old", "more_body": True}, None])
    assert start["status"] == 408
    assert (b"connection", b"close") in start["headers"]


def test_a_caller_that_went_away_is_answered_nothing_of_use(
    app: WitnessApp, folder: WitnessFolder
) -> None:
    first = {"type": "http.request", "body": FIRST, "more_body": True}
    start, _ = call(app, [first, {"type": "http.disconnect"}])
    assert start["status"] == 413
    assert folder.find_note(name_log(LOG.origin)) is None
