"""Blocks by columns: what a table of millions of cells is made of, without an object for each.

A sequence of ``Block`` like any other: one is made when it is asked for. Those who would look at
all of them ask by column (``of_kind``, ``touching``, ``holding``).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast, get_args, overload

import numpy as np

from spanproof.core.documents.cell_address import name_cell, split_address
from spanproof.core.documents.text_block import Block, BlockKind, Place
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spanproof.core.documents.packed_numbers import Ints

    Indexes = np.ndarray[Any, np.dtype[np.intp]]
    Mask = np.ndarray[Any, np.dtype[np.bool_]]

#: The kinds by their number in the column.
KINDS: Final[tuple[BlockKind, ...]] = get_args(BlockKind)
NUMBERS: Final = MappingProxyType({kind: number for number, kind in enumerate(KINDS)})
#: In a column: the block has no such thing.
NONE: Final = -1
#: As ``row``: the address of the cell is a word of its own, whose index is the ``column``.
IN_WORDS = 0
_MOST_MADE = 4096
_FLAGS = (None, False, True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blocks(Sequence[Block]):
    """The blocks of an extraction, in order: a column for each field, and the words in use.

    A column of words has their indexes. ``placed`` is 1 where a block has a place; ``row`` and
    ``column`` are its cell's address; ``header`` is 0 for False, 1 for True.
    """

    words: tuple[str, ...]
    kind: Ints
    start: Ints
    end: Ints
    level: Ints
    name: Ints
    placed: Ints
    part: Ints
    slide: Ints
    sheet: Ints
    row: Ints
    column: Ints
    paragraph: Ints
    rows: Ints
    columns: Ints
    header: Ints

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> Blocks:
        """Columns of any blocks; they themselves where they are columns."""
        if isinstance(blocks, Blocks):
            return blocks
        made = BlockColumns()
        for block in blocks:
            made.put(made.reserve(), block)
        return made.build()

    def __post_init__(self) -> None:
        for name in COLUMNS:
            getattr(self, name).flags.writeable = False

    def __len__(self) -> int:
        return len(self.start)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> Blocks: ...
    def __getitem__(self, index: int | slice) -> Block | Blocks:
        if isinstance(index, slice):
            return self.take(index)
        return self._make(*(int(getattr(self, name)[index]) for name in COLUMNS))

    def __iter__(self) -> Iterator[Block]:
        for start in range(0, len(self), _MOST_MADE):
            part = slice(start, start + _MOST_MADE)
            columns = [getattr(self, name)[part].tolist() for name in COLUMNS]
            yield from map(self._make, *columns)

    def __reversed__(self) -> Iterator[Block]:
        return iter(self[::-1])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            one == each for one, each in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # as of a list: it is as long as a document

    def __repr__(self) -> str:
        return f"Blocks({len(self)})"

    def take(self, index: slice | Indexes | Mask) -> Blocks:
        """Some of the blocks, by their places or by a mask over them."""
        first = self.kind[index]
        columns = (getattr(self, name) for name in COLUMNS)
        taken = (
            # One number that stands for all of them goes on doing so.
            np.broadcast_to(column[:1], len(first))
            if len(self) and not any(column.strides)
            else column[index]
            for column in columns
        )
        return Blocks(words=self.words, **dict(zip(COLUMNS, taken, strict=True)))

    def is_kind(self, *kinds: BlockKind) -> Mask:
        """Which blocks are of one of these kinds."""
        found: Mask = self.kind == NUMBERS[kinds[0]]
        for kind in kinds[1:]:
            found |= self.kind == NUMBERS[kind]
        return found

    def of_kind(self, *kinds: BlockKind) -> Blocks:
        """The blocks of these kinds."""
        return self.take(self.is_kind(*kinds))

    def touching(self, span: Span) -> Blocks:
        """The blocks that have a character of the span, in order."""
        count = self.count_before(span.end)
        return self.take(np.flatnonzero(self.end[:count] > span.start))

    def holding(self, span: Span) -> Blocks:
        """The blocks that hold the whole span, outer ones first."""
        count = self.count_before(span.start + 1)
        return self.take(np.flatnonzero(self.end[:count] >= span.end))

    def count_before(self, offset: int) -> int:
        """How many blocks start before an offset."""
        return bisect_left(self.start.data, offset)

    @property
    def are_ordered(self) -> bool:
        """Whether they stand in the order of their start, outer ones first."""
        later, same = self.start[1:] > self.start[:-1], self.start[1:] == self.start[:-1]
        return bool(np.all(later | (same & (self.end[1:] <= self.end[:-1]))))

    @property
    def reach(self) -> int:
        """Where the last one ends."""
        return int(self.end.max(initial=0))

    def addresses(self) -> tuple[Ints, Ints]:
        """Row and column, from 1, of each block that is a cell of a table; 0 of others."""
        row, column = np.maximum(self.row, 0), np.maximum(self.column, 0)
        column[row == 0] = 0
        return row, column

    def _make(  # noqa: PLR0913, PLR0917 - the columns in their order
        self,
        kind: int,
        start: int,
        end: int,
        level: int,
        name: int,
        placed: int,
        part: int,
        slide: int,
        sheet: int,
        row: int,
        column: int,
        paragraph: int,
        rows: int,
        columns: int,
        header: int,
    ) -> Block:
        words = self.words
        place = None
        if placed:
            cell = name_cell(column, row) if row > 0 else None if row < 0 else words[column]
            place = Place(
                part=None if part < 0 else words[part],
                slide=None if slide < 0 else slide,
                sheet=None if sheet < 0 else words[sheet],
                cell=cell,
                paragraph=None if paragraph < 0 else paragraph,
                rows=None if rows < 0 else rows,
                columns=None if columns < 0 else columns,
                header=_FLAGS[header + 1],
            )
        return Block(
            kind=KINDS[kind],
            span=Span(start, end),
            level=None if level < 0 else level,
            name=None if name < 0 else words[name],
            place=place,
        )


COLUMNS: Final = tuple(field.name for field in fields(Blocks) if field.name != "words")


class BlockColumns:
    """Columns in the making: a block at a time, or many by their numbers.

    A column ends with its last number: what is missing behind it is NONE.
    """

    def __init__(self) -> None:
        self._count = 0
        self._columns: dict[str, array[int]] = {name: array("i") for name in COLUMNS}
        self._words: dict[str, int] = {}

    def __len__(self) -> int:
        return self._count

    def find_word(self, word: str | None) -> int:
        """The number of a word in its columns."""
        return NONE if word is None else self._words.setdefault(word, len(self._words))

    def reserve(self) -> int:
        """The place of one block more, which ``put`` fills before any other is asked for."""
        self._count += 1
        return self._count - 1

    def drop_last(self) -> None:
        """Give up the last place, which nothing was put into."""
        self._count -= 1

    def put(self, index: int, block: Block) -> None:
        """Fill a place."""
        self._set("kind", index, NUMBERS[block.kind])
        self._set("start", index, block.span.start)
        self._set("end", index, block.span.end)
        self._set("level", index, _count_of(block.level))
        self._set("name", index, self.find_word(block.name))
        place = block.place
        self._set("placed", index, int(place is not None))
        if place is None:
            return
        self._set("part", index, self.find_word(place.part))
        self._set("slide", index, _count_of(place.slide))
        self._set("sheet", index, self.find_word(place.sheet))
        if place.cell is not None:
            at = split_address(place.cell) or (IN_WORDS, self.find_word(place.cell))
            self._set("row", index, at[0])
            self._set("column", index, at[1])
        self._set("paragraph", index, _count_of(place.paragraph))
        self._set("rows", index, _count_of(place.rows))
        self._set("columns", index, _count_of(place.columns))
        self._set("header", index, NONE if place.header is None else int(place.header))

    def extend(self, count: int, columns: Mapping[str, Ints]) -> None:
        """Add blocks of which these are the columns; the others are NONE."""
        for name, numbers in columns.items():
            column = self._columns[name]
            self._fill(column, self._count)
            column.frombytes(np.ascontiguousarray(numbers, np.int32).tobytes())
        self._count += count

    def build(self) -> Blocks:
        """All of them; nothing more is added then."""
        found = {}
        for name, column in self._columns.items():
            if column:
                self._fill(column, self._count)
            numbers = np.frombuffer(column, np.int32)
            found[name] = even_out(numbers, self._count)
        self._columns.clear()
        return Blocks(words=tuple(self._words), **found)

    def _set(self, name: str, index: int, number: int) -> None:
        column = self._columns[name]
        if index < len(column):
            column[index] = number
        elif number != NONE:
            self._fill(column, index)
            column.append(number)

    @staticmethod
    def _fill(column: array[int], length: int) -> None:
        missing = length - len(column)
        if missing > 0:
            column.frombytes(np.full(missing, NONE, np.int32).tobytes())


def even_out(numbers: Ints, count: int) -> Ints:
    """A column; one number that stands for all of them where they are alike."""
    if not len(numbers):
        return cast("Ints", np.broadcast_to(np.int32(NONE), count))
    if count > 1 and int(numbers.min()) == int(numbers.max()):
        return cast("Ints", np.broadcast_to(numbers[0], count))
    return numbers


def _count_of(number: int | None) -> int:
    if number is None:
        return NONE
    if number < 0:
        msg = f"expected a count, got {number}"
        raise ValueError(msg)
    return number
