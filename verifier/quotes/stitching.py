"""Stitched quotes: whole pieces of one document, set together though they stand apart."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.core.budget import checkpoint
from spanproof.verifier.quotes.alignment import measure_overlap
from spanproof.verifier.quotes.places import find_places
from spanproof.verifier.quotes.token_index import TokenIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Candidate

#: A piece of fewer words may stand anywhere by chance.
MIN_WORDS = 5
#: Words of the quote between two pieces that belong to neither ("and", "[sic]").
MAX_JOINT_WORDS = 3
#: Pieces that are searched; a quote of more is left to the next rung.
MAX_PIECES = 16
#: Share of the words beyond the largest piece that one place must keep to hold the whole quote.
ONE_PLACE_SHARE = 0.6
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
    found_at: list[tuple[Candidate, ...]] = []
    position = skipped = 0
    while position < len(words):
        checkpoint()
        found = _longest_piece(quote, words, position, extraction)
        if found is None:
            skipped += 1
            if skipped > MAX_JOINT_WORDS:
                return ()
            position += 1
            continue
        places, position = found
        skipped = 0
        found_at.append(places)
        if len(found_at) > MAX_PIECES:
            return ()
    pieces = _nearest_together(found_at)
    text = extraction.text.text
    apart = all(_is_apart(text, a.span, b.span) for a, b in pairwise(pieces))
    return pieces if len(pieces) > 1 and apart else ()


def is_contiguous(
    quote: str, extraction: Extraction, region: Span, pieces: Sequence[Candidate]
) -> bool:
    """Whether a region has the quote but for small edits, so that its pieces are chance finds.

    A region of a true stitch has one piece and words that any text shares. It may also reach over
    two pieces, but then it has much that the quote lacks.
    """
    whole = measure_overlap(quote, extraction, region)
    sizes = [len(TokenIndex.of(extraction.text.slice(piece.span))) for piece in pieces]
    others = sum(sizes) - max(sizes)
    lost, foreign = whole.quoted - whole.kept, whole.standing - whole.kept
    keeps_others = whole.kept - max(sizes) >= ONE_PLACE_SHARE * others
    return keeps_others and foreign <= max(MIN_WORDS, lost)


def _longest_piece(
    quote: str, words: list[tuple[int, int]], first: int, extraction: Extraction
) -> tuple[tuple[Candidate, ...], int] | None:
    """Where the longest run of words from ``first`` stands in the text, and the word after it."""

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
    return known, first + low


def _nearest_together(found_at: list[tuple[Candidate, ...]]) -> tuple[Candidate, ...]:
    """One occurrence of each piece, so that each lies as near to the one before as can be.

    A piece that also stands elsewhere must not make one passage look like two.
    """
    if not found_at:
        return ()
    # For each occurrence of the last piece: the least sum of gaps that ends there, and its way.
    ways: list[tuple[int, tuple[Candidate, ...]]] = [(0, (place,)) for place in found_at[0]]
    for places in found_at[1:]:
        ways = [
            min(
                (
                    (cost + abs(place.span.start - way[-1].span.end), (*way, place))
                    for cost, way in ways
                ),
                key=lambda known: known[0],
            )
            for place in places
        ]
    return min(ways, key=lambda known: known[0])[1]


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
