"""A JSON body as the model of its fields, read inside of a route."""

from typing import TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from spanproof.core.errors import FieldProblem
from spanproof.operations.citations.grammars import read_json
from spanproof.operations.errors import MalformedParameterError

Wish = TypeVar("Wish", bound=BaseModel)


def read_wish(raw: bytes, shape: type[Wish]) -> Wish:
    """What a body asks for.

    Raises MalformedAnswerError for what is no JSON, RequestValidationError for other fields.
    """
    value = read_json(raw)
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        rows = error.errors(include_url=False, include_context=False)
        problems = [row | {"loc": ("body", *row["loc"])} for row in rows]
        raise RequestValidationError(problems) from error


def check_choice(is_right: bool, pointer: str, expected: str, got: str) -> None:  # noqa: FBT001
    """Raise MalformedParameterError for fields that are well formed each, and not together."""
    if is_right:
        return
    problem = FieldProblem(pointer=pointer, expected=expected, got=got)
    msg = f"Expected {expected} at {pointer}, got {got}."
    hint = "Compare the request with /openapi.json."
    raise MalformedParameterError(msg, hint=hint, problems=(problem,))
