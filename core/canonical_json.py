"""Canonical JSON (RFC 8785, JCS), and numbers as decimal strings for what is digested or signed."""

from __future__ import annotations

import json
from typing import Any

import rfc8785

from core.digest import Digest

#: RFC 8785 has the integers that a double holds exactly.
_MOST_INTEGER = 2**53 - 1
#: Six decimals hold a probability (guard band 1e-3) and a length (quantum 1/100) with room.
DECIMALS = 6


def dumps(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """The JCS bytes of a JSON value (tuples count as arrays)."""
    if _is_plain(value):
        # The same bytes, ten times as fast: what JCS writes otherwise are floats and the order of
        # names that are not ASCII.
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        try:
            return text.encode("utf-8")
        except UnicodeEncodeError:
            pass  # A lone surrogate: refused below, as everywhere.
    return rfc8785.dumps(_to_arrays(value))


def digest(value: Any) -> Digest:  # noqa: ANN401 - any JSON value
    """SHA-256 of the JCS bytes."""
    return Digest.of(dumps(value))


def with_decimal_strings(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The same value with every float as a string of six decimals: floats print unlike."""
    if isinstance(value, float):
        return f"{value + 0.0:.{DECIMALS}f}"
    if isinstance(value, dict):
        return {key: with_decimal_strings(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [with_decimal_strings(item) for item in value]
    return value


def _is_plain(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether it holds only what ``json`` writes as JCS does: no float, names in ASCII."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return -_MOST_INTEGER <= value <= _MOST_INTEGER
    if kind is dict:
        return all(
            type(name) is str and name.isascii() and _is_plain(item) for name, item in value.items()
        )
    return (kind is list or kind is tuple) and all(map(_is_plain, value))


def _to_arrays(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {key: _to_arrays(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_arrays(item) for item in value]
    return value
