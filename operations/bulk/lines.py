"""Pairs for bulk verification as they are sent: Parquet as it is, JSON Lines as Parquet."""

from __future__ import annotations

import json
import os
import shutil
from itertools import islice
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import MalformedBulkError
from spanproof.core.json_reader import strict_json
from spanproof.core.shown import shorten, show_value
from spanproof.operations.bulk.rows import OPTIONAL, REQUIRED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO

PARQUET_MAGIC = b"PAR1"
#: So many tell what was sent; before the first object may stand white space.
BEGINNING_BYTES = 1_024
#: Two texts of the largest size, each character written as an escape, and the rest of a row.
_MOST_LINE_BYTES = 16 << 20
_ROWS_AT_ONCE = 8_192
_NUMBERS = frozenset({"char_start", "char_end"})
#: What a column of whole numbers holds.
_LEAST, _MOST = -(2**63), 2**63 - 1
_HINT = "Fix the line, or leave it out."


def check_beginning(beginning: bytes) -> None:
    """Raise MalformedBulkError for bytes that begin neither Parquet nor a JSON object."""
    if beginning.startswith(PARQUET_MAGIC) or beginning.lstrip(b" \t\r\n").startswith(b"{"):
        return
    got = "nothing" if not beginning else f"bytes that begin with {beginning[:8]!r}"
    msg = f"Expected pairs as Parquet or as JSON Lines, got {got}."
    raise MalformedBulkError(msg, hint="Send a row as one JSON object a line.")


def write_pairs(source: Path, target: Path, *, told: Callable[[], None]) -> None:
    """Give the pairs of a file as Parquet under another name; ``told`` is called now and then.

    Lines are held against their shape, with their numbers; what their values must be, the run
    checks. Raises MalformedBulkError.
    """
    with source.open("rb") as opened:
        beginning = opened.read(len(PARQUET_MAGIC))
        opened.seek(0)
        if beginning != PARQUET_MAGIC:
            _write_lines(opened, target, told)
            return
    try:
        os.link(source, target)
    except OSError:
        # A file system without links.
        shutil.copyfile(source, target)


def _write_lines(opened: BinaryIO, target: Path, told: Callable[[], None]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    rows = _read_lines(opened)
    some = list(islice(rows, _ROWS_AT_ONCE))
    if not some:
        msg = "Expected rows, got none."
        raise MalformedBulkError(msg, hint="Send the pairs that are to be verified.")
    is_number = type(some[0][1].get("pair_id")) is int
    schema = pa.schema([(name, _find_type(name, is_number)) for name in (*REQUIRED, *OPTIONAL)])
    with parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        while some:
            told()
            for number, row in some:
                _check_row(row, number, is_number=is_number)
            columns = [
                pa.array([row.get(field.name) for _, row in some], field.type) for field in schema
            ]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
            some = list(islice(rows, _ROWS_AT_ONCE))


def _find_type(name: str, is_number: bool) -> Any:  # noqa: ANN401, FBT001 - an untyped library
    import pyarrow as pa

    return pa.int64() if name in _NUMBERS or (name == "pair_id" and is_number) else pa.string()


def _read_lines(opened: BinaryIO) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    while line := opened.readline(_MOST_LINE_BYTES + 1):
        number += 1
        if len(line) > _MOST_LINE_BYTES:
            msg = f"Expected at most {_MOST_LINE_BYTES} bytes at line {number}, got more."
            raise MalformedBulkError(msg, hint=_HINT)
        if not line.strip():
            continue
        what = f"a JSON object at line {number}"
        row = strict_json.parse(line, what=what, error=MalformedBulkError, hint=_HINT, limits=None)
        if not isinstance(row, dict):
            msg = f"Expected {what}, got {show_value(row)}."
            raise MalformedBulkError(msg, hint=_HINT)
        yield number, row


def _check_row(row: dict[str, Any], number: int, *, is_number: bool) -> None:
    """Raise MalformedBulkError where a value has not the type of its column."""
    for name in (*REQUIRED, *OPTIONAL):
        value = row.get(name)
        if value is None:
            # Where there must be a value, the run says so.
            continue
        if name in _NUMBERS or (name == "pair_id" and is_number):
            # No ``isinstance``: it would take true for a number.
            is_right, expected = type(value) is int and _LEAST <= value <= _MOST, "a whole number"
        else:
            is_right, expected = isinstance(value, str) and _is_text(value), "a text"
        if not is_right:
            shown = shorten(json.dumps(value))
            msg = f"Expected {expected} in {name!r} at line {number}, got {shown}."
            raise MalformedBulkError(msg, hint=_HINT)


def _is_text(value: str) -> bool:
    """Whether it can be written as UTF-8: half of a surrogate pair cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
