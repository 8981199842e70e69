"""JSON from outside, read in one way only: what two readers could take for two things is refused.

Source: RFC 8259 leaves duplicate names, big numbers and lone surrogates to the reader; RFC 7493
(I-JSON) does not, and neither do we.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from spanproof.core.errors import InputError

#: The integers that every reader holds exactly (RFC 7493, section 2.2).
MOST_INTEGER = 2**53 - 1
MAX_DEPTH = 32
#: Commas and opening brackets. Read whole, a megabyte of nothing else takes half a second.
MAX_VALUES = 100_000
_SHOWN = 60


def parse(  # noqa: PLR0913 - a format's limits, each by its name
    raw: bytes,
    *,
    what: str,
    error: type[InputError],
    hint: str,
    max_bytes: int,
    max_depth: int = MAX_DEPTH,
    max_values: int = MAX_VALUES,
    has_floats: bool = False,
    is_compared: bool = False,
) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a JSON text; ``error`` for whatever is not one, or not in one way only.

    Refused are: more bytes, values or nesting than given, no UTF-8, a name twice in an object,
    NaN and infinities, integers beyond 2**53, lone surrogates and, unless ``has_floats``, every
    number with a fraction or an exponent. ``what`` names the text in messages ("a receipt").
    ``is_compared``: the caller writes the value again and takes these bytes alone, which shows a
    name that stands twice; it is not looked for here.
    """
    try:
        _check_size(raw, max_bytes, max_values)
        value = _decode(raw, _DECODERS[has_floats, is_compared])
        # Half a surrogate pair can only be written as an escape.
        has_surrogates = b"\\u" in raw and _SURROGATE.search(raw) is not None
        _check(value, max_depth, has_surrogates=has_surrogates)
    except _FaultError as exc:
        raise error(f"Expected {what}, got {exc}.", hint=hint) from exc.__cause__
    return value


def count_values(raw: bytes) -> int:
    """At least as many values as a JSON text has, without reading it."""
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def shorten(value: object) -> str:
    """How a value from outside is shown in a message: printable, and never long."""
    shown = ascii(value) if isinstance(value, str) else repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


class _FaultError(Exception):
    """What is wrong with a text, in the words of a message."""


def _check_size(raw: bytes, max_bytes: int, max_values: int) -> None:
    if len(raw) > max_bytes:
        raise _FaultError(f"{len(raw)} bytes, more than {max_bytes}")
    if count_values(raw) > max_values:
        raise _FaultError(f"more than {max_values} values")


def _decode(raw: bytes, decoder: json.JSONDecoder) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return decoder.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as exc:
        msg = "bytes that are no UTF-8"
        raise _FaultError(msg) from exc
    except RecursionError as exc:
        msg = "objects and arrays nested too deep"
        raise _FaultError(msg) from exc
    except ValueError as exc:  # JSONDecodeError, and an integer of thousands of digits
        raise _FaultError(f"something that is no JSON ({shorten(str(exc))})") from exc


def _join(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        msg = "a name twice in one object"
        raise _FaultError(msg)
    return found


def _refuse_number(text: str) -> NoReturn:
    raise _FaultError(f"the number {shorten(text)}")


#: Made once, by ``has_floats`` and ``is_compared``: to make one takes as long as a short text.
_DECODERS = {
    (has_floats, is_compared): json.JSONDecoder(
        object_pairs_hook=None if is_compared else _join,
        parse_constant=_refuse_number,
        parse_float=None if has_floats else _refuse_number,
    )
    for has_floats in (False, True)
    for is_compared in (False, True)
}
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
#: Of these nothing more is asked; nor of a text that is UTF-8 as it came.
_PLAIN = frozenset({bool, type(None)})
_PLAIN_OR_TEXT = _PLAIN | {str}


def _check(value: Any, max_depth: int, *, has_surrogates: bool) -> None:  # noqa: ANN401
    """Refuse what no value may hold; row by row: a call into a call ends where nesting is deep."""
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
        # The last row holds what is in the innermost: it is no level of its own.
        if below and depth > max_depth:
            raise _FaultError(f"more than {max_depth} levels")
        row = [each for each in below if type(each) not in plain]


def _check_plain(value: Any) -> None:  # noqa: ANN401 - a text or a number
    """Refuse a text that UTF-8 cannot write, and numbers that not every reader holds."""
    if type(value) is str:
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as exc:
            msg = "half a surrogate pair"
            raise _FaultError(msg) from exc
    elif type(value) is int:
        if not -MOST_INTEGER <= value <= MOST_INTEGER:
            raise _FaultError(f"the number {shorten(value)}, which not every reader holds exactly")
    elif not math.isfinite(value):
        msg = "a number beyond every double"
        raise _FaultError(msg)
