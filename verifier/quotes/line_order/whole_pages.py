"""Whole pages in the orders of other readers: a chunk is a stretch of one of them.

A page has few orders that a program gives it: as its lines are drawn, by rows, by boxes, by blocks.
A chunk whose letters and dashes follow each other in one of these, with none between, was read so.
Lines that somebody swapped, and lines around one that was left out, follow each other in none.
"""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

from spanproof.core.budget import checkpoint
from spanproof.core.documents.match_views import MatchView
from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Candidate
from spanproof.verifier.quotes.baselines import without_shifted
from spanproof.verifier.quotes.cuts import cuts_meaning
from spanproof.verifier.quotes.folds import judge_folds
from spanproof.verifier.quotes.line_order.lost_glyphs import ReadableQuote, may_be_lost
from spanproof.verifier.quotes.line_order.page_orders import (
    PARTS,
    Order,
    following_pages,
    orders_of,
)
from spanproof.verifier.quotes.line_order.pieces import SILENT, goes_on, leaves_out, may_touch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction, Page

Pieces = tuple[Candidate, ...]
#: Places of one chunk in one order of a page that are looked at.
_MOST_PLACES = 4
#: The share of characters that two ways to read a chunk have in common if they are one place.
_SAME_PLACE = 0.9
#: The fold of a chunk that has no character for a glyph of the page.
LOST_GLYPH: Final = "lost_glyph"
_BLANKS = str.maketrans(dict.fromkeys(SILENT, " "))


def read_whole(
    quote: str, readable: ReadableQuote, extraction: Extraction, pages: Sequence[Page]
) -> tuple[Pieces, ...]:
    """The ways to read a chunk in one order of a page, or of it and the next one.

    Two ways that differ in a few characters are one. Only where a chunk with all of its characters
    stands nowhere, it is looked for without those that are lost, and then without those that say
    nothing.
    """
    whole = ReadableQuote.of(quote, lost=False)
    ways = () if whole is None else _read_pages(quote, whole, extraction, pages)
    if not ways and readable.is_lossy:
        ways = _read_pages(quote, readable, extraction, pages)
    if ways:
        return ways
    spoken = quote.translate(_BLANKS)
    whole = ReadableQuote.of(spoken, lost=False)
    return () if whole is None else _read_pages(spoken, whole, extraction, pages, silent=SILENT)


def _read_pages(
    quote: str,
    readable: ReadableQuote,
    extraction: Extraction,
    pages: Sequence[Page],
    silent: str = "",
) -> tuple[Pieces, ...]:
    """``silent``: the characters that the orders are read without."""
    ways: list[tuple[Pieces, frozenset[int]]] = []
    for page in pages:
        checkpoint()
        near = (page, *following_pages(extraction, page))
        text = "".join(extraction.text.slice(each.span) for each in near)
        if silent and set(silent).isdisjoint(text):
            continue
        own, *behind = (orders_of(extraction, each, without=silent) for each in near)
        # The same line stands at the edge of both pages: whose a chunk has makes no other place.
        running = own.running.union(*(orders.running for orders in behind))
        heads = _heads([order for orders in behind for order in orders.by_name.values()], readable)
        ends: set[str] = set()
        for name, order in own.by_name.items():
            # A page may fit another order than the one behind it: heights of its fonts differ.
            others = [orders.by_name[name] for orders in behind if name in orders.by_name]
            end = order.letters[max(0, len(order.letters) - readable.longest) :]
            others += [] if end in ends else heads
            ends.add(end)
            for way in _read_order(quote, readable, extraction, order, others):
                covered = frozenset(at for p in way for at in range(p.span.start, p.span.end))
                body = covered - running or covered
                if not any(_is_same(body, known) for _, known in ways):
                    ways.append((way, body))
    return tuple(way for way, _ in ways)


def _heads(orders: Sequence[Order], readable: ReadableQuote) -> list[Order]:
    """Orders that begin otherwise, as far as a chunk may go into them."""
    by_head = {order.letters[: readable.longest]: order for order in orders}
    return list(by_head.values())


def _is_same(one: frozenset[int], other: frozenset[int]) -> bool:
    return len(one & other) >= _SAME_PLACE * len(one | other)


def _read_order(
    quote: str,
    readable: ReadableQuote,
    extraction: Extraction,
    order: Order,
    behind: Sequence[Order],
) -> Iterator[Pieces]:
    own, most = len(order.letters), readable.longest
    found = list(islice(readable.find_in(order.letters), _MOST_PLACES))
    end = "" if found else order.letters[max(0, own - most) :]
    for other in () if found else behind:
        if next(readable.find_in(end + other.letters[:most]), None) is not None:
            order = order.before(other, most)
            found = list(islice(readable.find_in(order.letters), _MOST_PLACES))
            break
    for stretches in found:
        if stretches[0].start < own:
            way = _judge(quote, readable, extraction, order, stretches)
            if way:
                yield way


def _judge(
    quote: str,
    readable: ReadableQuote,
    extraction: Extraction,
    order: Order,
    found: Sequence[Span],
) -> Pieces:
    """The pieces of the letters that were found in an order; none where one is not the chunk's."""
    lost: list[int] = []
    for number, (one, other) in enumerate(pairwise(found)):
        at = order.at[one.end - 1] + 1, order.at[other.start]
        theirs = readable.stretches[number : number + 2]
        if not may_be_lost(quote, theirs[0], theirs[1], order.characters[at[0] : at[1]]):
            return ()
        lost += order.offsets[at[0] : at[1]]
    parts: list[tuple[int, int, Span]] = []
    for stretch, letters in zip(readable.stretches, found, strict=True):
        more = _divide(quote, stretch, extraction, order, letters)
        if not more:
            return ()
        parts += more
    if not all(
        judge_folds(quote[begin:edge], extraction, span, for_review=True).equal
        for begin, edge, span in parts
    ):
        return ()
    spans = [span for _, _, span in parts]
    edges = (*spans[:1], *spans[-1:])
    if any(cuts_meaning(*without_shifted(extraction, span)) for span in edges):
        return ()
    if leaves_out(extraction, spans, lost):
        return ()
    doc_hash = extraction.document.doc_hash
    folds = (LOST_GLYPH,) if readable.is_lossy else ()
    return tuple(Candidate(span=span, doc_hash=doc_hash, folds=folds) for span in spans)


def _divide(
    quote: str, stretch: Span, extraction: Extraction, order: Order, letters: Span
) -> list[tuple[int, int, Span]]:
    """The pieces of one stretch of the chunk, with their places in it; empty if it is another."""
    parts: list[tuple[int, int, Span]] = []
    words = quote[stretch.start : stretch.end]
    for shift, offset, only_on in _pair(words, extraction, order, letters.start, letters.end):
        place = stretch.start + shift
        if parts:
            begin, edge, span = parts[-1]
            between = quote[edge:place]
            goes = span.end - offset in {0, 1} or goes_on(between, extraction, span, offset)
            if not goes:
                if only_on or not set(between) <= PARTS:
                    return []
                # Where two pieces may not touch, the white space between is the folds' to judge.
                goes = not between and not may_touch(quote[:place], quote[place:])
                if goes and not goes_on(" ", extraction, span, offset):
                    return []
            if goes:
                parts[-1] = (begin, place + 1, Span(span.start, offset + 1))
                continue
        parts.append((place, place + 1, Span(offset, offset + 1)))
    return parts


def _pair(
    quote: str, extraction: Extraction, order: Order, start: int, end: int
) -> list[tuple[int, int, bool]]:
    """Each letter and dash of the chunk, and the offset of the same one; empty where they differ.

    A hyphen at a line's end has none if one side lacks it: the folds decide on it, so the letter
    behind it must belong to the same piece (the third part).
    """
    letters = MatchView.of(quote).positions.tolist()
    plain = set(letters)
    marks = [at for at, c in enumerate(quote) if at not in plain and c not in PARTS]
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
