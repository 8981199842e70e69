"""A route whose dependencies are resolved by a plan made once.

The framework resolves dependencies again for every request, which is half of the cost of a small
one. Here that happens once, when the route is declared. Calls, their order and their number (once
each) follow the framework's rules, and so does the OpenAPI document. A dependency that a plan
cannot handle is refused at the declaration.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import WithJsonSchema
from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from fastapi.dependencies.models import Dependant
    from starlette.types import Receive, Scope, Send

#: Sources that a plan cannot read; their routes stay the framework's own.
_UNKNOWN_PARAMETERS = ("path_params", "cookie_params", "body_params")
_UNKNOWN_ARGUMENTS = (
    "websocket_param_name",
    "http_connection_param_name",
    "response_param_name",
    "background_tasks_param_name",
    "security_scopes_param_name",
)
_TEXTS = (str, str | None)


class PlannedRoute(APIRoute):
    """A route of async functions that take the request, each other, and optional texts.

    Raises TypeError for others at the declaration. Dependencies of the application do not apply to
    such a route: its router must declare them too.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401 - the framework's
        super().__init__(path, endpoint, **options)
        self._plan = make_plan(self.dependant)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; an error goes to the application's handlers."""
        if self.methods and scope["method"] not in self.methods:
            await super().handle(scope, receive, send)
            return
        response = await run_plan(self._plan, Request(scope, receive, send))
        await response(scope, receive, send)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """A query parameter or a header, with its default."""

    name: str
    alias: str
    default: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call; ``results`` maps arguments to the numbers of earlier steps."""

    call: Callable[..., Awaitable[Any]]
    request_name: str | None
    results: tuple[tuple[str, int], ...]
    queries: tuple[_Text, ...]
    headers: tuple[_Text, ...]


def make_plan(dependant: Dependant) -> tuple[Step, ...]:
    """The calls in order, the endpoint last; raise TypeError for an unknown kind of dependency."""
    steps: list[Step] = []
    numbers: dict[Callable[..., Any], int] = {}

    def add(each: Dependant) -> int:
        call = each.call
        if call is not None and each.use_cache and call in numbers:
            return numbers[call]
        _check_known(each)
        found = [(below.name, add(below)) for below in each.dependencies]
        steps.append(
            Step(
                call=call,  # type: ignore[arg-type]  # _check_known has seen that it is async
                request_name=each.request_param_name,
                results=tuple((name, number) for name, number in found if name is not None),
                queries=_read_texts(each, each.query_params),
                headers=_read_texts(each, each.header_params),
            )
        )
        numbers[call] = len(steps) - 1  # type: ignore[index]
        return numbers[call]  # type: ignore[index]

    add(dependant)
    return tuple(steps)


async def run_plan(plan: Sequence[Step], request: Request) -> Response:
    """Run the steps; raise TypeError if the last result is not a response."""
    made: list[Any] = []
    for step in plan:
        arguments: dict[str, Any] = {name: made[number] for name, number in step.results}
        if step.request_name is not None:
            arguments[step.request_name] = request
        for text in step.queries:
            arguments[text.name] = request.query_params.get(text.alias, text.default)
        for text in step.headers:
            arguments[text.name] = request.headers.get(text.alias, text.default)
        made.append(await step.call(**arguments))
    response = made[-1]
    if not isinstance(response, Response):
        msg = f"Expected a response of {plan[-1].call!r}, got {type(response).__name__}."
        raise TypeError(msg)
    return response


def _check_known(dependant: Dependant) -> None:
    call = dependant.call
    unknown = [name for name in _UNKNOWN_PARAMETERS if getattr(dependant, name)]
    unknown += [name for name in _UNKNOWN_ARGUMENTS if getattr(dependant, name) is not None]
    # An object is called by its class's method.
    is_async = inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(
        getattr(type(call), "__call__", None)  # noqa: B004 - the function, not whether there is one
    )
    if unknown or not is_async:
        got = ", ".join(unknown) or "a function that is not async"
        msg = f"Expected a dependency that a plan can resolve, got {got} in {call!r}."
        raise TypeError(msg)


def _read_texts(dependant: Dependant, fields: Sequence[Any]) -> tuple[_Text, ...]:
    texts = []
    for field in fields:
        info = field.field_info
        # How the document describes a text is no rule.
        has_rules = any(not isinstance(each, WithJsonSchema) for each in info.metadata)
        if info.annotation not in _TEXTS or info.is_required() or has_rules:
            msg = f"Expected an optional text without rules, got {field.name!r}"
            raise TypeError(f"{msg} of {dependant.call!r}.")
        texts.append(_Text(name=field.name, alias=field.alias, default=info.get_default()))
    return tuple(texts)
