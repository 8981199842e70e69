"""Stitched quotes: whole pieces of one document, set together though they stand apart."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from verifier.places import find_places

if TYPE_CHECKING:
    from core.document import Extraction
    from core.span import Span
    from core.verdict import Candidate

#: A piece of fewer words may stand anywhere by chance.
MIN_WORDS = 5
#: Words of the quote between two pieces that belong to neither ("and", "[sic]").
MAX_JOINT_WORDS = 3
#: Pieces that are looked for; a quote of more is left to the next rung.
MAX_PIECES = 16
_WORD = re.compile(r"\S+")
_HAS_LETTER = re.compile(r"\w")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s|$)|\n\s*\n")


def find_pieces(quote: str, extraction: Extraction) -> tuple[Candidate, ...]:
    """The pieces in the quote's order, or none: the quote is not stitched.

    Pieces cover the quote but for ``MAX_JOINT_WORDS`` at each joint, stand there verbatim (white
    space folded), and two that follow each other stand more than a sentence apart.
    """
    words = [match.span() for match in _WORD.finditer(quote)]
    if len(words) < 2 * MIN_WORDS:
        return ()
    pieces: list[Candidate] = []
    position = skipped = 0
    while position < len(words):
        found = _longest_piece(quote, words, position, extraction, pieces)
        if found is None:
            skipped += 1
            if skipped > MAX_JOINT_WORDS:
                return ()
            position += 1
            continue
        piece, position = found
        skipped = 0
        pieces.append(piece)
        if len(pieces) > MAX_PIECES:
            return ()
    text = extraction.text.text
    apart = all(_is_apart(text, a.span, b.span) for a, b in pairwise(pieces))
    return tuple(pieces) if len(pieces) > 1 and apart else ()


def _longest_piece(
    quote: str,
    words: list[tuple[int, int]],
    first: int,
    extraction: Extraction,
    before: list[Candidate],
) -> tuple[Candidate, int] | None:
    """The longest run of words from ``first`` that stands in the text, and the word after it."""

    def places(count: int) -> tuple[Candidate, ...]:
        if first + count > len(words):
            return ()
        piece = quote[words[first][0] : words[first + count - 1][1]]
        return find_places(piece, extraction).all

    known, low, high = places(MIN_WORDS), MIN_WORDS, 2 * MIN_WORDS
    if not known:
        return None
    # Double, then halve: the run's length is found with a logarithm of it in searches.
    while longer := places(high):
        known, low, high = longer, high, 2 * high
    high = min(high, len(words) - first + 1)
    while high - low > 1:
        middle = (low + high) // 2
        longer = places(middle)
        if longer:
            known, low = longer, middle
        else:
            high = middle
    nearest = known[0]
    if before:
        anchor = before[-1].span.end
        nearest = min(known, key=lambda place: abs(place.span.start - anchor))
    return nearest, first + low


def _is_apart(text: str, one: Span, other: Span) -> bool:
    """Whether more than a whole sentence lies between the spans."""
    left, right = sorted((one, other))
    if right.start <= left.end:
        return False
    # The stop that ends the left piece's own sentence belongs to the piece as often as not.
    gap = text[max(left.start, left.end - 2) : right.start]
    sentences = [part for part in _SENTENCE_END.split(gap) if _HAS_LETTER.search(part)]
    ends = len(_SENTENCE_END.findall(gap))
    return ends > 1 and len(sentences) > 1
