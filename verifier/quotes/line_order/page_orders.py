"""The orders of a page: the few in which programs read it, each as its characters.

As its lines are drawn, by rows, by boxes, by blocks; with its running lines and without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanproof.core.documents.match_views import LOST_HYPHENS, WHITE_SPACE, MatchView
from spanproof.core.documents.page_lines import lines_of
from spanproof.verifier.quotes.line_order.by_blocks import read_by_blocks
from spanproof.verifier.quotes.line_order.by_boxes import read_by_boxes
from spanproof.verifier.quotes.line_order.by_lines import read_by_lines
from spanproof.verifier.quotes.line_order.by_rows import read_by_rows
from spanproof.verifier.quotes.line_order.page_glyphs import glyphs_of
from spanproof.verifier.quotes.line_order.running_lines import find_running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction, Page
    from spanproof.verifier.quotes.line_order.page_glyphs import Glyph

#: The share of a glyph's height by which it is lower, or higher, to another reader. Fonts tell
#: several heights, and which lines and words are near and alike hangs on them.
_BLOCK_TRIMS = (0.0, 0.1, 0.3, -0.2)
_BOX_TRIMS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, -0.2)
#: Empty pages in a row that are passed over.
_MOST_EMPTY = 8
#: White space and marks of hyphens: what an order has no character for.
PARTS = WHITE_SPACE | LOST_HYPHENS


class Order:
    """What is seen of a page in one order: its characters without white space, and their offsets.

    ``letters`` is what is left of them in a match view, ``at`` the character of each letter.
    """

    def __init__(self, characters: str, offsets: list[int]) -> None:
        self.characters, self.offsets = characters, offsets
        view = MatchView.of(characters)
        self.letters, self.at = view.text, view.positions.tolist()

    @classmethod
    def of(cls, extraction: Extraction, glyphs: Sequence[Glyph]) -> Order:
        """What the glyphs are in the text, in their order."""
        text = extraction.text.text
        offsets = [
            at for glyph in glyphs for at in range(glyph.start, glyph.end) if text[at] not in PARTS
        ]
        return cls("".join(text[at] for at in offsets), offsets)

    def without(self, marks: str) -> Order:
        """This order without some characters."""
        kept = [at for at, character in enumerate(self.characters) if character not in marks]
        if len(kept) == len(self.offsets):
            return self
        return Order("".join(self.characters[at] for at in kept), [self.offsets[at] for at in kept])

    def before(self, other: Order, letters: int) -> Order:
        """This order, and so many letters of the one that follows."""
        end = other.at[letters] if letters < len(other.at) else len(other.offsets)
        return Order(self.characters + other.characters[:end], self.offsets + other.offsets[:end])


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOrders:
    """Each order of a page by its name, and the offsets of its running lines."""

    by_name: dict[str, Order]
    running: frozenset[int]


#: By extraction; by page, and by the characters that are left out.
_ORDERS: WeakKeyDictionary[Extraction, dict[tuple[int, str], PageOrders]] = WeakKeyDictionary()


def orders_of(extraction: Extraction, page: Page, *, without: str = "") -> PageOrders:
    """The orders of a page; ``without`` some characters."""
    known = _ORDERS.setdefault(extraction, {})
    key = page.number, without
    if key not in known and without:
        whole = orders_of(extraction, page)
        by_name = {name: order.without(without) for name, order in whole.by_name.items()}
        known[key] = PageOrders(by_name=by_name, running=whole.running)
    elif key not in known:
        known[key] = _read(extraction, page)
    return known[key]


def following_pages(extraction: Extraction, page: Page) -> Iterator[Page]:
    """The pages on which a chunk may go on: it passes over those without text of their own.

    A page that has only annotations or form fields is empty to most readers, and not to all.
    """
    return _up_to_text(extraction, extraction.pages[page.number : page.number + 1 + _MOST_EMPTY])


def preceding_pages(extraction: Extraction, page: Page) -> Iterator[Page]:
    """The pages that a page may follow."""
    before = extraction.pages[max(0, page.number - 2 - _MOST_EMPTY) : page.number - 1]
    return _up_to_text(extraction, before[::-1])


def _up_to_text(extraction: Extraction, pages: Sequence[Page]) -> Iterator[Page]:
    for page in pages:
        if not extraction.text.slice(page.span).isspace():
            yield page
            if page.text_source != "none":
                return


def _read(extraction: Extraction, page: Page) -> PageOrders:
    glyphs = glyphs_of(extraction, page)
    orders = {
        "canonical": glyphs,
        "lines": read_by_lines(glyphs),
        "rows by tops": read_by_rows(glyphs, lambda glyph: glyph.y0),
        "rows by feet": read_by_rows(glyphs, lambda glyph: glyph.y1),
        "rows by baselines": read_by_rows(glyphs, lambda glyph: glyph.base),
    }
    for trim in _BLOCK_TRIMS:
        by_blocks = read_by_blocks(_trim(glyphs, trim))
        orders |= {f"{name} less {trim}": order for name, order in by_blocks.items()}
    for trim in _BOX_TRIMS:
        orders[f"boxes less {trim}"] = read_by_boxes(_trim(glyphs, trim))
    running = _running(extraction, page)
    turned = sorted((g for g in glyphs if g.start in running), key=lambda glyph: glyph.y0)
    turned_up = sorted(turned, key=lambda glyph: -glyph.base)
    found: dict[str, Order] = {}
    for name, order in orders.items():
        body = [glyph for glyph in order if glyph.start not in running] if running else []
        ways = {"": order, " body": body}
        if body:
            for how, lines in (("down", turned), ("up", turned_up)):
                ways |= {f" body, {how}": body + lines, f" {how}, body": lines + body}
        found |= {name + how: Order.of(extraction, way) for how, way in ways.items() if way}
    return PageOrders(by_name=found, running=running)


def _trim(glyphs: Sequence[Glyph], share: float) -> list[Glyph]:
    return [glyph._replace(y0=glyph.y0 + share * glyph.height) for glyph in glyphs]


def _running(extraction: Extraction, page: Page) -> frozenset[int]:
    """The offsets of the page's running lines, which some readers leave out."""
    starts = find_running(extraction, page)
    lines = lines_of(extraction).of_page(extraction, page)
    own = (line.span for line in lines if line.span.start in starts)
    return frozenset(at for span in own for at in range(span.start, span.end))
