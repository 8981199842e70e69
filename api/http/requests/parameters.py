"""Query parameters: those that several routes share, and the refusal of undeclared ones.

An ignored typo would widen the answer.
"""

from typing import Annotated, Any, get_origin

from fastapi import Query, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import WithJsonSchema

from spanproof.api.http.requests.access import PrincipalIn
from spanproof.api.http.wire.answer import POLICY_NAME
from spanproof.core.errors import FieldProblem
from spanproof.core.shown import show_value
from spanproof.operations.errors import MalformedParameterError
from spanproof.verifier.formats import registry

_FORMATS = {
    "anyOf": [
        {"type": "string", "enum": list(registry.NAMES)},
        # A provider's payload, then the markers in its prose: "anthropic,field".
        {"type": "string", "pattern": f"^[a-z0-9-]+(,({'|'.join(registry.MARKERS)}))+$"},
    ]
}
FormatIn = Annotated[
    str,
    WithJsonSchema(_FORMATS),
    Query(description="Format of the payload, or formats joined by commas.", examples=["native"]),
]
PolicyIn = Annotated[
    str | None,
    WithJsonSchema({"anyOf": [POLICY_NAME, {"type": "null"}]}),
    Query(description="Overrides the policy that the payload names."),
]
_SEQUENCES = (list, tuple, set, frozenset)


async def require_known_parameters(request: Request, principal: PrincipalIn) -> None:
    """Raise MalformedParameterError for an unknown or repeated query parameter.

    A missing scope is reported first.
    """
    del principal
    if not request.scope["query_string"]:
        return
    declared = find_query_parameters(request.scope["route"])
    problems = []
    for name in dict.fromkeys(request.query_params):
        values = request.query_params.getlist(name)
        if name not in declared:
            expected, got = _name_allowed(list(declared)), show_value(name)
        elif len(values) > 1 and get_origin(declared[name]) not in _SEQUENCES:
            expected, got = "one value", f"{len(values)} values"
        else:
            continue
        problems.append(FieldProblem(pointer=_to_pointer(name), expected=expected, got=got))
    if not problems:
        return
    first = problems[0]
    hint = "Compare the request with /openapi.json."
    msg = f"Expected {first.expected} at {first.pointer}, got {first.got}."
    raise MalformedParameterError(msg, hint=hint, problems=tuple(problems))


def find_query_parameters(route: APIRoute) -> dict[str, Any]:
    """The query parameters of a route and its dependencies, with their types."""
    return _gather(route.dependant)


def _gather(dependant: Dependant) -> dict[str, Any]:
    found = {field.alias: field.field_info.annotation for field in dependant.query_params}
    for each in dependant.dependencies:
        found |= _gather(each)
    return found


def _name_allowed(names: list[str]) -> str:
    return f"one of {', '.join(names)}" if names else "no query parameter"


def _to_pointer(name: str) -> str:
    return "/query/" + name.replace("~", "~0").replace("/", "~1")
