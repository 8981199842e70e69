"""The OpenAPI document: that of the routes, plus shapes that only the document names."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts
from pydantic.json_schema import models_json_schema

from spanproof.api.http.requests.access import Required
from spanproof.api.http.requests.admitting import Admitted
from spanproof.api.http.wire.administration import (
    AccessKeyIn,
    CitationModeIn,
    WebhookIn,
    WordsModeIn,
)
from spanproof.api.http.wire.answer import AnswerIn
from spanproof.api.http.wire.attribution import AttributionIn
from spanproof.api.http.wire.changes import PolicyPinIn, RehearsalIn
from spanproof.api.http.wire.decision import DecisionIn
from spanproof.api.http.wire.document import FetchIn
from spanproof.api.http.wire.erasure import ErasureIn
from spanproof.api.http.wire.examples import responses as examples
from spanproof.api.http.wire.fields import LabelledTurnsIn, TurnIn
from spanproof.api.http.wire.grammars import CleanTextIn, PromptIn
from spanproof.api.http.wire.index import DriftCheckIn, ReverificationIn
from spanproof.api.http.wire.job import BulkRowOut
from spanproof.api.http.wire.keeping import HoldIn, ReleaseIn, RetentionIn
from spanproof.api.http.wire.problem import ProblemOut, problem_responses
from spanproof.api.http.wire.receipt import ReceiptOut
from spanproof.api.http.wire.sampling import AnswersIn, LabelIn
from spanproof.api.http.wire.source import SourceChangeIn

if TYPE_CHECKING:
    from fastapi import FastAPI
    from fastapi.dependencies.models import Dependant

    from spanproof.operations.errors import Work

#: The groups of routes, in the order of a reader's way through the document.
TAGS = {
    "verifications": "Verify answers; show and list what was verified.",
    "monitoring": "Submit production answers, read rates and alarms, review a sample.",
    "documents": "Ingest documents and show them.",
    "spans": "Read a document's text, find quotes, locate and draw spans.",
    "chunks": "Cut a document into chunks whose offsets hold.",
    "attributions": "Find the sources of an answer after the fact.",
    "fields": "Attribute an answer to typed fields.",
    "grammars": "Write instructions to cite; remove citation tokens.",
    "indexes": "Register versions of an index; check drift.",
    "jobs": "Follow and cancel work that runs in the background.",
    "webhooks": "Be told of events.",
    "log": "The transparency log: heads, tiles, proofs, evidence packs.",
    "erasing": "Erase for ever; the log keeps a record.",
    "keys": "Keys of access and their scopes.",
    "configuration": "Modes of the citation grammars.",
    "service": "Health, version and metrics.",
}
_REFERENCE = "#/components/schemas/{model}"
DESCRIPTION = """Spanproof proves, or refutes, each citation of an answer: the document is the one
cited, the quoted span stands at its offsets and at its place on the page, and the span entails the
claim. It does not prove that the source is true, nor that the model used the cited text."""


def make_openapi(app: FastAPI) -> dict[str, Any]:
    """The document, built once."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=DESCRIPTION,
            routes=app.routes,
            license_info={"name": "Apache License 2.0", "identifier": "Apache-2.0"},
            servers=[{"url": "/", "description": "The host that serves this document."}],
            tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        )
        _, extra = models_json_schema(
            [
                (AnswerIn, "validation"),
                (AttributionIn, "validation"),
                (TurnIn, "validation"),
                (LabelIn, "validation"),
                (AnswersIn, "validation"),
                (LabelledTurnsIn, "validation"),
                (CleanTextIn, "validation"),
                (PromptIn, "validation"),
                (AccessKeyIn, "validation"),
                (FetchIn, "validation"),
                (CitationModeIn, "validation"),
                (WordsModeIn, "validation"),
                (PolicyPinIn, "validation"),
                (RehearsalIn, "validation"),
                (WebhookIn, "validation"),
                (DriftCheckIn, "validation"),
                (ErasureIn, "validation"),
                (DecisionIn, "validation"),
                (HoldIn, "validation"),
                (ReleaseIn, "validation"),
                (RetentionIn, "validation"),
                (SourceChangeIn, "validation"),
                (ReverificationIn, "validation"),
                (BulkRowOut, "serialization"),
                (ProblemOut, "serialization"),
                (ReceiptOut, "serialization"),
            ],
            ref_template=_REFERENCE,
        )
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        for name, schema in extra["$defs"].items():
            schemas.setdefault(name, schema)
        for schema in schemas.values():
            _describe_defaults(schema)
        _add_access(document, app)
        _add_examples(document)
        app.openapi_schema = document
    return app.openapi_schema


def _describe_defaults(schema: dict[str, Any]) -> None:
    """Move each field's default into its description.

    Generators of clients take a field with ``default`` for one that must be there.
    """
    for field in schema.get("properties", {}).values():
        default = field.pop("default", None)
        if default is not None:
            told = (field.get("description"), f"Default: {json.dumps(default)}.")
            field["description"] = " ".join(filter(None, told))


def _add_access(document: dict[str, Any], app: FastAPI) -> None:
    """Add the security scheme, the scopes of each route, and the problems of a refusal."""
    document["components"]["securitySchemes"] = {
        "key": {
            "type": "http",
            "scheme": "bearer",
            "description": "A key of 'spanproof keys create'. Without any key, on loopback: none.",
        }
    }
    for route in list_routes(app):
        for method in route.methods:
            operation = document["paths"].get(route.path_format, {}).get(method.lower())
            if operation is None:
                continue
            if not route.scopes:
                operation["security"] = []
                continue
            operation["security"] = [{"key": []}, {}]
            operation["x-scopes"] = list(route.scopes)
            for status, response in problem_responses(
                "UNAUTHENTICATED", "SCOPE_MISSING", "RATE_LIMITED"
            ).items():
                operation["responses"].setdefault(str(status), response)
            if route.work is not None:
                _add_overload(operation["responses"])


def _add_overload(responses: dict[str, Any]) -> None:
    """Add the problems of a route with admission control: no room, or no time left."""
    for status, response in problem_responses("SERVICE_BUSY", "SERVICE_STOPPING").items():
        found = responses.setdefault(str(status), deepcopy(response))
        (content,), (own,) = found["content"].values(), response["content"].values()
        content["examples"] = own["examples"] | content["examples"]
    for status in ("429", "503"):
        responses[status]["headers"] = {
            "Retry-After": {
                "description": "Seconds to wait before the request is sent again.",
                "schema": {"type": "integer", "minimum": 1},
                "example": 2 if status == "429" else 5,
            }
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRoute:
    """A route of ours; it needs one of ``scopes``; without scopes it is open to everyone.

    ``work`` is its class of work; None: an overload never refuses it.
    """

    path: str
    path_format: str
    methods: frozenset[str]
    scopes: tuple[str, ...]
    query: tuple[str, ...]
    work: Work | None


def list_routes(app: FastAPI) -> list[ListedRoute]:
    """Every route, the console's too, except that of this document."""
    found = []
    for context in iter_route_contexts(app.routes):
        dependant: Dependant | None = getattr(context, "dependant", None)
        if dependant is None or context.path is None:
            continue
        found.append(
            ListedRoute(
                path=context.path,
                path_format=context.path_format or context.path,
                methods=frozenset(context.methods or ()) - {"HEAD"},
                scopes=_gather_scopes(dependant),
                query=tuple(_gather_query(dependant)),
                work=_find_work(dependant),
            )
        )
    return found


def _gather_scopes(dependant: Dependant) -> tuple[str, ...]:
    own = dependant.call.scopes if isinstance(dependant.call, Required) else ()
    below = (_gather_scopes(each) for each in dependant.dependencies)
    return own or next((found for found in below if found), ())


def _find_work(dependant: Dependant) -> Work | None:
    own = dependant.call.work if isinstance(dependant.call, Admitted) else None
    below = (_find_work(each) for each in dependant.dependencies)
    return own or next((found for found in below if found), None)


def _gather_query(dependant: Dependant) -> list[str]:
    below = (name for each in dependant.dependencies for name in _gather_query(each))
    return [*(field.alias for field in dependant.query_params), *below]


def _add_examples(document: dict[str, Any]) -> None:
    # Only now: the framework would drop every null of a route's example.
    for operation in (each for item in document["paths"].values() for each in item.values()):
        for response in operation["responses"].values():
            # A list's NDJSON has the shape of its row.
            for kind in ("application/json", "application/x-ndjson"):
                content = response.get("content", {}).get(kind)
                if content is not None:
                    shape = content["schema"]["$ref"].rpartition("/")[2]
                    content["example"] = examples.BY_SHAPE[shape]
