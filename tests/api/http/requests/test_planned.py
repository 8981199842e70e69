from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, Header, Query, Request
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import JSONResponse

from spanproof.api.http.app import create_app
from spanproof.api.http.requests.planned import PlannedRoute, make_plan
from spanproof.api.http.routes import submissions
from spanproof.operations.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path


class RefusedError(Exception):
    """What a dependency says no with."""


async def begin(request: Request) -> list[str]:
    """Notes who was called, in the order of the calls."""
    request.state.called = ["begin"]
    return list(request.state.called)


async def check(request: Request, begun: Annotated[list[str], Depends(begin)]) -> None:
    """Refuses who sends the header."""
    assert begun == ["begin"]
    request.state.called.append("check")
    if "x-refused" in request.headers:
        raise RefusedError


async def name(
    request: Request,
    given_name: Annotated[str | None, Query(alias="name")] = None,
    x_name: Annotated[str, Header()] = "nobody",
) -> str:
    """A name of the query, or else of the header."""
    request.state.called.append("name")
    return given_name or x_name


async def answer(
    request: Request,
    named: Annotated[str, Depends(name)],
    again: Annotated[str, Depends(name)],
    format: str = "native",  # noqa: A002 - as routes call it
    *,
    tracestate: Annotated[str | None, Header()] = None,
) -> JSONResponse:
    return JSONResponse([named, again, format, tracestate, request.state.called])


def make_client() -> TestClient:
    """The same endpoint twice: resolved by the framework, and by a plan."""
    app = FastAPI()
    for prefix, route_class in (("/framework", APIRouter().route_class), ("/plan", PlannedRoute)):
        router = APIRouter(prefix=prefix, route_class=route_class, dependencies=[Depends(check)])
        router.add_api_route("/answers", answer, methods=["POST"], dependencies=[Depends(begin)])
        app.include_router(router)

    @app.exception_handler(RefusedError)
    async def refuse(request: Request, error: Exception) -> JSONResponse:
        del error
        return JSONResponse(request.state.called, status_code=403)

    return TestClient(app)


CLIENT = make_client()
_NAMES = st.sampled_from(["name", "format", "x-name", "tracestate", "x-refused", "other"])
_TEXTS = st.text("abc ,=%ü", max_size=5)


@given(
    query=st.lists(st.tuples(_NAMES, _TEXTS), max_size=4),
    headers=st.lists(st.tuples(_NAMES, st.text("abc,=", max_size=5)), max_size=4),
    method=st.sampled_from(["POST", "POST", "POST", "GET", "HEAD"]),
)
def test_a_plan_answers_as_the_framework_does(
    query: list[tuple[str, str]], headers: list[tuple[str, str]], method: str
) -> None:
    sent: dict[str, Any] = {"params": query, "headers": headers}
    expected, found = (
        CLIENT.request(method, f"/{each}/answers", **sent) for each in ("framework", "plan")
    )
    assert (found.status_code, found.content) == (expected.status_code, expected.content)
    assert found.headers == expected.headers


def test_both_stand_in_the_openapi_document_alike() -> None:
    paths = CLIENT.get("/openapi.json").json()["paths"]
    framework, plan = (paths[f"/{each}/answers"]["post"] for each in ("framework", "plan"))
    assert plan["parameters"] == framework["parameters"]
    names = {each["name"] for each in plan["parameters"]}
    assert names == {"name", "x-name", "format", "tracestate"}


def _slow() -> None:
    """Not async: the framework takes a thread for it."""


async def _ending() -> AsyncIterator[None]:
    yield


async def _in_the_path(number: str) -> None:
    del number


async def _required(number: Annotated[str, Query()]) -> None:
    del number


async def _ruled(number: Annotated[str | None, Query(max_length=3)] = None) -> None:
    del number


async def _read(count: Annotated[int | None, Query()] = None) -> None:
    del count


async def _of_a_body(body: dict[str, str]) -> None:
    del body


@pytest.mark.parametrize(
    "dependency", [_slow, _ending, _in_the_path, _required, _ruled, _read, _of_a_body]
)
def test_what_a_plan_does_not_know_is_refused_when_it_is_declared(
    dependency: Callable[..., Any],
) -> None:
    router = APIRouter(route_class=PlannedRoute)
    with pytest.raises(TypeError, match="Expected "):
        router.add_api_route(
            "/{number}" if dependency is _in_the_path else "/",
            answer,
            methods=["POST"],
            dependencies=[Depends(dependency)],
        )


def test_an_endpoint_that_answers_no_response_is_an_error() -> None:
    async def wrong() -> dict[str, str]:
        return {}

    app = FastAPI()
    app.router.route_class = PlannedRoute
    app.add_api_route("/", wrong)
    with pytest.raises(TypeError, match="Expected a response"):
        TestClient(app).get("/")


def test_what_the_application_asks_of_every_route_a_planned_one_declares_itself(
    tmp_path: Path,
) -> None:
    of_all = create_app(Settings(home=tmp_path / "home")).router.dependencies
    assert of_all
    planned = [each for each in submissions.ROUTER.routes if isinstance(each, PlannedRoute)]
    assert [each.path for each in planned] == ["/v1/answers", "/v1/answer-batches"]
    for route in planned:
        calls = [step.call for step in make_plan(route.dependant)]
        assert calls[: len(of_all)] == [each.dependency for each in of_all]
