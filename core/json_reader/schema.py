"""Shapes of JSON: small readers that accept exactly what a schema has, typed.

In signed JSON numbers are whole, or decimal strings of six decimals, and a field too many is
refused like one too few: a reader must not call verified what it does not know.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from spanproof.core.canonical_json import DECIMALS, MOST_INTEGER
from spanproof.core.digest import PREFIX, Digest
from spanproof.core.errors import MalformedDigestError
from spanproof.core.shown import shorten

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from enum import StrEnum

    from spanproof.core.errors import InputError

T = TypeVar("T")
#: Gives the typed value of a JSON value, or raises Mismatch.
Read = Callable[[Any], T]

#: Names that a caller or an operator chose, and addresses, are no longer than this.
MOST_CHARACTERS = 8192
_HEX = re.compile(r"[0-9a-f]+", re.ASCII)
_DECIMAL = re.compile(rf"-?(?:0|[1-9][0-9]{{0,39}})\.[0-9]{{{DECIMALS}}}", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
#: Unicode's line and paragraph separators are control characters to a terminal.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Mismatch(Exception):  # noqa: N818 - never leaves ``read``
    """A value that the schema does not have; ``path`` grows on the way up, innermost first."""

    def __init__(self, got: object, expected: str, *path: str | int) -> None:
        super().__init__(expected)
        self.expected, self.got = expected, got
        self.path = list(path)


def read(reader: Read[T], value: object, *, what: str, error: type[InputError], hint: str) -> T:
    """The typed value; raise ``error``, which names the place, for any other."""
    try:
        return reader(value)
    except Mismatch as exc:
        pointer = "".join(f"/{part}" for part in reversed(exc.path)) or "/"
        # A name in it may be data: a forger would choose what is printed.
        pointer = shorten(ascii(pointer)[1:-1])
        msg = f"Expected {exc.expected} at {pointer} of {what}, got {_show(exc.got)}."
        raise error(msg, hint=hint) from exc


def record(make: Callable[..., T], *optional: str, **fields: Read[Any]) -> Read[T]:
    """An object with exactly these fields (``optional`` may be missing), handed to ``make``."""
    names = frozenset(fields)
    required = names.difference(optional)
    readers = tuple(fields.items())

    def read_record(value: Any) -> T:  # noqa: ANN401 - any JSON value
        if type(value) is not dict or not required <= value.keys() <= names:
            raise _mismatched(value, names, required)
        found = {}
        name = ""
        try:
            for name, each in readers:
                if name in required or name in value:
                    found[name] = each(value[name])
        except Mismatch as error:
            error.path.append(name)
            raise
        return make(**found)

    return read_record


def known(make: Callable[..., T], *required: str, **fields: Read[Any]) -> Read[T]:
    """An object with these fields and no other; ``make`` gets those that are there."""
    readers = tuple((name, each, name in required) for name, each in fields.items())
    names = ", ".join(sorted(fields))

    def read_known(value: Any) -> T:  # noqa: ANN401 - any JSON value
        if type(value) is not dict:
            raise Mismatch(value, "an object")
        unknown = sorted(value.keys() - fields.keys())
        if unknown:
            raise Mismatch(unknown[0], f"one of {names}", unknown[0])
        found = {}
        name = ""
        try:
            for name, each, is_required in readers:
                if is_required or name in value:
                    found[name] = each(value.get(name))
        except Mismatch as error:
            error.path.append(name)
            raise
        return make(**found)

    return read_known


def picked(make: Callable[..., T], **fields: Read[Any]) -> Read[T]:
    """An object: these fields are read, a missing one is null, all others are ignored."""
    readers = tuple(fields.items())

    def read_picked(value: Any) -> T:  # noqa: ANN401 - any JSON value
        if type(value) is not dict:
            raise Mismatch(value, "an object")
        found = {}
        name = ""
        try:
            for name, each in readers:
                found[name] = each(value.get(name))
        except Mismatch as error:
            error.path.append(name)
            raise
        return make(**found)

    return read_picked


def plain(**fields: Read[Any]) -> Read[dict[str, Any]]:
    """The same, kept as an object."""
    return record(dict, **fields)


def array(of: Read[T], *, size: int | None = None) -> Read[tuple[T, ...]]:
    """An array of one kind; of exactly ``size``, where it is given."""
    expected = "an array" if size is None else f"an array of {size}"

    def read_array(value: Any) -> tuple[T, ...]:  # noqa: ANN401 - any JSON value
        if type(value) is not list or (size is not None and len(value) != size):
            raise Mismatch(value, expected)
        found: list[T] = []
        try:
            for item in value:
                found.append(of(item))  # noqa: PERF401 - its length names the place of a mismatch
        except Mismatch as error:
            error.path.append(len(found))
            raise
        return tuple(found)

    return read_array


def table(of: Read[T]) -> Read[dict[str, T]]:
    """An object whose names are data."""

    def read_table(value: Any) -> dict[str, T]:  # noqa: ANN401 - any JSON value
        if type(value) is not dict:
            raise Mismatch(value, "an object")
        found, name = {}, ""
        try:
            for name, item in value.items():
                found[text(name)] = of(item)
        except Mismatch as error:
            error.path.append(name)
            raise
        return found

    return read_table


def nullable(of: Read[T]) -> Read[T | None]:
    """The same, or null."""
    return lambda value: None if value is None else of(value)


def constant(expected: str | int) -> Read[Any]:
    """Exactly this value."""

    def read_constant(value: Any) -> Any:  # noqa: ANN401 - any JSON value
        # True equals 1, but is not one.
        if type(value) is not type(expected) or value != expected:
            raise Mismatch(value, json.dumps(expected))
        return value

    return read_constant


def one_of(words: type[StrEnum] | Collection[str]) -> Read[Any]:
    """One of these words, as ``words`` has it."""
    known: Mapping[str, Any] = {str(word): word for word in words}
    expected = f"one of {', '.join(known)}"

    def read_word(value: Any) -> Any:  # noqa: ANN401 - any JSON value
        found = known.get(value) if type(value) is str else None
        if found is None:
            raise Mismatch(value, expected)
        return found

    return read_word


def matching(pattern: str, expected: str) -> Read[str]:
    """A string that the whole pattern fits."""
    compiled = re.compile(pattern, re.ASCII)

    def read_matching(value: Any) -> str:  # noqa: ANN401 - any JSON value
        if type(value) is not str or len(value) > MOST_CHARACTERS or not compiled.fullmatch(value):
            raise Mismatch(value, expected)
        return value

    return read_matching


def text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A name or an address: not long, without control characters."""
    if type(value) is not str or len(value) > MOST_CHARACTERS or _CONTROL.search(value):
        raise Mismatch(value, f"a line of at most {MOST_CHARACTERS} characters")
    return value


def flag(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """True or false."""
    if type(value) is not bool:
        raise Mismatch(value, "true or false")
    return value


def integer(value: Any) -> int:  # noqa: ANN401 - any JSON value
    """A whole number that JSON holds exactly (RFC 8785)."""
    if type(value) is not int or not -MOST_INTEGER <= value <= MOST_INTEGER:
        raise Mismatch(value, "a whole number below 2**53")
    return value


def count(value: Any) -> int:  # noqa: ANN401 - any JSON value
    """The same, not negative."""
    if type(value) is not int or not 0 <= value <= MOST_INTEGER:
        raise Mismatch(value, "a whole number from 0 to 2**53 - 1")
    return value


def decimal(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A number as it is signed: a string with six decimals."""
    if type(value) is not str or not _DECIMAL.fullmatch(value):
        raise Mismatch(value, f"a decimal string with {DECIMALS} decimals")
    return value


def hexadecimal(size: int) -> Read[bytes]:
    """So many bytes, in lower-case hexadecimal digits."""

    def read_hexadecimal(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
        if type(value) is not str or len(value) != 2 * size or not _HEX.fullmatch(value):
            raise Mismatch(value, f"{2 * size} lower-case hexadecimal digits")
        return bytes.fromhex(value)

    return read_hexadecimal


def sha256(value: Any) -> Digest:  # noqa: ANN401 - any JSON value
    """A SHA-256, its 64 digits alone."""
    try:
        if type(value) is str:
            return Digest(value)
    except MalformedDigestError:
        pass
    raise Mismatch(value, "64 lower-case hexadecimal digits")


def digest(value: Any) -> Digest:  # noqa: ANN401 - any JSON value
    """A SHA-256, written with ``sha256:``."""
    if type(value) is not str or not value.startswith(PREFIX):
        raise Mismatch(value, "'sha256:' and 64 lower-case hexadecimal digits")
    return sha256(value[len(PREFIX) :])


def moment(value: Any) -> datetime:  # noqa: ANN401 - any JSON value
    """A moment in UTC with milliseconds (RFC 3339)."""
    if type(value) is str and _MOMENT.fullmatch(value):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    raise Mismatch(value, "a moment like 2026-11-20T14:00:00.000Z")


def _mismatched(value: object, names: frozenset[str], required: frozenset[str]) -> Mismatch:
    if type(value) is not dict:
        return Mismatch(value, "an object")
    missing = sorted(required - value.keys())
    if missing:
        return Mismatch(None, f"a field {missing[0]!r}")
    unknown = min(str(name) for name in value.keys() - names)
    return Mismatch(unknown, "no other field")


def _show(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if type(value) in {dict, list}:
        return "an object" if type(value) is dict else f"an array of {len(value)}"
    return shorten(ascii(value))
