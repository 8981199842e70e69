"""The middleware in front of real FastAPI and bare ASGI applications, behind real sockets."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse, StreamingResponse
from starlette.middleware.gzip import GZipMiddleware

from spanproof.client.adoption import AnswerQueue, QueueCounts, Submission
from spanproof.client.adoption.asgi import AnswerMiddleware, Exchange, read_native
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.client.adoption.conftest import Collector

ANSWER = {"answer": "Replaced in four days [1].", "citations": [], "session_id": "s"}
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def take(collector: Collector) -> list[tuple[str, dict[str, Any]]]:
    """What came to the service, less the id that each answer was given on its way."""
    assert all(fields["answer_id"] for _, fields in collector.taken)
    return [
        (name, {field: each for field, each in fields.items() if field != "answer_id"})
        for name, fields in collector.taken
    ]


def make_app() -> FastAPI:
    app = FastAPI()

    @app.post("/chat")
    def chat() -> dict[str, Any]:
        return ANSWER

    @app.post("/slow")
    def slow() -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            whole = json.dumps(ANSWER).encode()
            for start in range(0, len(whole), 7):
                yield whole[start : start + 7]

        return StreamingResponse(parts(), media_type="application/json")

    @app.post("/other")
    def other() -> dict[str, Any]:
        return {"status": "no answer"}

    @app.post("/refused", status_code=403)
    def refused() -> dict[str, Any]:
        return ANSWER

    @app.post("/large")
    def large() -> dict[str, Any]:
        return ANSWER | {"labels": {"x": "y" * 5000}}

    @app.post("/text")
    def text() -> PlainTextResponse:
        return PlainTextResponse("Goods are replaced [[REF:a]].")

    @app.post("/broken")
    def broken() -> dict[str, Any]:
        raise RuntimeError

    return app


@pytest.fixture
def http(queue: AnswerQueue) -> Iterator[httpx.Client]:
    app = make_app()
    app.add_middleware(AnswerMiddleware, queue=queue, max_body_bytes=4000)
    with serve(app) as url, httpx.Client(base_url=url, timeout=60) as client:
        yield client


def settle(http: httpx.Client, queue: AnswerQueue) -> None:
    """Wait until every answer so far has been looked at, and handed in where it is one."""
    # A caller has its answer before it is looked at; the next request comes after that.
    assert http.get("/nowhere").status_code == 404
    assert queue.flush(60)


def test_an_answer_reaches_its_caller_and_the_service(
    http: httpx.Client, queue: AnswerQueue, collector: Collector
) -> None:
    assert http.post("/chat").json() == ANSWER
    settle(http, queue)
    assert take(collector) == [("native", ANSWER)]


def test_a_streamed_body_is_put_together(
    http: httpx.Client, queue: AnswerQueue, collector: Collector
) -> None:
    assert http.post("/slow").json() == ANSWER
    settle(http, queue)
    assert take(collector) == [("native", ANSWER)]


def test_the_callers_trace_goes_along(
    http: httpx.Client, queue: AnswerQueue, collector: Collector
) -> None:
    http.post("/chat", headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
    http.post("/chat", headers={"traceparent": f"00-{'0' * 32}-00f067aa0ba902b7-01"})
    http.post("/chat", headers={"traceparent": "nonsense"})
    settle(http, queue)
    assert [fields.get("trace_id") for _, fields in collector.taken] == [TRACE, None, None]


def test_what_is_no_answer_is_passed_on_and_not_handed_in(
    http: httpx.Client, queue: AnswerQueue, collector: Collector
) -> None:
    assert http.post("/other").json() == {"status": "no answer"}
    assert http.post("/refused").status_code == 403
    assert http.post("/text").text.startswith("Goods")
    assert http.get("/nowhere").status_code == 404
    assert len(http.post("/large").content) > 5000
    # The server ends a connection on which an application broke down.
    assert http.post("/broken", headers={"connection": "close"}).status_code == 500
    settle(http, queue)
    assert take(collector) == []
    assert queue.counts == QueueCounts(skipped=3)


def test_a_service_that_hangs_delays_no_caller(
    http: httpx.Client, queue: AnswerQueue, collector: Collector
) -> None:
    collector.open.clear()
    # More than the queue holds: each is answered all the same.
    for _ in range(12):
        assert http.post("/chat").json() == ANSWER
    assert take(collector) == []
    # A caller has its answer before the queue has it.
    deadline = time.monotonic() + 30
    while queue.counts.waiting + queue.counts.dropped < 12:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert queue.counts.dropped >= 7
    collector.open.set()


def test_only_the_paths_that_are_named_are_looked_at(
    queue: AnswerQueue, collector: Collector
) -> None:
    app = make_app()
    app.add_middleware(AnswerMiddleware, queue=queue, paths=["/slow"])
    with serve(app) as url:
        httpx.post(f"{url}/chat", timeout=60)
        httpx.post(f"{url}/slow", timeout=60)
    assert queue.flush(60)
    assert len(collector.taken) == 1


def test_a_reader_of_ones_own_names_the_format(queue: AnswerQueue, collector: Collector) -> None:
    def read(exchange: Exchange) -> Submission | None:
        if exchange.path != "/text":
            raise KeyError
        return Submission.of({"response": exchange.body.decode()}, format="ref")

    app = make_app()
    app.add_middleware(AnswerMiddleware, queue=queue, read=read)
    with serve(app) as url:
        assert httpx.post(f"{url}/text", timeout=60).status_code == 200
        assert httpx.post(f"{url}/chat", timeout=60).status_code == 200
    assert queue.flush(60)
    assert take(collector) == [("ref", {"response": "Goods are replaced [[REF:a]]."})]
    assert queue.counts == QueueCounts(submitted=1, unreadable=1)


@pytest.mark.parametrize(("outermost", "expected"), [("ours", 0), ("compression", 1)])
def test_a_compressed_body_is_left_alone_outside_and_read_inside(
    queue: AnswerQueue, collector: Collector, outermost: str, expected: int
) -> None:
    app = make_app()
    if outermost == "ours":
        app.add_middleware(GZipMiddleware, minimum_size=1)
    app.add_middleware(AnswerMiddleware, queue=queue)
    if outermost == "compression":
        app.add_middleware(GZipMiddleware, minimum_size=1)
    with serve(app) as url:
        response = httpx.post(f"{url}/chat", timeout=60)
        assert response.headers["content-encoding"] == "gzip"
        assert response.json() == ANSWER
    assert queue.flush(60)
    assert len(collector.taken) == expected
    assert queue.counts == QueueCounts(submitted=expected)


def test_the_end_of_the_application_sends_what_waits(
    queue: AnswerQueue, collector: Collector
) -> None:
    app = make_app()
    app.add_middleware(AnswerMiddleware, queue=queue)
    with serve(app) as url:
        for _ in range(3):
            httpx.post(f"{url}/chat", timeout=60)
    # The server has ended: so has the queue.
    assert queue.counts.submitted == 3
    assert len(collector.taken) == 3
    assert not queue.put(Submission.of(ANSWER))


def test_a_bare_application_needs_no_framework(queue: AnswerQueue, collector: Collector) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        del receive
        assert scope["type"] == "http"
        headers = [(b"content-type", b"application/json; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(ANSWER).encode()})

    with serve(AnswerMiddleware(app, queue=queue)) as url:
        assert httpx.get(url, timeout=60).json() == ANSWER
    assert queue.flush(60)
    assert take(collector) == [("native", ANSWER)]


def test_a_block_that_came_from_the_service_is_not_handed_in_again() -> None:
    body = json.dumps(ANSWER | {"verification": {"result": "pass"}}).encode()
    exchange = Exchange(
        method="POST", path="/", media_type="application/json", body=body, trace_id=None
    )
    submission = read_native(exchange)
    assert submission is not None
    assert json.loads(submission.payload) | {"answer_id": ""} == ANSWER | {"answer_id": ""}
