"""Units → chunks as lists of spans: what belongs together, as far as it fits.

Headings begin a chunk and stay with what follows them. Items of a list stay together where they
fit. A table has chunks of its own, cut between rows; each after the first begins with the table's
first row, as a span before its own. No chunk goes over a page's end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.ingest.chunking.cutting import cut_span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spanproof.core.documents.text_block import Place
    from spanproof.ingest.chunking.units import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The spans of a chunk and the place of its first part."""

    spans: tuple[Span, ...]
    place: Place | None = None


@dataclass(slots=True, kw_only=True)
class Packer:
    """Fills chunks with units of one text."""

    text: str
    limit: int
    overlap: int
    #: The page on which an offset appears.
    page_of: Callable[[int], int]
    _held: list[Unit] = field(default_factory=list)

    def pack(self, units: Iterable[Unit]) -> Iterator[Draft]:
        """The chunks of units that follow each other."""
        page = -1
        for (number, kind), group in groupby(units, self._key):
            if number != page:
                yield from self._flush()
                page = number
            members = list(group)
            if kind == "item" and not self._fits(_hull(members)) and not self._holds_headings():
                # Better a list in a chunk of its own than a list in two.
                yield from self._flush()
            for unit in members:
                yield from self._add_table(unit) if unit.rows else self._add(unit)
        yield from self._flush()

    def _key(self, unit: Unit) -> tuple[int, str]:
        return self.page_of(unit.span.start), unit.kind

    def _add(self, unit: Unit) -> Iterator[Draft]:
        begins = unit.kind == "heading" or not self._fits(unit.span)
        if begins and not self._holds_headings():
            yield from self._flush()
        if self._fits(unit.span):
            self._held.append(unit)
        else:
            # A heading alone says nothing: it goes with the beginning of what follows.
            yield from self._cut([*self._held, unit])
            self._held = []

    def _add_table(self, table: Unit) -> Iterator[Draft]:
        if not (self._holds_headings() and self._fits(table.rows[0])):
            yield from self._flush()
        start = self._held[0].span.start if self._held else table.span.start
        place = (self._held or [table])[0].place
        self._held = []
        rows = [Span(start, table.rows[0].end), *table.rows[1:]]
        for spans in self._pack_rows(table.rows[0], rows):
            yield Draft(spans=spans, place=place)
            place = table.place

    def _pack_rows(self, head: Span, rows: Sequence[Span]) -> Iterator[tuple[Span, ...]]:
        repeated: tuple[Span, ...] = ()
        room, taken = self.limit, None
        for number, row in enumerate(rows):
            if taken is not None and row.end - taken.start <= room:
                taken = Span(taken.start, row.end)
                continue
            if taken is not None:
                yield (*repeated, taken)
                taken = None
            # A first row that would fill most of every chunk is not repeated.
            if number and len(head) <= self.limit // 2:
                repeated, room = (head,), self.limit - len(head) - 1
            if len(row) <= room:
                taken = row
                continue
            for piece in cut_span(self.text, row, limit=room, overlap=self.overlap):
                yield (*repeated, piece)
        if taken is not None:
            yield (*repeated, taken)

    def _holds_headings(self) -> bool:
        return bool(self._held) and all(unit.kind == "heading" for unit in self._held)

    def _fits(self, more: Span) -> bool:
        """Whether a chunk could reach from the collected parts to the end of this one."""
        start = self._held[0].span.start if self._held else more.start
        return more.end - start <= self.limit

    def _cut(self, units: Sequence[Unit]) -> Iterator[Draft]:
        place = units[0].place
        for piece in cut_span(self.text, _hull(units), limit=self.limit, overlap=self.overlap):
            yield Draft(spans=(piece,), place=place)
            place = units[-1].place

    def _flush(self) -> Iterator[Draft]:
        if self._held:
            yield Draft(spans=(_hull(self._held),), place=self._held[0].place)
            self._held = []


def _hull(units: Sequence[Unit]) -> Span:
    return Span(units[0].span.start, units[-1].span.end)
