"""Blocks as JSON: a column for each of their fields, in few bytes or as bytes beside the JSON.

A column is a number where all of its numbers are that one. Earlier releases kept a row a block:
``[kind, start, end, level, name, place]``; those are read, and no longer written.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from spanproof.core.documents.blocks import COLUMNS, IN_WORDS, KINDS, NONE, NUMBERS, Blocks
from spanproof.core.documents.packed_numbers import pack_numbers, unpack_numbers
from spanproof.core.documents.text_block import Block, Place
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.packed_numbers import Ints

_PLACE_TYPES = {"slide": int, "paragraph": int, "rows": int, "columns": int, "header": bool}
_PLACE = frozenset(field.name for field in fields(Place))
#: The columns of words, and those that only a block with a place has.
_WORDS = frozenset({"name", "part", "sheet"})
_PLACED = ("part", "slide", "sheet", "row", "paragraph", "rows", "columns", "header")
#: The least and the most of a column, where these are not "none" and what four bytes hold.
_LEAST = {"kind": 0, "start": 0, "end": 0, "placed": 0}
_MOST = {"placed": 1, "header": 1}
#: More than a text has characters, and than fit into memory: a stored number may claim anything.
_MOST_BLOCKS = 1 << 27
#: Numbers repeat so much that more effort gains little.
_EFFORT = 1
_INT32 = np.dtype("<i4")


def blocks_to_json(blocks: Blocks, beside: list[bytes] | None = None) -> object:
    """The columns; with ``beside`` long ones are put there, as they are, and not into the JSON."""
    if not blocks:
        return []
    kept: dict[str, Any] = {}
    for name in COLUMNS:
        column = getattr(blocks, name)
        least = int(column.min())
        # The starts are always there: they say how many blocks there are.
        if least == int(column.max()) and name != "start":
            if least != NONE:
                kept[name] = least
        elif beside is None:
            kept[name] = _pack(column)
        else:
            kept[name] = [len(beside)]
            beside.append(np.ascontiguousarray(column, _INT32).tobytes())
    return {
        "count": len(blocks),
        "kinds": list(KINDS),
        "words": list(blocks.words),
        "columns": kept,
    }


def blocks_from_json(
    raw: list[Any] | dict[str, Any], beside: Sequence[bytes] | None = None
) -> Blocks:
    """The same blocks; raise ValueError, TypeError or KeyError where they cannot be.

    With ``beside`` no column is packed: what a child hands over takes no more memory than it sent.
    """
    if isinstance(raw, list):
        return Blocks.of(map(_block_of_row, raw))
    count, words, kept = raw["count"], raw["words"], raw["columns"]
    kinds = np.array([NUMBERS[kind] for kind in raw["kinds"]], np.int32)
    if type(count) is not int or not 0 < count <= _MOST_BLOCKS:
        _refuse("number of blocks", count)
    if not all(type(word) is str for word in words) or not set(kept) <= set(COLUMNS):
        _refuse("columns of blocks", list(kept)[:20])
    if type(kept["start"]) is int:
        _refuse("starts of blocks", kept["start"])
    columns = {name: _column_of(kept.get(name, NONE), count, beside) for name in COLUMNS}
    kind = columns["kind"]
    if int(kind.min()) < 0:
        _refuse("kind of a block", int(kind.min()))
    columns["kind"] = kinds[kind]
    blocks = Blocks(words=tuple(words), **columns)
    problem = _find_problem(blocks)
    if problem is not None:
        _refuse("block", problem)
    return blocks


def _find_problem(blocks: Blocks) -> str | None:
    """What cannot be in blocks; None where all can."""
    for name in COLUMNS:
        column = getattr(blocks, name)
        least, most = int(column.min()), int(column.max())
        highest = len(blocks.words) - 1 if name in _WORDS else _MOST.get(name, most)
        if least < _LEAST.get(name, NONE) or most > highest:
            return f"{name} from {least} to {most}"
    row, column = blocks.row, blocks.column
    # An address has both of its numbers, is a word of its own, or is not there.
    fits = (row != IN_WORDS) | ((column >= 0) & (column < len(blocks.words)))
    fits &= ((row <= 0) | (column > 0)) & ((row >= 0) | (column == NONE))
    fits &= blocks.start <= blocks.end
    for name in _PLACED:
        fits &= (blocks.placed == 1) | (getattr(blocks, name) == NONE)
    return None if bool(fits.all()) else f"number {int(np.argmin(fits))}"


def _column_of(kept: object, count: int, beside: Sequence[bytes] | None) -> Ints:
    if type(kept) is int:
        return cast("Ints", np.broadcast_to(np.array(kept, np.int32), count))
    if isinstance(kept, str) and beside is None:
        return _unpack(kept, count)
    if not isinstance(kept, list) or len(kept) != 1 or beside is None:
        _refuse("column", str(kept)[:100])
    (at,) = kept
    if type(at) is not int or not 0 <= at < len(beside):
        _refuse("place of a column", at)
    column = np.frombuffer(beside[at], _INT32)
    if len(column) != count:
        _refuse("length of a column", len(column))
    return column


def _pack(column: Ints) -> str:
    """Which of the numbers are there, then by how much each of those is more than the last one."""
    there = column != NONE
    numbers = column if bool(there.all()) else column[there]
    # The bits that say it are left out where all are there.
    mask = b"" if numbers is column else zlib.compress(np.packbits(there).tobytes(), _EFFORT)
    steps = np.diff(numbers, prepend=np.int32(0))
    packed = pack_numbers(len(steps), steps.__getitem__, level=_EFFORT)
    return f"{b64encode(mask).decode('ascii')}.{b64encode(packed).decode('ascii')}"


def _unpack(kept: str, count: int) -> Ints:
    mask, packed = (b64decode(part, validate=True) for part in kept.split("."))
    if not mask:
        return np.cumsum(unpack_numbers(packed, count), dtype=np.int32)
    opened = zlib.decompressobj()
    bits = opened.decompress(mask, (count + 7) // 8)
    there = np.unpackbits(np.frombuffer(bits, np.uint8), count=count).astype(bool)
    if len(bits) != (count + 7) // 8 or not opened.eof:
        _refuse("mask of a column", len(bits))
    column = np.full(count, NONE, np.int32)
    steps = unpack_numbers(packed, int(np.count_nonzero(there)))
    column[there] = np.cumsum(steps, dtype=np.int32)
    return column


def _block_of_row(raw: list[Any]) -> Block:
    kind, start, end, level, name, place = raw
    fits = (
        kind in NUMBERS
        and type(start) is int
        and type(end) is int
        and (level is None or type(level) is int)
        and (name is None or type(name) is str)
    )
    for key, value in (place or {}).items():
        fits = fits and key in _PLACE and type(value) is _PLACE_TYPES.get(key, str)
    if not fits:
        _refuse("block", raw)
    return Block(
        kind=kind,
        span=Span(start, end),
        level=level,
        name=name,
        place=None if place is None else Place(**place),
    )


def _refuse(name: str, got: object) -> NoReturn:
    msg = f"unexpected {name}: {got!r}"
    raise ValueError(msg)
