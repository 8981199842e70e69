"""The order of a reader that grows words to blocks and sorts these by what stands before what.

As Poppler does (``TextOutputDev.cc``, read, not copied): a block takes words that stand above or
below it in its columns, and words close beside it. A block above another, in its columns, comes
before it; so does one to the left, unless a third one stands between. Tables are read by rows of
blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from spanproof.verifier.quotes.line_order.block_tables import order_with_tables, relate, sort_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanproof.verifier.quotes.line_order.page_glyphs import Glyph

#: All in heights of a word: the gap that ends a word, how far lines of a block stand apart and
#: words of a line up or down, how near a word stands beside a block, and beside a narrow one.
_WORD_GAP, _LINES_APART, _SAME_LINE, _BESIDE, _NEAR_BESIDE = 0.1, 1.5, 0.5, 0.7, 1.0
#: The share by which heights may differ in a column, in a line, and beside a block.
_SIZE_IN_COLUMN, _SIZE_IN_LINE, _SIZE_BESIDE = 0.05, 0.6, 0.2
#: Words that stand near beside a block are its own if they are so few.
_MOST_BESIDE = 3
#: A page of more words is not read so.
_MOST_WORDS = 3_000
#: The first word of a block is the left-most of so many heights of lines, among so many words.
_SEED_LINES, _SEED_WORDS = 3.0, 200
#: Points by which baselines and heights of one word's glyphs may differ.
_LEVEL = 0.5


@dataclass(slots=True, eq=False)
class _Word:
    glyphs: list[Glyph]
    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def base(self) -> float:
        return self.glyphs[0].base

    @property
    def size(self) -> float:
        return self.glyphs[0].height


@dataclass(slots=True, eq=False)
class _Block:
    """Words of about one size; ``top`` and ``foot`` are its first and last baseline."""

    size: float
    top: float = inf
    foot: float = -inf
    words: list[_Word] = field(default_factory=list)
    x0: float = inf
    y0: float = inf
    x1: float = -inf
    y1: float = -inf

    def add(self, word: _Word) -> None:
        self.words.append(word)
        self.x0, self.y0 = min(self.x0, word.x0), min(self.y0, word.y0)
        self.x1, self.y1 = max(self.x1, word.x1), max(self.y1, word.y1)
        if self._has_size(word, _SIZE_IN_COLUMN):
            self.top, self.foot = min(self.top, word.base), max(self.foot, word.base)

    def takes(self, word: _Word) -> bool:
        """Whether a word stands in the block's columns, or close beside its lines."""
        if word.x0 < self.x1 and self.x0 < word.x1 and self._has_size(word, _SIZE_IN_COLUMN):
            return True
        far = _BESIDE * self.size
        near = word.x0 < self.x1 + far and self.x0 - far < word.x1
        return near and self._in_lines(word) and self._has_size(word, _SIZE_IN_LINE)

    def is_beside(self, word: _Word, *, right: bool) -> bool:
        """Whether a word stands near the block's lines on one side."""
        gap = word.x0 - self.x1 if right else self.x0 - word.x1
        near = 0 <= gap < _NEAR_BESIDE * self.size
        return near and self._in_lines(word) and self._has_size(word, _SIZE_BESIDE)

    def _in_lines(self, word: _Word) -> bool:
        far = _SAME_LINE * self.size
        return self.top - far <= word.base <= self.foot + far

    def _has_size(self, word: _Word, share: float) -> bool:
        return abs(word.size - self.size) <= share * self.size


def read_by_blocks(glyphs: Sequence[Glyph]) -> Mapping[str, list[Glyph]]:
    """The glyphs by columns of blocks, by rows of them, and with the blocks of each table by rows.

    None where the page has too many words.
    """
    words = list(_words(glyph for glyph in glyphs if glyph.is_level))
    if not 0 < len(words) <= _MOST_WORDS:
        return {}
    blocks = _blocks(words)
    turned = [glyph for glyph in glyphs if not glyph.is_level]
    orders = {
        "columns": _by_columns(blocks),
        "blocks": _by_rows(blocks),
        "tables": order_with_tables(blocks),
    }
    return {
        name: [glyph for block in order for word in _lines(block) for glyph in word.glyphs] + turned
        for name, order in orders.items()
    }


def _words(glyphs: Iterator[Glyph]) -> Iterator[_Word]:
    word: _Word | None = None
    for glyph in glyphs:
        if word is not None and (glyph.is_blank or not _goes_on(word.glyphs[-1], glyph)):
            yield word
            word = None
        if glyph.is_blank:
            continue
        if word is None:
            word = _Word([glyph], glyph.x0, glyph.y0, glyph.x1, glyph.y1)
        else:
            word.glyphs.append(glyph)
            word.x0, word.x1 = min(word.x0, glyph.x0), max(word.x1, glyph.x1)
    if word is not None:
        yield word


def _goes_on(one: Glyph, other: Glyph) -> bool:
    level = abs(other.base - one.base) < _LEVEL and abs(other.height - one.height) < _LEVEL
    return level and -_SAME_LINE * one.height < other.x0 - one.x1 < _WORD_GAP * one.height


def _blocks(words: list[_Word]) -> list[_Block]:
    left = sorted(words, key=lambda word: (word.base, word.x0))
    blocks: list[_Block] = []
    while left:
        lowest = left[0].base + _SEED_LINES * left[0].size
        near = [word for word in left[:_SEED_WORDS] if word.base <= lowest]
        seed = min(near, key=lambda word: word.x0)
        block = _Block(size=seed.size)
        taken = [seed]
        block.add(seed)
        while taken:
            gone = set(map(id, taken))
            left = [word for word in left if id(word) not in gone]
            taken = _grow(block, left)
        blocks.append(block)
    return blocks


def _grow(block: _Block, left: list[_Word]) -> list[_Word]:
    """The words that a block takes next; they are added to it."""
    taken: list[_Word] = []
    for word in left:
        if word.base > block.foot + _LINES_APART * block.size:
            break
        if word.base >= block.top - _LINES_APART * block.size and block.takes(word):
            block.add(word)
            taken.append(word)
    if taken:
        return taken
    for right in (False, True):
        some = [word for word in left if block.is_beside(word, right=right)]
        if len(some) <= _MOST_BESIDE:
            for word in some:
                block.add(word)
            taken += some
    return taken


def _lines(block: _Block) -> Iterator[_Word]:
    """The words of a block line by line."""
    rest = sorted(block.words, key=lambda word: word.base)
    while rest:
        far = rest[0].base + _SAME_LINE * rest[0].size
        count = sum(word.base <= far for word in rest)
        yield from sorted(rest[:count], key=lambda word: word.x0)
        rest = rest[count:]


def _by_rows(blocks: list[_Block]) -> list[_Block]:
    """Blocks whose tops stand at one height follow each other from left to right."""
    found: list[_Block] = []
    rest = sorted(blocks, key=lambda block: block.y0)
    while rest:
        far = rest[0].y0 + _SAME_LINE * rest[0].size
        count = sum(block.y0 <= far for block in rest)
        found += sorted(rest[:count], key=lambda block: block.x0)
        rest = rest[count:]
    return found


def _by_columns(blocks: list[_Block]) -> list[_Block]:
    """Each block behind all that come before it."""
    blocks = sorted(blocks, key=lambda block: (block.x0, block.y0))
    numbers = np.array([(block.x0, block.y0, block.x1) for block in blocks]).reshape(-1, 3)
    return [blocks[at] for at in sort_by(relate(*numbers.T))]
