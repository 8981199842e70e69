"""Reading a caller's JSON object field by field: every problem is collected, with its pointer."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, TypeVar, cast

from spanproof.core.errors import FieldProblem, InputError, MalformedAnswerError
from spanproof.core.json_reader import strict_json
from spanproof.core.shown import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")
#: Problems of one payload that are described; of all further ones only the number is kept.
MOST_PROBLEMS = 32
_UNTOLD = FieldProblem(pointer="", expected="fewer problems", got="more")
_KINDS: dict[type, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    dict: "an object",
    list: "an array",
}


def load_json(raw: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """A caller's JSON document; raise MalformedAnswerError unless it has exactly one reading."""
    return strict_json.parse(
        raw,
        what="a JSON document in UTF-8",
        error=MalformedAnswerError,
        hint="Send the answer as one JSON object.",
        limits=None,
    )


def to_number(value: object) -> float | None:
    """A JSON number as a finite float; None for anything else (``true``, 400 digits, ``1e999``)."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def open_each(
    items: Sequence[object], pointer: str, problems: list[FieldProblem]
) -> Iterator[ObjectReader]:
    """A reader of each member of an array; where too many are wrong, the others are not read."""
    for index, item in enumerate(items):
        if len(problems) >= MOST_PROBLEMS:
            return
        yield ObjectReader(item, f"{pointer}/{index}", problems)


class ObjectReader:
    """Typed access to one JSON object; problems go to a list shared by the whole payload."""

    def __init__(self, value: object, pointer: str, problems: list[FieldProblem]) -> None:
        self.pointer = pointer
        self.problems = problems
        self.fields: dict[str, Any] = {}
        if isinstance(value, dict):
            self.fields = value
        else:
            self.report("", "an object", value)

    def report(self, name: str, expected: str, got: object) -> None:
        """Note one problem; long values are shown by their beginning, a missing one as nothing."""
        if len(self.problems) >= MOST_PROBLEMS:
            self.problems.append(_UNTOLD)
            return
        shown = "nothing" if got is None else json.dumps(got, ensure_ascii=False, default=str)
        pointer = f"{self.pointer}/{name}" if name else self.pointer
        self.problems.append(
            FieldProblem(
                pointer=pointer,
                expected=expected,
                got=shorten(shown),
            )
        )

    def optional(self, name: str, kind: type[T]) -> T | None:
        """The field's value if it has the kind; None where it is missing or null."""
        value = self.fields.get(name)
        if value is None:
            return None
        if type(value) is kind and kind is not float:
            return value
        # bool is an int to Python, and an integer is a number to JSON.
        fits = isinstance(value, int | float if kind is float else kind)
        if not fits or isinstance(value, bool):
            self.report(name, _KINDS[kind], value)
            return None
        if kind is float:
            number = to_number(value)
            if number is None:
                self.report(name, "a finite number", value)
            return cast("T | None", number)
        return cast("T", value)

    def required(self, name: str, kind: type[T], default: T) -> T:
        """The field's value; where it is missing or mistyped, a problem and the default."""
        if self.fields.get(name) is None:
            self.report(name, _KINDS[kind], None)
            return default
        value = self.optional(name, kind)
        return default if value is None else value

    def built(self, name: str, build: Any, *values: Any) -> Any:  # noqa: ANN401 - any value's door
        """``build(*values)``; its InputError becomes a problem of the field and the result None."""
        try:
            return build(*values)
        except InputError as error:
            # Every error of ours reads "Expected …, got …."; the field's own value is shown as got.
            expected = error.message.removeprefix("Expected ").partition(", got ")[0]
            self.report(name, expected, values[0] if len(values) == 1 else values)
            return None
