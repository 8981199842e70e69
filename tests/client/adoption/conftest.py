"""A service that takes answers, behind a real socket, and a queue that leads to it."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest

from spanproof.client import Client, RetryPolicy
from spanproof.client.adoption import AnswerQueue
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import Iterator


class Collector:
    """Takes what is posted to /v1/answers, as slowly or as badly as a test wants."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, dict[str, Any]]] = []
        self.status = 202
        #: Answers wait here while it is not set.
        self.open = threading.Event()
        self.open.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        await asyncio.to_thread(self.open.wait)
        named = parse_qs(scope["query_string"].decode()).get("format", ["native"])[0]
        answer = json.loads(body)
        if self.status == 202:
            self.taken.append((named, answer))
            fields: dict[str, Any] = {
                "answer_id": answer.get("answer_id", "one"),
                "sampled": True,
                "probability": 1.0,
                "stratum": "all",
                "epoch": "1",
            }
        else:
            fields = {"code": "REFUSED", "detail": "d", "hint": "h", "request_id": "r"}
        kind = b"application/json" if self.status == 202 else b"application/problem+json"
        headers = [(b"content-type", kind)]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(fields).encode()})


@pytest.fixture(scope="session")
def collecting() -> Iterator[tuple[str, Collector]]:
    """One service for all of these tests."""
    collector = Collector()
    with serve(collector) as url:
        yield url, collector


@pytest.fixture
def collector(collecting: tuple[str, Collector]) -> Collector:
    """The service, with nothing taken yet and in good health."""
    collector = collecting[1]
    collector.taken.clear()
    collector.status = 202
    collector.open.set()
    return collector


@pytest.fixture
def queue(collecting: tuple[str, Collector], collector: Collector) -> Iterator[AnswerQueue]:
    """A queue that leads to the service."""
    with Client(collecting[0], retry=RetryPolicy(tries=1)) as client:
        queue = AnswerQueue(client, max_answers=4, max_bytes=4096)
        yield queue
        # Nothing of this test may reach the service in the next one.
        collector.open.set()
        queue.close()
        assert queue.flush(60)
