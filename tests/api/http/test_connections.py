"""Connections made to keep others out, as folders: what each sends, and how it is met."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.server import make_server_config
from tests.serving import START_SECONDS, run_server

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

FLOODS = sorted(path.parent for path in (Path(__file__).parent / "floods").glob("*/attack.json"))


class Application:
    """Answers at once; on ``/slow`` when it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.may_answer = threading.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        self.asked += 1
        if scope["path"] == "/slow":
            await asyncio.to_thread(self.may_answer.wait, START_SECONDS)
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})


def _read_status(connection: socket.socket) -> int:
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    answer.read()
    return answer.status


def _ask(address: tuple[str, int], path: str) -> int:
    with socket.create_connection(address, timeout=START_SECONDS) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        return _read_status(connection)


def _is_open(connection: socket.socket) -> bool:
    connection.settimeout(0.05)
    try:
        return bool(connection.recv(1))
    except TimeoutError:
        return True
    except OSError:
        return False


def _count_open(connections: list[socket.socket], expected: int) -> int:
    """How many are open, once they are no more than expected."""
    until = time.monotonic() + START_SECONDS
    while True:
        found = sum(map(_is_open, connections))
        if found <= expected or time.monotonic() > until:
            return found


def _drip(connection: socket.socket, drips: str) -> None:
    """Send on, until the other side has heard enough."""
    until = time.monotonic() + START_SECONDS
    connection.settimeout(0.05)
    while drips and time.monotonic() < until:
        try:
            connection.sendall(drips.encode())
            if connection.recv(1, socket.MSG_PEEK):
                break
        except TimeoutError:
            continue
    connection.settimeout(START_SECONDS)


@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: flood.name)
def test_flood_is_met(flood: Path) -> None:
    attack: dict[str, Any] = json.loads((flood / "attack.json").read_text(encoding="utf-8"))
    expected = attack["expected"]
    assert (flood / "README").read_text(encoding="utf-8").strip()
    app = Application()
    config = make_server_config(
        app,
        head_seconds=attack["head_seconds"],
        most_connections=attack["cap"],
        host="127.0.0.1",
        port=0,
        log_level="critical",
        ws="none",
        lifespan="off",
    )
    with run_server(config) as address, ExitStack() as stack:
        connections = []
        for _ in range(attack["connections"]):
            connection = socket.create_connection(address, timeout=START_SECONDS)
            connections.append(stack.enter_context(connection))
            connection.sendall(attack["sends"].encode())
        if "first" in expected:
            assert _read_status(connections[0]) == expected["first"]
        if "answer" in expected:
            _drip(connections[0], attack.get("drips", ""))
            assert _read_status(connections[0]) == expected["answer"]
        if "refused" in expected:
            while app.asked < attack["connections"]:
                time.sleep(0.01)
            assert _ask(address, "/") == expected["refused"]
        if "health" in expected:
            assert _ask(address, "/healthz") == expected["health"]
            assert _count_open(connections, expected["open"]) <= expected["open"]
        app.may_answer.set()


def test_connections_that_end_make_room() -> None:
    config = make_server_config(
        Application(),
        most_connections=1,
        host="127.0.0.1",
        port=0,
        log_level="critical",
        ws="none",
        lifespan="off",
    )
    with run_server(config) as address:
        assert [_ask(address, "/") for _ in range(5)] == [200] * 5
