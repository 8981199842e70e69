"""Canonical JSON (RFC 8785, JCS), and numbers as decimal strings to digest or sign."""

from __future__ import annotations

import json
from typing import Any

import rfc8785

from spanproof.core.digest import Digest

#: RFC 8785 has the integers that a double holds exactly.
MOST_INTEGER = 2**53 - 1
#: Six decimals hold a probability (guard band 1e-3) and a length (quantum 1/100) with room.
DECIMALS = 6
_DECIMAL = f"{{:.{DECIMALS}f}}".format
#: What is written as it is.
_KEPT = frozenset({str, int, bool, type(None)})
#: Safe with every value.
_SAFE = _KEPT - {int}
#: A union of types is looked at again each time.
_ARRAYS = (list, tuple)
#: Made once: to make one takes longer than to write a short value.
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def dumps(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """The JCS bytes of a JSON value (tuples count as arrays)."""
    if _is_plain(value):
        # The same bytes, ten times as fast: what JCS writes otherwise are floats and the order of
        # names that are not ASCII.
        try:
            return _ENCODER.encode(value).encode("utf-8")
        except UnicodeEncodeError:
            pass  # A lone surrogate: refused below, as everywhere.
    return rfc8785.dumps(_to_arrays(value))


def digest(value: Any) -> Digest:  # noqa: ANN401 - any JSON value
    """SHA-256 of the JCS bytes."""
    return Digest.of(dumps(value))


def with_decimal_strings(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The same value with every float as a string of six decimals: floats print unlike."""
    # A verdict has hundreds of words and numbers: none of them is worth a call.
    if isinstance(value, dict):
        return {
            key: item if type(item) in _KEPT else with_decimal_strings(item)
            for key, item in value.items()
        }
    if isinstance(value, _ARRAYS):
        return [
            item
            if (kind := type(item)) in _KEPT
            else _DECIMAL(item + 0.0)
            if kind is float
            else with_decimal_strings(item)
            for item in value
        ]
    # Minus nought is written as nought.
    return _DECIMAL(value + 0.0) if isinstance(value, float) else value


def _is_plain(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether it holds only what ``json`` writes as JCS does: no float, names in ASCII."""
    # Row by row: a call for each value takes longer than to write them all.
    row = [value]
    while row:
        below: list[Any] = []
        for each in row:
            kind = type(each)
            if kind is dict:
                if not {str}.issuperset(map(type, each)) or not "".join(each).isascii():
                    return False
                below += each.values()
            elif kind is list or kind is tuple:
                below += each
            elif kind not in _KEPT or (kind is int and not -MOST_INTEGER <= each <= MOST_INTEGER):
                return False
        row = [each for each in below if type(each) not in _SAFE]
    return True


def _to_arrays(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {key: _to_arrays(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_arrays(item) for item in value]
    return value
