from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from spanproof.api.http.admission import Admission, AdmissionMiddleware, Ticket
from spanproof.api.http.app import create_app
from spanproof.api.http.openapi import list_routes
from spanproof.api.http.rooms import Room, plan_rooms
from spanproof.operations.errors import ServiceBusyError, Work
from spanproof.operations.settings import Settings
from tests.api.access import Guarded, run_guarded
from tests.api.conftest import check_problem, make_answer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from starlette.types import Message, Receive, Scope, Send

    from spanproof.ingest.sandbox import Parser

#: What an overload never refuses: it costs little, and is how an overload is seen and waited out.
CHEAP = {
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/version"),
    ("GET", "/metrics"),
    ("GET", "/v1/jobs"),
    ("GET", "/v1/jobs/{job_id}"),
    ("POST", "/v1/jobs/{job_id}/cancel"),
    ("GET", "/login"),
    ("POST", "/logout"),
    ("GET", "/static/console/{name}"),
    ("GET", "/docs"),
    ("GET", "/docs/{name}"),
}
ROOMS = {work: Room(running=2, waiting=1) for work in Work}


def test_every_route_but_the_cheap_ones_is_of_a_class_of_work() -> None:
    routes = list_routes(create_app(Settings()))
    found = {(m, route.path_format) for route in routes for m in route.methods if not route.work}
    assert found == CHEAP


def test_every_bounded_route_documents_what_an_overload_answers() -> None:
    app = create_app(Settings())
    paths = app.openapi()["paths"]
    bounded = 0
    for route in list_routes(app):
        for method in route.methods:
            operation = paths.get(route.path_format, {}).get(method.lower())
            if operation is None:
                continue
            for status, code in (("429", "SERVICE_BUSY"), ("503", "SERVICE_STOPPING")):
                response = operation["responses"].get(status, {"content": {"": {"examples": {}}}})
                (content,) = response["content"].values()
                assert (code in content["examples"]) == (route.work is not None), route
                assert route.work is None or "Retry-After" in response["headers"]
            bounded += route.work is not None
    assert bounded > 40


def test_the_rooms_follow_the_cores_and_the_settings() -> None:
    rooms = plan_rooms(Settings(), cores=16)
    assert rooms[Work.VERIFY] == Room(running=32, waiting=64, shared=16)
    assert rooms[Work.INGEST] == rooms[Work.RENDER] == Room(running=16, waiting=64)
    assert rooms[Work.SUBMIT].waiting == 1024
    assert plan_rooms(Settings(), cores=1)[Work.STORE].running == 8
    own = plan_rooms(Settings(running=3, workers=5, waiting=7, streams=9), cores=16)
    assert own[Work.VERIFY] == Room(running=3, waiting=7, shared=1)
    assert own[Work.INGEST].running == 5
    assert own[Work.STREAM] == Room(running=9, waiting=0)
    # Whoever has a turn finds a thread, and credentials and readiness find one beside them.
    # A verification that gives its turn back keeps its thread.
    threads = Admission(own, body_bytes=1, staged_bytes=100).threads
    assert threads == sum(own[w].running for w in Work if w is not Work.STREAM) + 7 + 16


def test_a_place_is_refused_where_none_is_left_and_found_again() -> None:
    admission = Admission(ROOMS, body_bytes=100, staged_bytes=100)
    tickets = [admission.enter(Work.INGEST) for _ in range(3)]
    with pytest.raises(ServiceBusyError, match="'ingest'") as caught:
        admission.enter(Work.INGEST)
    assert caught.value.work == "ingest"
    assert int(caught.value.headers["Retry-After"]) > 0
    # Another class has room of its own.
    admission.enter(Work.VERIFY).close()
    # A place is given back once, also by a ticket that is closed twice.
    tickets[0].close()
    tickets[0].close()
    assert len(_fill(admission, Work.INGEST)) == 1


def test_a_turn_is_waited_for_and_handed_on() -> None:
    async def run() -> list[str]:
        admission, told = Admission(ROOMS, body_bytes=1, staged_bytes=100), list[str]()

        async def work(name: str, ticket: Ticket) -> None:
            await ticket.take_turn()
            await ticket.take_turn()
            told.append(f"{name} works")
            await asyncio.sleep(0)
            told.append(f"{name} is done")
            ticket.close()

        await asyncio.gather(*(work(name, admission.enter(Work.VERIFY)) for name in "abc"))
        assert len(_fill(admission, Work.VERIFY)) == 3
        return told

    told = asyncio.run(run())
    assert told.index("c works") > told.index("a is done")
    assert told.index("b works") < told.index("a is done")


def test_bodies_hold_no_more_bytes_than_they_may_but_one_alone_is_taken() -> None:
    admission = Admission(ROOMS, body_bytes=100, staged_bytes=100)
    large, small = admission.enter(Work.VERIFY), admission.enter(Work.VERIFY)
    large.reserve_memory(1000)
    with pytest.raises(ServiceBusyError, match="100 bytes"):
        small.reserve_memory(1)
    large.close()
    small.reserve_memory(60)
    small.reserve_memory(40)
    other = admission.enter(Work.INGEST)
    with pytest.raises(ServiceBusyError):
        other.reserve_memory(41)
    other.reserve_memory(40)
    other.close()
    small.close()
    _reserve_all(admission, 100)


def test_one_body_that_comes_in_pieces_is_taken_as_one_that_was_announced() -> None:
    admission = Admission(ROOMS, body_bytes=100, staged_bytes=100)
    alone, other = admission.enter(Work.VERIFY), admission.enter(Work.VERIFY)
    for total in (60, 120, 1000):
        alone.reserve_memory(total)
        alone.reserve_disk(total)
    for take in (other.reserve_memory, other.reserve_disk):
        with pytest.raises(ServiceBusyError):
            take(1)
    alone.close()
    other.reserve_memory(60)
    late = admission.enter(Work.VERIFY)
    late.reserve_memory(40)
    # Beside another one it waits for its room as all do.
    with pytest.raises(ServiceBusyError):
        other.reserve_memory(61)


@given(st.lists(st.tuples(st.sampled_from("erx"), st.integers(0, 9), st.integers(0, 70))))
def test_a_request_is_refused_exactly_where_it_does_not_fit_and_gives_everything_back(
    steps: list[tuple[str, int, int]],
) -> None:
    admission, reserved = Admission(ROOMS, body_bytes=100, staged_bytes=100), dict[Ticket, int]()
    for step, which, count in steps:
        if step == "e":
            with _refused(len(reserved) == 3):
                reserved[admission.enter(Work.STORE)] = 0
        elif reserved:
            ticket = list(reserved)[which % len(reserved)]
            if step == "x":
                ticket.close()
                del reserved[ticket]
                continue
            wanted = max(count, reserved[ticket])
            with _refused(sum(reserved.values()) - reserved[ticket] + wanted > 100):
                ticket.reserve_memory(count)
                reserved[ticket] = wanted
    for ticket in reserved:
        ticket.close()
    _reserve_all(admission, 100)
    assert len(_fill(admission, Work.STORE)) == 3


def _refused(is_refused: bool) -> AbstractContextManager[object]:
    return pytest.raises(ServiceBusyError) if is_refused else nullcontext()


def _reserve_all(admission: Admission, most: int) -> None:
    """Two bodies reserve all bytes: so no other body has any."""
    one, two = admission.enter(Work.STORE), admission.enter(Work.STORE)
    one.reserve_memory(1)
    two.reserve_memory(most - 1)
    one.close()
    two.close()


@pytest.mark.parametrize("fails", [False, True])
def test_the_turn_ends_with_the_answers_beginning_and_the_place_with_its_end(fails: bool) -> None:
    admission = Admission(ROOMS, body_bytes=1, staged_bytes=100)
    seen: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del receive
        ticket = scope["state"]["ticket"] = admission.enter(Work.VERIFY)
        await ticket.take_turn()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if fails:
            raise ConnectionError
        await send({"type": "http.response.body", "body": b""})

    async def send(message: Message) -> None:
        del message
        others = _fill(admission, Work.VERIFY)
        for ticket in others:
            await asyncio.wait_for(ticket.take_turn(), timeout=5)
        seen.append(len(others))
        for ticket in others:
            ticket.close()

    async def run() -> None:
        serving = AdmissionMiddleware(app)({"type": "http"}, lambda: None, send)  # type: ignore[arg-type, return-value]
        if fails:
            with pytest.raises(ConnectionError):
                await serving
        else:
            await serving

    asyncio.run(run())
    # Of three places and two turns, this request has kept its place and given back its turn.
    assert set(seen) == {2}
    assert len(_fill(admission, Work.VERIFY)) == 3


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[Guarded]:
    """A service with no room at all but one place of each class, and a few bytes for bodies."""
    settings = Settings(
        home=tmp_path_factory.mktemp("full") / "home",
        database_url=None,
        model=None,
        test_data=None,
        running=1,
        workers=1,
        waiting=0,
        streams=1,
        body_bytes=2000,
        drain_seconds=0,
    )
    with run_guarded(settings, warm_parser) as opened:
        yield opened


def _fill(admission: Admission, *works: Work) -> list[Ticket]:
    """Every place of these classes."""
    tickets: list[Ticket] = []
    for work in works:
        try:
            while True:
                tickets.append(admission.enter(work))
        except ServiceBusyError:
            continue
    return tickets


def _count_places(admission: Admission) -> dict[Work, int]:
    """How many more requests of each class are admitted now."""
    found = {}
    for work in Work:
        tickets = _fill(admission, work)
        found[work] = len(tickets)
        for ticket in tickets:
            ticket.close()
    return found


def _count_refusals(full: Guarded, work: Work) -> float:
    metrics = full.tenants.default.metrics.render().decode()
    name = f'spanproof_overload_refusals_total{{work="{work.value}"}} '
    return sum(float(row.removeprefix(name)) for row in metrics.splitlines() if name in row)


@pytest.mark.parametrize(
    ("method", "path", "work"),
    [
        ("PUT", "/v1/documents", Work.INGEST),
        ("POST", "/v1/fetched-documents", Work.INGEST),
        ("POST", "/v1/verifications", Work.VERIFY),
        ("POST", "/v1/attributions", Work.VERIFY),
        ("POST", "/v1/answers", Work.SUBMIT),
        ("POST", "/v1/answer-batches", Work.SUBMIT),
        ("POST", "/v1/indexes/contracts/versions?version=1", Work.BULK),
        ("GET", "/v1/indexes/contracts/diff?from=1&to=2", Work.BULK),
        ("GET", "/v1/audit/export", Work.BULK),
        ("GET", "/v1/documents/a/pages/1.png", Work.RENDER),
        ("GET", "/v1/documents/a", Work.STORE),
        ("GET", "/v1/log/checkpoint", Work.STORE),
        ("GET", "/v1/jobs/a/events", Work.STREAM),
        ("POST", "/login", Work.SIGN_IN),
    ],
)
def test_a_full_class_answers_429_and_is_counted(
    full: Guarded, method: str, path: str, work: Work
) -> None:
    admission: Admission = full.app.state.admission
    before, tickets = _count_refusals(full, work), _fill(admission, work)
    assert len(tickets) >= 1
    refused = full.ask(method, path, None, content=b"{}")
    for ticket in tickets:
        ticket.close()
    check_problem(refused, 429, "SERVICE_BUSY")
    assert int(refused.headers["retry-after"]) == 2
    assert _count_refusals(full, work) == before + 1
    assert full.ask(method, path, None, content=b"{}").status_code != 429


def test_what_is_cheap_is_answered_when_nothing_else_is(full: Guarded) -> None:
    admission: Admission = full.app.state.admission
    tickets = _fill(admission, *Work)
    statuses = {
        path: full.ask("GET", path, None).status_code
        for path in ("/healthz", "/version", "/metrics", "/v1/jobs", "/v1/jobs/a", "/login")
    }
    page = full.ask("GET", "/", None, headers={"Accept": "text/html"})
    for ticket in tickets:
        ticket.close()
    assert statuses == {path: 404 if path == "/v1/jobs/a" else 200 for path in statuses}
    # A person reads a page, not a problem document.
    assert page.status_code == 429
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["retry-after"] == "2"
    assert "SERVICE_BUSY" in page.text


def test_bodies_beyond_the_bytes_are_sent_away_announced_or_not(full: Guarded) -> None:
    admission: Admission = full.app.state.admission
    answer: dict[str, Any] = make_answer({"doc_hash": "sha256:" + "3f" * 32})
    raw = json.dumps(answer | {"question": "x" * 1500}).encode()
    holder = admission.enter(Work.STORE)
    holder.reserve_memory(1000)
    announced = full.ask("POST", "/v1/verifications", None, content=raw)
    coming = full.ask("POST", "/v1/verifications", None, content=iter([raw]))
    holder.close()
    for refused in (announced, coming):
        check_problem(refused, 429, "SERVICE_BUSY")
        assert refused.headers["retry-after"] == "2"
    assert full.ask("POST", "/v1/verifications", None, content=raw).status_code == 200
    # One body larger than all of them may hold is taken alone: its own cap bounds it.
    large = json.dumps(answer | {"question": "x" * 5000}).encode()
    assert full.ask("POST", "/v1/verifications", None, content=large).status_code == 200
    holder, other = admission.enter(Work.STORE), admission.enter(Work.VERIFY)
    holder.reserve_memory(1)
    other.reserve_memory(1999)
    holder.close()
    other.close()


def test_a_place_is_given_back_whatever_became_of_the_request(full: Guarded) -> None:
    admission: Admission = full.app.state.admission
    places = _count_places(admission)
    for method, path in (
        ("POST", "/v1/verifications?wrong=1"),
        ("POST", "/v1/verifications"),
        ("GET", "/v1/documents/none"),
        ("GET", "/v1/documents?limit=0"),
        ("GET", "/v1/jobs/none/events"),
        ("PUT", "/v1/documents"),
    ):
        assert full.ask(method, path, None, content=b"").status_code >= 400
    assert _count_places(admission) == places
    assert all(places.values())


def test_the_threads_of_the_service_suffice_for_every_turn(tmp_path: Path) -> None:
    import anyio.to_thread

    app = create_app(Settings(home=tmp_path, database_url=None, running=50, workers=20))
    with TestClient(app, "http://127.0.0.1") as client:
        assert client.portal is not None
        limiter = client.portal.call(anyio.to_thread.current_default_thread_limiter)
        assert limiter.total_tokens == app.state.admission.threads > 50 + 20
