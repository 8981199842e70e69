"""Words of a text as arrays: their places and a 64-bit number for each, equal for equal words.

The numbers only *find* where a quote's words crowd; decisions are taken on the words themselves.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from spanproof.core.documents.match_views import expand_codes, to_codes

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

Ints = np.ndarray[Any, np.dtype[np.int64]]
Kinds = np.ndarray[Any, np.dtype[np.uint8]]
Hashes = np.ndarray[Any, np.dtype[np.uint64]]

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_PLANE = 0x10000
#: Scripts that write without spaces: each character is a word of its own.
_UNSPACED = ((0x0E00, 0x0EFF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF))
_SINGLE_PLANES = (0x20000, 0x3FFFF)


@dataclass(frozen=True, slots=True, eq=False)
class TokenIndex:
    """One row a word: its canonical start and end, and its number (letter case apart)."""

    starts: Ints
    ends: Ints
    numbers: Hashes

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def of(cls, text: str) -> TokenIndex:
        """Cut a text into runs of letters, digits and marks, or single unspaced characters."""
        if not text:
            empty = np.zeros(0, dtype=np.int64)
            return cls(empty, empty, np.zeros(0, dtype=np.uint64))
        lowered = text.lower()
        codes = to_codes(lowered if len(lowered) == len(text) else text)
        positions: Ints | None = None
        if not text.isascii():
            codes, positions = expand_codes(codes)
        kinds = _kinds(codes)
        word = kinds > 0
        edge = np.empty(len(codes) + 1, dtype=np.bool_)
        edge[0], edge[-1] = word[0], word[-1]
        edge[1:-1] = (kinds[1:] != kinds[:-1]) | (kinds[1:] == 2)
        cuts = np.flatnonzero(edge)
        starts = cuts[:-1][word[cuts[:-1]]]
        ends = cuts[1:][word[cuts[:-1]]]
        numbers = _number_words(codes, starts, ends)
        if positions is not None:
            starts, ends = positions[starts], positions[ends - 1] + 1
        return cls(starts, ends, numbers)


_INDEXES: WeakKeyDictionary[Extraction, TokenIndex] = WeakKeyDictionary()


def index_of(extraction: Extraction) -> TokenIndex:
    """The words of an extraction's text, indexed once while the extraction lives."""
    index = _INDEXES.get(extraction)
    if index is None:
        index = _INDEXES[extraction] = TokenIndex.of(extraction.text.text)
    return index


def _number_words(codes: np.ndarray[Any, Any], starts: Ints, ends: Ints) -> Hashes:
    # A polynomial modulo 2**64: the sum over a word, shifted back to the text's start.
    powers: Hashes = np.cumprod(np.full(len(codes) + 1, _BASE, dtype=np.uint64), dtype=np.uint64)
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    terms: Hashes = (codes.astype(np.uint64) + np.uint64(1)) * powers[:-1]
    np.cumsum(terms, out=sums[1:])
    back: Hashes = np.cumprod(np.full(len(codes) + 1, _INVERSE, dtype=np.uint64), dtype=np.uint64)
    found: Hashes = (sums[ends] - sums[starts]) * back[starts]
    return found


def _kinds(codes: np.ndarray[Any, Any]) -> Kinds:
    if int(codes.max()) < 128:
        plain: Kinds = _ascii_kinds()[codes]
        return plain
    kinds: Kinds = _kind_table()[np.minimum(codes, _PLANE - 1)]
    high = codes >= _PLANE
    if bool(high.any()):
        single = (codes >= _SINGLE_PLANES[0]) & (codes <= _SINGLE_PLANES[1])
        kinds = np.where(high, np.where(single, 2, 1), kinds).astype(np.uint8)
    return kinds


@cache
def _ascii_kinds() -> Kinds:
    return np.array([chr(code).isalnum() for code in range(128)], dtype=np.uint8)


@cache
def _kind_table() -> Kinds:
    table = np.array(
        [unicodedata.category(chr(code))[0] in "LNM" for code in range(_PLANE)], dtype=np.uint8
    )
    for start, end in _UNSPACED:
        table[start : end + 1] *= 2
    return table
