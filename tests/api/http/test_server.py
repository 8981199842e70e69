"""Answers over a real socket: what a reader does not take waits with the request, not in memory."""

from __future__ import annotations

import http.client
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from spanproof.api.http import server as http_server
from spanproof.api.http.server import make_server_config
from tests.serving import START_SECONDS, run_server
from tests.spread import thin_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp, Receive, Scope, Send

#: More than the system itself holds between two sockets.
LONG = b"0123456789abcdef" * (2 * 1024 * 1024)
ASK = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextmanager
def serve(app: ASGIApp) -> Iterator[tuple[str, int]]:
    config = make_server_config(
        app, host="127.0.0.1", port=0, log_level="critical", ws="none", lifespan="off"
    )
    with run_server(config) as address:
        yield address


@contextmanager
def connect(address: tuple[str, int]) -> Iterator[socket.socket]:
    """A reader with little room of its own."""
    with socket.socket() as connection:
        connection.settimeout(START_SECONDS)
        # Before connecting: the window is agreed on then.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(address)
        yield connection


def read_answer(reader: socket.socket) -> bytes:
    answer = http.client.HTTPResponse(reader)
    answer.begin()
    return answer.read()


class Long:
    """An application that answers at length, and tells when all of it was handed over."""

    def __init__(self, *, is_chunked: bool = False) -> None:
        self._headers = [] if is_chunked else [(b"content-length", str(len(LONG)).encode())]
        self.is_asked, self.is_sent = threading.Event(), threading.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        del scope, receive
        start = {"type": "http.response.start", "status": 200, "headers": self._headers}
        await send(start)
        self.is_asked.set()
        await send({"type": "http.response.body", "body": LONG})
        self.is_sent.set()


@pytest.mark.parametrize("is_chunked", thin_out([True, False], every=2))
def test_an_answer_is_handed_over_as_it_is_read(*, is_chunked: bool) -> None:
    app = Long(is_chunked=is_chunked)
    with serve(app) as address, connect(address) as reader:
        reader.sendall(ASK)
        assert app.is_asked.wait(START_SECONDS)
        assert not app.is_sent.wait(0.5)
        assert read_answer(reader) == LONG
        assert app.is_sent.wait(START_SECONDS)


def test_a_reader_that_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "READER_SECONDS", 0.3)
    app = Long()
    with serve(app) as address, connect(address) as reader:
        reader.sendall(ASK)
        # The application is not held up by whoever does not read.
        assert app.is_sent.wait(START_SECONDS)
        with pytest.raises((OSError, http.client.HTTPException)):
            read_answer(reader)


def test_a_reader_that_goes_is_known_to_whatever_answers_it() -> None:
    is_begun, is_gone = threading.Event(), threading.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, send
        await receive()
        is_begun.set()
        assert (await receive())["type"] == "http.disconnect"
        is_gone.set()

    with serve(app) as address, connect(address) as reader:
        # The second waits for the first, which is the one that is worked on.
        reader.sendall(ASK + ASK)
        assert is_begun.wait(START_SECONDS)
        reader.close()
        assert is_gone.wait(START_SECONDS)
