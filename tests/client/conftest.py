"""The real application behind a socket, and a door in front of it that can be busy."""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from spanproof.api.http.app import create_app
from spanproof.operations.settings import Settings
from tests.builders import ScriptedModel
from tests.serving import serve
from tests.sources import make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.sandbox import Parser


class Door:
    """Lets requests through to the application, after as many refusals as were asked for."""

    def __init__(self, app: Any) -> None:
        self.app = app
        #: Status and headers of the answers that come before the application's own.
        self.refusals: deque[tuple[int, dict[str, str]]] = deque()
        self.seen: list[tuple[str, str, dict[str, str]]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.seen.append((scope["method"], scope["path"], headers))
        if not self.refusals:
            await self.app(scope, receive, send)
            return
        status, extra = self.refusals.popleft()
        body = json.dumps({"code": "BUSY", "detail": "d", "hint": "h", "request_id": "r"}).encode()
        fields = {"content-type": "application/problem+json"} | extra
        encoded = [(name.encode(), value.encode()) for name, value in fields.items()]
        await send({"type": "http.response.start", "status": status, "headers": encoded})
        await send({"type": "http.response.body", "body": body})


class Served:
    """The application as a client meets it."""

    def __init__(self, url: str, door: Door) -> None:
        self.url = url
        self.door = door


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[Served]:
    """One application for the tests of a file."""
    settings = Settings(home=tmp_path_factory.mktemp("served") / "home", cross_check_rate=0.0)
    app = create_app(settings, parts={"model": ScriptedModel(), "parser": warm_parser})
    door = Door(app)
    with serve(door) as url:
        put = httpx.put(f"{url}/v1/documents?doc_id=terms", content=make_pdf(), timeout=60)
        put.raise_for_status()
        yield Served(url, door)


@pytest.fixture
def served(running: Served) -> Served:
    """The same, with a door that lets everything through."""
    running.door.refusals.clear()
    running.door.seen.clear()
    return running
