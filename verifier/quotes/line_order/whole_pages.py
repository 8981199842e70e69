"""Whole pages in the orders of other readers: a chunk is a stretch of one of them.

A page has few orders that a program gives it: by rows, by boxes, by blocks. A chunk whose letters
and dashes follow each other in one of these, with none between, was read so. Lines that somebody
swapped, and lines around one that was left out, follow each other in none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanproof.core.budget import checkpoint
from spanproof.core.documents.match_views import LOST_HYPHENS, WHITE_SPACE, MatchView
from spanproof.core.documents.page_lines import lines_of
from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Candidate
from spanproof.verifier.quotes.cuts import cuts_meaning
from spanproof.verifier.quotes.folds import judge_folds
from spanproof.verifier.quotes.line_order.by_blocks import read_by_blocks
from spanproof.verifier.quotes.line_order.by_boxes import read_by_boxes
from spanproof.verifier.quotes.line_order.by_rows import read_by_rows
from spanproof.verifier.quotes.line_order.page_glyphs import glyphs_of
from spanproof.verifier.quotes.line_order.pieces import goes_on, leaves_out, may_touch
from spanproof.verifier.quotes.line_order.running_lines import find_running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction, Page
    from spanproof.verifier.quotes.line_order.page_glyphs import Glyph

Pieces = tuple[Candidate, ...]
#: Places of one chunk in one order of a page that are looked at.
_MOST_PLACES = 4
#: The share of characters that two ways to read a chunk have in common if they are one place.
_SAME_PLACE = 0.9
#: Heights of glyphs by which one reader and another tell boxes apart.
_TRIMS = (0.0, 0.1)
#: What may stand between two pieces of a chunk.
_PARTS = WHITE_SPACE | LOST_HYPHENS


class _Order:
    """What is seen of a page in one order: its characters without white space, and their offsets.

    ``letters`` is what is left of them in a match view, ``at`` the character of each letter.
    """

    def __init__(self, characters: str, offsets: list[int]) -> None:
        self.characters, self.offsets = characters, offsets
        view = MatchView.of(characters)
        self.letters, self.at = view.text, view.positions.tolist()

    @classmethod
    def of(cls, extraction: Extraction, glyphs: Sequence[Glyph]) -> _Order:
        text = extraction.text.text
        offsets = [
            at for glyph in glyphs for at in range(glyph.start, glyph.end) if text[at] not in _PARTS
        ]
        return cls("".join(text[at] for at in offsets), offsets)

    def before(self, other: _Order, letters: int) -> _Order:
        """This order, and so many letters of the one that follows."""
        end = other.at[letters] if letters < len(other.at) else len(other.offsets)
        return _Order(self.characters + other.characters[:end], self.offsets + other.offsets[:end])


#: By extraction and page: each order by its name.
_ORDERS: WeakKeyDictionary[Extraction, dict[int, dict[str, _Order]]] = WeakKeyDictionary()


def _orders_of(extraction: Extraction, page: Page) -> dict[str, _Order]:
    known = _ORDERS.setdefault(extraction, {})
    if page.number not in known:
        known[page.number] = _read(extraction, page)
    return known[page.number]


def _read(extraction: Extraction, page: Page) -> dict[str, _Order]:
    glyphs = glyphs_of(extraction, page)
    by_columns, by_rows = read_by_blocks(glyphs)
    orders = {
        "canonical": glyphs,
        "rows by tops": read_by_rows(glyphs, lambda glyph: glyph.y0),
        "rows by feet": read_by_rows(glyphs, lambda glyph: glyph.y1),
        "rows by baselines": read_by_rows(glyphs, lambda glyph: glyph.base),
        "blocks by columns": by_columns,
        "blocks by rows": by_rows,
    }
    for trim in _TRIMS:
        trimmed = [glyph._replace(y0=glyph.y0 + trim * glyph.height) for glyph in glyphs]
        orders[f"boxes less {trim}"] = read_by_boxes(trimmed)
    running = _running(extraction, page)
    turned = sorted((g for g in glyphs if g.start in running), key=lambda glyph: glyph.y0)
    turned_up = sorted(turned, key=lambda glyph: -glyph.base)
    found: dict[str, _Order] = {}
    for name, order in orders.items():
        body = [glyph for glyph in order if glyph.start not in running] if running else []
        ways = {"": order, " body": body}
        if body:
            for how, lines in (("down", turned), ("up", turned_up)):
                ways |= {f" body, {how}": body + lines, f" {how}, body": lines + body}
        found |= {name + how: _Order.of(extraction, way) for how, way in ways.items() if way}
    return found


def _running(extraction: Extraction, page: Page) -> frozenset[int]:
    """The offsets of the page's running lines, which some readers leave out."""
    starts = find_running(extraction, page)
    lines = lines_of(extraction).of_page(extraction, page)
    own = (line.span for line in lines if line.span.start in starts)
    return frozenset(at for span in own for at in range(span.start, span.end))


def read_whole(
    quote: str, wanted: str, extraction: Extraction, pages: Sequence[Page]
) -> tuple[Pieces, ...]:
    """The ways to read a chunk in one order of a page, or of it and the next one.

    ``wanted`` are the chunk's letters. Two ways that differ in a few characters are one.
    """
    ways: list[tuple[Pieces, frozenset[int]]] = []
    for page in pages:
        checkpoint()
        following = extraction.pages[page.number : page.number + 1]
        behind = _orders_of(extraction, following[0]) if following else {}
        for name, order in _orders_of(extraction, page).items():
            for way in _read_order(quote, wanted, extraction, order, behind.get(name)):
                covered = frozenset(at for p in way for at in range(p.span.start, p.span.end))
                if not any(_is_same(covered, other) for _, other in ways):
                    ways.append((way, covered))
    return tuple(way for way, _ in ways)


def _is_same(one: frozenset[int], other: frozenset[int]) -> bool:
    return len(one & other) >= _SAME_PLACE * len(one | other)


def _read_order(
    quote: str, wanted: str, extraction: Extraction, order: _Order, behind: _Order | None
) -> Iterator[Pieces]:
    own = len(order.letters)
    at = order.letters.find(wanted)
    if at < 0 and behind is not None:
        tail = order.letters[-len(wanted) :]
        if wanted not in tail + behind.letters[: len(wanted)]:
            return
        order = order.before(behind, len(wanted))
        at = order.letters.find(wanted)
    places = 0
    while 0 <= at < own and places < _MOST_PLACES:
        way = _judge(quote, extraction, order, at, at + len(wanted))
        if way:
            yield way
        at, places = order.letters.find(wanted, at + 1), places + 1


def _judge(quote: str, extraction: Extraction, order: _Order, start: int, end: int) -> Pieces:
    """The pieces of the letters ``[start, end)`` of an order; none where one is not the chunk's."""
    text, parts = extraction.text.text, list[tuple[int, int, Span]]()
    for place, offset, only_on in _pair(quote, extraction, order, start, end):
        if parts:
            begin, edge, span = parts[-1]
            between = quote[edge:place]
            if span.end - offset in {0, 1} or goes_on(between, extraction, span, offset):
                parts[-1] = (begin, place + 1, Span(span.start, offset + 1))
                continue
            if only_on or not set(between) <= _PARTS:
                return ()
            if not between and not may_touch(quote[:place], quote[place:]):
                return ()
        parts.append((place, place + 1, Span(offset, offset + 1)))
    if not all(
        judge_folds(quote[begin:edge], extraction, span, spacing=True).equal
        for begin, edge, span in parts
    ):
        return ()
    spans = [span for _, _, span in parts]
    if any(cuts_meaning(text, span) for span in (*spans[:1], *spans[-1:])):
        return ()
    if leaves_out(extraction, spans):
        return ()
    doc_hash = extraction.document.doc_hash
    return tuple(Candidate(span=span, doc_hash=doc_hash) for span in spans)


def _pair(
    quote: str, extraction: Extraction, order: _Order, start: int, end: int
) -> list[tuple[int, int, bool]]:
    """Each letter and dash of the chunk, and the offset of the same one; empty where they differ.

    A hyphen at a line's end has none if one side lacks it: the folds decide on it, so the letter
    behind it must belong to the same piece (the third part).
    """
    letters = MatchView.of(quote).positions.tolist()
    plain = set(letters)
    marks = [at for at, c in enumerate(quote) if at not in plain and c not in _PARTS]
    ours = order.at[start:end]
    lead = [mark for mark in marks if mark < letters[0]]
    trail = [mark for mark in marks if mark > letters[-1]]
    if len(lead) > ours[0] or ours[-1] + len(trail) >= len(order.offsets):
        return []
    before = order.offsets[ours[0] - len(lead) : ours[0]]
    pairs = [(mark, offset, False) for mark, offset in zip(lead, before, strict=True)]
    pairs.append((letters[0], order.offsets[ours[0]], False))
    for k in range(1, len(letters)):
        theirs = [mark for mark in marks if letters[k - 1] < mark < letters[k]] if marks else []
        here = order.offsets[ours[k - 1] + 1 : ours[k]]
        offset, same = order.offsets[ours[k]], len(theirs) == len(here)
        if same:
            pairs += [(mark, at, False) for mark, at in zip(theirs, here, strict=True)]
        else:
            between = extraction.text.text[pairs[-1][1] + 1 : offset]
            if offset <= pairs[-1][1] or MatchView.of(between).text:
                return []
        pairs.append((letters[k], offset, not same))
    behind = order.offsets[ours[-1] + 1 :]
    return pairs + [(mark, offset, False) for mark, offset in zip(trail, behind, strict=False)]
