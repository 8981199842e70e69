"""What stands around a span and may govern it: its sentence, its neighbours, what heads it.

All of it is looked for within a bounded distance of the span, so that the size of the document does
not matter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.claims.paragraphs import split_paragraphs
from spanproof.verifier.claims.quotation_marks import pair_quotation_marks
from spanproof.verifier.claims.sentences import find_sentences
from spanproof.verifier.support.page_tables import lay_out_cells
from spanproof.verifier.support.tables import find_table, lay_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Block

#: Characters on each side of an edge of the span in which its sentence and the next one lie.
_WINDOW = 600
#: Characters and blocks before the span in which what heads it lies; words of a heading.
_LOOK_BACK, _MAX_BLOCKS, _MAX_HEADING_WORDS = 2_000, 2_000, 12
#: Blocks before and after the span whose edges end sentences.
_MAX_NEAR = 100
#: Quoted words that say something: a word or two in marks are a name or a term.
_MIN_QUOTED_WORDS = 4
_STOP = re.compile(r"[.!?;,][\"'”’)\]]*\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Canonical spans. ``sentence`` holds the whole span; ``before`` and ``after`` are next to it.

    ``heads`` govern all of it: the nearest heading, the line above a list, headers of a table.
    ``quoted``: the span stands in quotation marks, and something outside of them.
    """

    sentence: Span
    before: Span | None
    after: Span | None
    heads: tuple[Span, ...]
    quoted: bool


def read_surroundings(extraction: Extraction, span: Span) -> Surroundings:
    """What stands around a span of an extraction."""
    text = extraction.text.text
    first = _sentences_near(extraction, span.start)
    last = first if len(span) <= _WINDOW else _sentences_near(extraction, span.end)
    own = [s for s in (*first, *last) if s.overlaps(span)]
    sentence = Span(
        min((span.start, *(s.start for s in own))), max((span.end, *(s.end for s in own)))
    )
    before = [s for s in first if s.end <= sentence.start]
    after = [s for s in last if s.start >= sentence.end]
    return Surroundings(
        sentence=sentence,
        before=before[-1] if before else None,
        after=after[0] if after else None,
        heads=tuple(_find_heads(extraction, span, sentence)),
        quoted=_is_quoted(text, span, sentence),
    )


def _sentences_near(extraction: Extraction, place: int) -> list[Span]:
    """The sentences within reach of a place; what the window cuts at its start counts too.

    No sentence goes on in another block.
    """
    text, blocks = extraction.text.text, extraction.blocks
    low, high = max(0, place - _WINDOW), place + 2 * _WINDOW
    at = bisect_right(blocks, place, key=lambda block: block.span.start)
    near = blocks[max(0, at - _MAX_NEAR) : at + _MAX_NEAR]
    edges = {low, min(high, len(text))}
    edges.update(e for b in near for e in (b.span.start, b.span.end) if low < e < high)
    return [
        found.span.shift(start)
        for start, end in pairwise(sorted(edges))
        if not text[start:end].isspace()
        for found in find_sentences(text[start:end])
    ]


def _is_quoted(text: str, span: Span, sentence: Span) -> bool:
    if len(text[span.start : span.end].split()) < _MIN_QUOTED_WORDS:
        return False
    low = max(0, sentence.start - 2)
    window = text[low : min(sentence.end + 2, low + 4 * _WINDOW)]
    for quoted in pair_quotation_marks(window):
        place = quoted.shift(low)
        inner = Span(place.start + 1, place.end - 1)
        is_inside = inner.contains(span) or place.contains(span)
        outside = text[sentence.start : place.start] + text[place.end : sentence.end]
        if is_inside and any(letter.isalnum() for letter in outside):
            return True
    return False


def _find_heads(extraction: Extraction, span: Span, sentence: Span) -> Iterator[Span]:
    text = extraction.text.text
    colon = text.rfind(":", max(sentence.start, span.start - _WINDOW), span.start)
    if colon >= 0 and text[colon + 1 : colon + 2].isspace():
        yield Span(sentence.start, colon + 1)
    blocks = _blocks_before(extraction.blocks, span)
    table = find_table(blocks, span)
    laid_out = lay_out_cells(extraction, span, citation=0)
    if table is not None and len(extraction.blocks) <= _MAX_BLOCKS:
        laid_out = lay_out(extraction, table, span, citation=0)
    for part in laid_out:
        if not isinstance(part, str) and part.citation is None:
            yield Span(part.start, part.start + len(part.text))
    yield from _heads_of_blocks(blocks, span) if blocks else _heads_of_lines(text, sentence)


def _blocks_before(blocks: Sequence[Block], span: Span) -> Sequence[Block]:
    end = bisect_right(blocks, span.start, key=lambda block: block.span.start)
    return blocks[max(0, end - _MAX_BLOCKS) : end]


def _heads_of_blocks(blocks: Sequence[Block], span: Span) -> Iterator[Span]:
    own = next((b for b in reversed(blocks) if b.span.contains(span)), None)
    is_item = own is not None and own.kind == "list_item"
    for block in reversed(blocks):
        if block.span.end > span.start or block is own:
            continue
        if block.kind in {"heading", "title"}:
            yield block.span
            return
        if is_item and block.kind != "list_item":
            yield block.span
            is_item = False


def _heads_of_lines(text: str, sentence: Span) -> Iterator[Span]:
    """The line above a list, if the sentence is an item of one, and the nearest heading."""
    low = max(0, sentence.start - _LOOK_BACK)
    above = split_paragraphs(text[low : sentence.end])
    is_item = bool(above) and above[-1].kind == "item"
    for paragraph in reversed(above[:-1]):
        is_next = paragraph is above[-2]
        place = paragraph.span.shift(low)
        words = text[place.start : place.end]
        is_short = len(words.split()) <= _MAX_HEADING_WORDS
        is_heading = paragraph.kind == "heading" or (
            paragraph.kind == "text" and is_short and "\n" not in words and not _STOP.search(words)
        )
        if is_heading and not words.rstrip().endswith(":"):
            yield place
            return
        if paragraph.kind == "text" and (
            is_item or (is_next and words.rstrip().endswith(":") and is_short)
        ):
            yield place
            is_item = False
