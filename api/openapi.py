"""The OpenAPI document: the routes' own, plus the shapes that only it speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from api.wire import examples
from api.wire.answer import AnswerIn
from api.wire.attribution import AttributionIn
from api.wire.fields import LabelledTurnsIn, TurnIn
from api.wire.grammars import CleanTextIn, PromptIn
from api.wire.problem import ProblemOut
from api.wire.receipt import ReceiptOut
from api.wire.sampling import LabelIn

if TYPE_CHECKING:
    from fastapi import FastAPI

_REFERENCE = "#/components/schemas/{model}"
DESCRIPTION = """Spanproof proves, or refutes, each citation of an answer: the document is the one
cited, the quoted span stands at its offsets and at its place on the page, and the span entails the
claim. It does not prove that the source is true, nor that the model used the cited text."""


def make_openapi(app: FastAPI) -> dict[str, Any]:
    """The document, made once."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title, version=app.version, description=DESCRIPTION, routes=app.routes
        )
        _, extra = models_json_schema(
            [
                (AnswerIn, "validation"),
                (AttributionIn, "validation"),
                (TurnIn, "validation"),
                (LabelIn, "validation"),
                (LabelledTurnsIn, "validation"),
                (CleanTextIn, "validation"),
                (PromptIn, "validation"),
                (ProblemOut, "serialization"),
                (ReceiptOut, "serialization"),
            ],
            ref_template=_REFERENCE,
        )
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        for name, schema in extra["$defs"].items():
            schemas.setdefault(name, schema)
        _add_examples(document)
        app.openapi_schema = document
    return app.openapi_schema


def _add_examples(document: dict[str, Any]) -> None:
    # Only now: the framework drops every null of an example that a route gives it.
    for operation in (each for item in document["paths"].values() for each in item.values()):
        for response in operation["responses"].values():
            content = response.get("content", {}).get("application/json")
            if content is not None:
                content["example"] = examples.BY_SHAPE[content["schema"]["$ref"].rpartition("/")[2]]
