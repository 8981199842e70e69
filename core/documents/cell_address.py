"""Addresses of cells (``B4``) and the columns and rows that they name, both counted from 1."""

from __future__ import annotations

import re
from functools import lru_cache

_ADDRESS = re.compile(r"([A-Z]{1,4})(\d{1,7})")
#: What ``name_cell`` writes, of numbers that fit into four bytes.
_PLAIN = re.compile(r"([A-Z]{1,6})([1-9][0-9]{0,8})")


def name_cell(column: int, row: int) -> str:
    """The address of a cell: ``B4``."""
    return f"{name_column(column)}{row}"


@lru_cache(maxsize=1 << 15)
def name_column(column: int) -> str:
    """The letters of a column: ``B``."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


@lru_cache(maxsize=1 << 15)
def number_column(letters: str) -> int:
    """The number of a column: 2 for ``B``."""
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return column


def read_address(address: str) -> tuple[int, int] | None:
    """Row and column of a cell of a sheet: (4, 2) for ``B4``."""
    found = _ADDRESS.fullmatch(address)
    return None if found is None else (int(found[2]), number_column(found[1]))


def split_address(address: str) -> tuple[int, int] | None:
    """Row and column where ``name_cell`` makes the same address of them again."""
    found = _PLAIN.fullmatch(address)
    return None if found is None else (int(found[2]), number_column(found[1]))
