from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.drain import Drain, DrainMiddleware

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send


def test_requests_and_jobs_share_one_span_of_time() -> None:
    moments = iter([150.0, 157.0, 200.0])
    drain = Drain(20, time=lambda: next(moments))
    assert (drain.is_begun, drain.left()) == (False, 20)
    drain.begin()
    # Again it does nothing, and asks for no moment.
    drain.begin()
    assert (drain.is_begun, drain.left(), drain.left()) == (True, 13, 0)


def test_whoever_waits_is_woken_by_the_beginning() -> None:
    async def run() -> tuple[bool, bool]:
        drain = Drain(20)
        early = await drain.wait(0)
        waiting = asyncio.create_task(drain.wait(60))
        await asyncio.sleep(0)
        drain.begin()
        return early, await waiting

    assert asyncio.run(run()) == (False, True)


@pytest.mark.parametrize("begins", [True, False])
@pytest.mark.parametrize("is_started", [True, False])
def test_a_request_that_the_end_breaks_off_is_answered_if_it_was_not_yet(
    *, begins: bool, is_started: bool
) -> None:
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        if is_started:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(60)

    async def send(message: Message) -> None:
        sent.append(message)

    async def run() -> bool:
        drain = Drain(1)
        scope: dict[str, Any] = {
            "type": "http",
            "method": "GET",
            "path": "/v1/documents",
            "headers": [],
            "query_string": b"",
            "server": ("127.0.0.1", 80),
            "scheme": "http",
            "app": SimpleNamespace(state=SimpleNamespace(drain=drain)),
            "state": {"request_id": "r-1"},
        }
        serving = asyncio.create_task(DrainMiddleware(app)(scope, asyncio.Future, send))
        await asyncio.sleep(0)
        if begins:
            drain.begin()
        serving.cancel()
        try:
            await serving
        except asyncio.CancelledError:
            return True
        return False

    is_cancelled = asyncio.run(run())
    if begins and not is_started:
        assert not is_cancelled
        assert sent[0]["status"] == 503
        assert (b"retry-after", b"5") in sent[0]["headers"]
        assert json.loads(sent[1]["body"])["code"] == "SERVICE_STOPPING"
    else:
        assert is_cancelled
        assert len(sent) == int(is_started)
