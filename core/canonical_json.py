"""Canonical JSON (RFC 8785, JCS), and numbers as decimal strings for what is digested or signed."""

from __future__ import annotations

from typing import Any

import rfc8785

from core.digest import Digest

#: Six decimals hold a probability (guard band 1e-3) and a length (quantum 1/100) with room.
DECIMALS = 6


def dumps(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """The JCS bytes of a JSON value (tuples count as arrays)."""
    return rfc8785.dumps(_plain(value))


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


def _plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
