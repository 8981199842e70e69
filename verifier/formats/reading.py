"""Reading a JSON object field by field: every problem is collected, with its pointer."""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeVar, cast

from spanproof.core.errors import FieldProblem, InputError, MalformedAnswerError

_MAY_BE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
#: So many cannot nest too deep for any reader of this package.
_FLAT_BRACKETS = 200
#: Levels that whoever writes the value again may stand deeper than whoever reads it.
_SPARE_LEVELS = 100
_SURROGATE = re.compile("[\ud800-\udfff]")
T = TypeVar("T")
_KINDS: dict[type, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    dict: "an object",
    list: "an array",
}


def load_json(raw: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Parse UTF-8 JSON strictly: no duplicate keys, no NaN, no lone surrogate in any string.

    Nor a number beyond every float, such as ``1e999``: nobody could write it again.
    """
    try:
        text = raw.decode("utf-8-sig")
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_float=_read_float,
            parse_constant=_refuse_constant,
        )
        # Only an escape can bring in a surrogate, and only brackets nest.
        if _MAY_BE_SURROGATE.search(raw) or raw.count(b"[") + raw.count(b"{") > _FLAT_BRACKETS:
            deeper = value
            for _ in range(_SPARE_LEVELS):
                deeper = [deeper]
            json.dumps(deeper, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        msg = f"Expected a JSON document in UTF-8, got {_describe(error)}."
        raise MalformedAnswerError(msg, hint="Send the answer as one JSON object.") from error
    return value


def _describe(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} at line {error.lineno} column {error.colno}"
    if isinstance(error, UnicodeEncodeError):
        return "a lone surrogate in a string"
    if isinstance(error, UnicodeDecodeError):
        return f"a byte that is not UTF-8 at {error.start}"
    return "too deep a nesting" if isinstance(error, RecursionError) else str(error)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} twice in one object")
    return found


def _read_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        shown = text if len(text) <= 40 else text[:37] + "..."
        raise ValueError(f"{shown}, which no reader holds")
    return number


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name}, which JSON does not have")


def to_number(value: object) -> float | None:
    """A JSON number as a finite float; None for anything else (``true``, 400 digits, ``1e999``)."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


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
        shown = "nothing" if got is None else json.dumps(got, ensure_ascii=False, default=str)
        pointer = f"{self.pointer}/{name}" if name else self.pointer
        self.problems.append(
            FieldProblem(
                pointer=pointer,
                expected=expected,
                got=shown if len(shown) <= 80 else shown[:77] + "...",
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
