"""Valid inputs, changed: bytes, lines, and the values of a JSON text."""

from __future__ import annotations

import base64
import binascii
import copy
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

#: What parsers have stumbled over elsewhere.
_MORSELS = (
    *rb"0|-1|null|true|1e400|1.0|NaN|-0|9007199254740993|\u0000|==|=|+|-|_|%s|../".split(b"|"),
    *(b"\x00", b"\n", b"\r\n", b" ", b"\t", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf"),
    *(each.encode() for each in ("\u2014 ", "\u2028", "\u202e", "\u0661")),
    *(b"9" * 30, b"[" * 200, b'{"a":1,"a":2}', b'"\\ud800"'),
)
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.5, 2**31, 2**53, 2**63, 2**64, 10**40),
    *("", "0", "-1", "01", "9223372036854775808", "\u0000", "\ud800", "\u0661", "A", "=", "AA=="),
    *("x" * 5000, "sha256:" + "0" * 64, "2026-11-20T14:00:00Z"),
    *([], {}, [[]], [None], {"": None}, [0] * 50),
)


def mutate(raw: bytes, rng: random.Random) -> bytes:
    """One to three changes, of any kind that the input has room for."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        raw = rng.choice(_KINDS)(raw, rng)
    return raw


def _flip(raw: bytes, rng: random.Random) -> bytes:
    if not raw:
        return raw
    changed = bytearray(raw)
    changed[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _set_byte(raw: bytes, rng: random.Random) -> bytes:
    if not raw:
        return raw
    changed = bytearray(raw)
    changed[rng.randrange(len(raw))] = rng.randrange(256)
    return bytes(changed)


def _cut(raw: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(raw) + 1)
    return raw[:start] + raw[start + rng.choice((1, 2, 4, 16, 64, 1024)) :]


def _truncate(raw: bytes, rng: random.Random) -> bytes:
    return raw[: rng.randrange(len(raw) + 1)]


def _repeat(raw: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(raw) + 1)
    part = raw[start : start + rng.choice((1, 4, 16, 64, 512))]
    return raw[:start] + part * rng.choice((2, 2, 3, 10)) + raw[start + len(part) :]


def _insert(raw: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(raw) + 1)
    return raw[:at] + rng.choice(_MORSELS) + raw[at:]


def _swap_lines(raw: bytes, rng: random.Random) -> bytes:
    lines = raw.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _change_json(raw: bytes, rng: random.Random) -> bytes:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return _insert(raw, rng)
    return _dump(_change_value(value, rng))


def _change_inside(raw: bytes, rng: random.Random) -> bytes:
    """A JSON text, or other bytes, that stand as base64 in a JSON text."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return _flip(raw, rng)
    places = [(owner, key) for owner, key in _list_places(value) if _decode(owner[key])]
    if not places:
        return _change_json(raw, rng)
    owner, key = rng.choice(places)
    inner = _decode(owner[key])
    assert inner is not None
    changed = rng.choice((_flip, _set_byte, _cut, _insert, _change_json))(inner, rng)
    owner[key] = base64.b64encode(changed).decode("ascii")
    return _dump(value)


_KINDS = (
    *(_flip, _set_byte, _cut, _truncate, _repeat, _insert, _swap_lines),
    *(_change_json, _change_json, _change_json, _change_inside, _change_inside),
)


def _change_value(value: Any, rng: random.Random) -> Any:
    places = _list_places(value)
    if not places:
        return rng.choice(_VALUES)
    owner, key = rng.choice(places)
    match rng.randrange(6):
        case 0 | 1:
            owner[key] = copy.deepcopy(rng.choice(_VALUES))
        case 2:
            other, name = rng.choice(places)
            owner[key] = copy.deepcopy(other[name])
        case 3:
            del owner[key]
        case 4 if isinstance(owner, dict):
            owner[rng.choice(("x", "", f"{key} ", str(key).upper()))] = copy.deepcopy(owner[key])
        case _ if isinstance(owner[key], str) and owner[key]:
            at = rng.randrange(len(owner[key]))
            morsel = rng.choice("0Aa /=\u0000\u00e9\u2028")
            owner[key] = owner[key][:at] + morsel + owner[key][at + 1 :]
        case _:
            owner[key] = [owner[key]]
    return value


def _list_places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        owner = waiting.pop()
        items: list[tuple[Any, Any]]
        if isinstance(owner, dict):
            items = list(owner.items())
        elif isinstance(owner, list):
            items = list(enumerate(owner))
        else:
            continue
        found += [(owner, key) for key, _ in items]
        waiting += [item for _, item in items]
    return found


def _decode(value: Any) -> bytes | None:
    if not isinstance(value, str) or len(value) < 8:
        return None
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
