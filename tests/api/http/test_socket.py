"""The application behind a real socket, as ``serve`` runs it."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import uvicorn

from spanproof.api.console import login
from spanproof.api.http.app import create_app
from spanproof.api.http.server import MAX_HEAD_BYTES, make_server_config
from spanproof.operations.settings import Settings
from tests import sources
from tests.api.conftest import check_problem, make_answer
from tests.builders import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Iterator

CAP = 2 * 1024**2
START_SECONDS = 20


@contextmanager
def _serve(settings: Settings) -> Iterator[tuple[str, int]]:
    app = create_app(settings, parts={"model": ScriptedModel()})
    options: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": 0,
        "log_level": "critical",
        "ws": "none",
    }
    config = make_server_config(app, **options)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        deadline = time.monotonic() + START_SECONDS
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        host, port = server.servers[0].sockets[0].getsockname()
        yield host, port
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    settings = Settings(
        home=tmp_path_factory.mktemp("served") / "home",
        max_document_bytes=CAP,
        stall_seconds=0.5,
        upload_seconds=2,
    )
    with _serve(settings) as address:
        yield address


@pytest.fixture
def http(address: tuple[str, int]) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://{address[0]}:{address[1]}", timeout=30) as client:
        yield client


def _chunks(total: int) -> Iterator[bytes]:
    for _ in range(0, total, 65536):
        yield b"x" * 65536


def _exchange(address: tuple[str, int], *parts: bytes, pause: float = 0.0) -> bytes:
    """Send these bytes with pauses between them and read the answer to its end."""
    with socket.create_connection(address, timeout=20) as connection:
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)
        received = b""
        while b"\r\n\r\n" not in received or not received.endswith(b"}"):
            more = connection.recv(65536)
            if not more:
                break
            received += more
    return received


def test_the_main_job_end_to_end(http: httpx.Client) -> None:
    put = http.put("/v1/documents", content=sources.make_pdf())
    assert put.status_code == 201, put.text
    row: dict[str, Any] = put.json()
    text = http.get(f"/v1/documents/{row['doc_hash']}/text").text
    start = text.index(sources.SECOND)
    span: dict[str, Any] = {
        "text": sources.SECOND,
        "char_start": start,
        "char_end": start + len(sources.SECOND),
    }
    place = http.get(
        f"/v1/documents/{row['doc_hash']}/locate",
        params={"start": span["char_start"], "end": span["char_end"]},
    ).json()["pages"][0]
    locator = {"page": place["page"], "bbox": place["bbox"]}
    answer = make_answer(row, span=span, pdf_locator=locator)
    posted = http.post("/v1/verifications", content=json.dumps(answer).encode())
    assert posted.status_code == 200, posted.text
    body = posted.json()
    (verdict,) = body["verification"]["verdicts"]
    assert verdict["existence"]["status"] == "EXACT"
    assert verdict["locator"]["status"] == "MATCH"
    assert verdict["outcome"] == "pass"
    assert http.get(f"/v1/verifications/{body['verification_id']}").json() == body
    assert http.get(f"/v1/documents/{row['doc_hash']}/pages/1.png").content[1:4] == b"PNG"
    assert http.get("/").status_code == 200


def test_a_declared_length_over_the_cap_is_refused_before_a_byte_is_sent(
    address: tuple[str, int], http: httpx.Client
) -> None:
    head = (
        b"PUT /v1/documents HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
        b"Content-Length: 10000000000\r\n\r\n"
    )
    received = _exchange(address, head)
    assert received.startswith(b"HTTP/1.1 413 ")
    assert b"LIMIT_EXCEEDED" in received
    assert http.get("/healthz").status_code == 200


def test_a_chunked_body_over_the_cap_is_refused_while_it_comes(http: httpx.Client) -> None:
    check_problem(http.put("/v1/documents", content=_chunks(64 * CAP)), 413, "LIMIT_EXCEEDED")
    assert http.put("/v1/documents", content=_chunks(CAP)).status_code == 201


def test_a_body_that_stops_coming_is_given_up(address: tuple[str, int], http: httpx.Client) -> None:
    head = b"PUT /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
    started = time.monotonic()
    received = _exchange(address, head, b"some words")
    assert received.startswith(b"HTTP/1.1 408 ")
    assert b"UPLOAD_STALLED" in received
    assert b"without pauses" in received
    assert time.monotonic() - started < 5
    assert http.get("/healthz").status_code == 200


@pytest.mark.long
def test_a_body_that_drips_is_given_up(address: tuple[str, int], http: httpx.Client) -> None:
    head = b"PUT /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
    received = _exchange(address, head, *[b"x"] * 11, pause=0.2)
    assert received.startswith(b"HTTP/1.1 408 ")
    # It came all the time: that it pauses is not what is wrong with it.
    assert b"SPANPROOF_UPLOAD_SECONDS" in received
    assert http.get("/healthz").status_code == 200


def test_a_form_that_drips_is_given_up_sooner(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login, "_MOST_FORM_SECONDS", 0.3)
    head = (
        b"POST /login HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n"
        b"Content-Length: 1000\r\n\r\n"
    )
    # A document may take longer.
    received = _exchange(address, head, *[b"x"] * 7, pause=0.2)
    assert received.startswith(b"HTTP/1.1 408 ")
    (count,) = re.findall(rb"got (\d+) bytes", received)
    assert int(count) < 5


def test_a_connection_that_ends_early_leaves_nothing(
    address: tuple[str, int], http: httpx.Client
) -> None:
    def count() -> int:
        return len(http.get("/v1/documents?limit=200").json()["documents"])

    before = count()
    head = b"PUT /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(head + b"some words")
    assert http.get("/healthz").status_code == 200
    assert count() == before


@pytest.mark.parametrize(
    ("begin", "filler"),
    [
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ", b"x" * 1024),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b"X-Many: 1\r\n" * 100),
        (b"GET /", b"x" * 1024),
        (
            b"POST /v1/answers HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n2\r\n{}\r\n0\r\n"
            % b"Transfer-Encoding: chunked",
            b"X-Many: 1\r\n" * 100,
        ),
    ],
    ids=["one header", "many headers", "the path", "trailers"],
)
def test_a_head_without_an_end_is_refused(
    address: tuple[str, int], http: httpx.Client, begin: bytes, filler: bytes
) -> None:
    sent, received = 0, b""
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(begin)
        # Refused long before an eighth of this, however the network cuts it.
        while sent < 64 * MAX_HEAD_BYTES:
            try:
                connection.sendall(filler)
            except OSError:
                break
            sent += len(filler)
        else:
            pytest.fail("an endless head was read to the end")
        with contextlib.suppress(OSError):
            received = connection.recv(65536)
    assert not received or received.startswith(b"HTTP/1.1 400 ")
    assert http.get("/healthz").status_code == 200


def test_a_long_head_that_ends_is_read(http: httpx.Client) -> None:
    long = "x" * (MAX_HEAD_BYTES - 2048)
    assert http.get("/healthz", headers={"X-Long": long}).status_code == 200


def test_requests_that_come_together_are_answered_in_their_order(address: tuple[str, int]) -> None:
    ask = b"GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(ask % (b"/healthz", b"") + ask % (b"/nowhere", b"Connection: close\r\n"))
        received = b""
        while more := connection.recv(65536):
            received += more
    assert re.findall(rb"HTTP/1\.1 (\d+) ", received) == [b"200", b"404"]


def test_a_request_under_two_names_is_refused(address: tuple[str, int]) -> None:
    head = b"GET /v1/documents HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
    received = _exchange(address, head)
    assert received.startswith(b"HTTP/1.1 421 ")
    assert b"FOREIGN_HOST" in received
