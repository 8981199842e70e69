"""JSON from outside, read in one way only: what two readers could take for two things is refused.

Source: RFC 8259 leaves duplicate names, big numbers and lone surrogates to the reader; RFC 7493
(I-JSON) does not, and neither do we.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from spanproof.core.shown import show_ascii

if TYPE_CHECKING:
    from spanproof.core.errors import InputError

#: The integers that every reader holds exactly (RFC 7493, section 2.2).
MOST_INTEGER = 2**53 - 1
MAX_DEPTH = 32
#: Commas and opening brackets. Read whole, a megabyte of nothing else takes half a second.
MAX_VALUES = 100_000
#: Fewer brackets than this cannot nest too deep for any reader of this package.
_FLAT_BRACKETS = 200
#: Extra nesting levels kept free for the writer.
_SPARE_LEVELS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLimits:
    """What a format allows. Without ``has_floats`` a number with a fraction or exponent is refused.

    ``is_compared``: the caller writes the value again and takes these bytes alone, which shows a
    name that appears twice; the reader does not look for one then.
    """

    max_bytes: int
    max_depth: int = MAX_DEPTH
    max_values: int = MAX_VALUES
    has_floats: bool = False
    is_compared: bool = False


def parse(
    raw: bytes, *, what: str, error: type[InputError], hint: str, limits: JsonLimits | None
) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a JSON text; ``error`` for any text that has none, or more than one reading.

    Refused are: bytes that are not UTF-8, a name twice in an object, NaN and infinities, lone
    surrogates and, with ``limits``, more bytes, values or nesting and integers beyond 2**53.
    Without ``limits`` (a caller's own document) any number that Python holds is read, a byte order
    mark is skipped, and the nesting is what can be written again. ``what`` names the text in
    messages ("a receipt").
    """
    try:
        if limits is None:
            value = _decode(raw.removeprefix(b"\xef\xbb\xbf"), _DECODERS[True, False])
            _check_writable(value, raw)
        else:
            _check_size(raw, limits)
            value = _decode(raw, _DECODERS[limits.has_floats, limits.is_compared])
            # Half a surrogate pair can only be written as an escape.
            has_surrogates = b"\\u" in raw and _SURROGATE.search(raw) is not None
            _check(value, limits.max_depth, has_surrogates=has_surrogates)
    except _FaultError as exc:
        raise error(f"Expected {what}, got {exc}.", hint=hint) from exc.__cause__
    return value


def count_values(raw: bytes) -> int:
    """At least as many values as a JSON text has, without reading it."""
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


class _FaultError(Exception):
    """What is wrong with a text, in the words of a message."""


def _check_size(raw: bytes, limits: JsonLimits) -> None:
    if len(raw) > limits.max_bytes:
        raise _FaultError(f"{len(raw)} bytes, more than {limits.max_bytes}")
    if count_values(raw) > limits.max_values:
        raise _FaultError(f"more than {limits.max_values} values")


def _decode(raw: bytes, decoder: json.JSONDecoder) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return decoder.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as exc:
        raise _FaultError(f"a byte that is not UTF-8 at {exc.start}") from exc
    except RecursionError as exc:
        raise _FaultError(_TOO_DEEP) from exc
    except json.JSONDecodeError as exc:
        why = f"{exc.msg.lower()} at line {exc.lineno} column {exc.colno}"
        raise _FaultError(f"text that is not JSON ({why})") from exc
    except ValueError as exc:  # an integer of thousands of digits
        raise _FaultError(f"text that is not JSON ({show_ascii(str(exc))})") from exc


def _join(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _FaultError(f"the key {show_ascii(twice)} twice in one object")
    return found


def _read_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _FaultError(f"{show_ascii(text)[1:-1]}, which no reader holds")
    return number


def _refuse_number(text: str) -> NoReturn:
    raise _FaultError(f"the number {show_ascii(text)}")


def _refuse_constant(name: str) -> NoReturn:
    raise _FaultError(f"{name}, which JSON does not have")


#: Made once, by ``has_floats`` and ``is_compared``: to make one takes as long as a short text.
_DECODERS = {
    (has_floats, is_compared): json.JSONDecoder(
        object_pairs_hook=None if is_compared else _join,
        parse_constant=_refuse_constant,
        parse_float=_read_float if has_floats else _refuse_number,
    )
    for has_floats in (False, True)
    for is_compared in (False, True)
}
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_HALF = "a lone surrogate in a string"
_TOO_DEEP = "objects and arrays nested too deep"
#: Of these nothing more is asked; nor of a text that is UTF-8 as it came.
_PLAIN = frozenset({bool, type(None), float})
_PLAIN_OR_TEXT = _PLAIN | {str}


def _check_writable(value: Any, raw: bytes) -> None:  # noqa: ANN401
    """Refuse what could not be written again, by writing it: the fastest way for a long answer."""
    # Only an escape can bring in a surrogate, and only brackets nest.
    if not _SURROGATE.search(raw) and raw.count(b"[") + raw.count(b"{") <= _FLAT_BRACKETS:
        return
    deeper = value
    for _ in range(_SPARE_LEVELS):
        deeper = [deeper]
    try:
        json.dumps(deeper, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as exc:
        raise _FaultError(_HALF) from exc
    except RecursionError as exc:
        raise _FaultError(_TOO_DEEP) from exc


def _check(value: Any, max_depth: int, *, has_surrogates: bool) -> None:  # noqa: ANN401
    """Refuse forbidden values; row by row, because recursion fails where nesting is deep."""
    plain = _PLAIN if has_surrogates else _PLAIN_OR_TEXT
    row, depth = [value], 0
    while row:
        below: list[Any] = []
        for each in row:
            kind = type(each)
            if kind is dict:
                below += each.values()
                if has_surrogates:
                    below += each
            elif kind is list:
                below += each
            elif kind not in plain:
                _check_plain(each)
        depth += 1
        # The last row holds the values of the innermost containers: it adds no level.
        if below and depth > max_depth:
            raise _FaultError(f"more than {max_depth} levels")
        row = [each for each in below if type(each) not in plain]


def _check_plain(value: str | int) -> None:
    """Refuse a text that UTF-8 cannot write, and integers that not every reader holds."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as exc:
            raise _FaultError(_HALF) from exc
    elif not -MOST_INTEGER <= value <= MOST_INTEGER:
        raise _FaultError(f"the number {show_ascii(value)}, which not every reader holds exactly")
