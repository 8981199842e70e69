"""The smallest difference between a quote and a region of its source, word by word."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Literal

from spanproof.core.budget import checkpoint
from spanproof.core.documents.match_views import MatchView
from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Difference, Edit, TouchedToken
from spanproof.verifier.language.protected import find_protected, is_number_character
from spanproof.verifier.quotes.alignment import lcs_rows
from spanproof.verifier.quotes.folds import judge_folds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.verifier.language.protected import ProtectedToken

#: A number with its marks, a word, a run of white space, or one other character.
_PIECE = re.compile(r"\d+(?:[.,]\d+)*|\w+|\s+|.", re.DOTALL)
#: Bits of the alignment's table (12 MB); beyond it the whole middle is one edit.
_MAX_CELLS = 100_000_000


@dataclass(frozen=True, slots=True)
class _Gap:
    """A stretch that differs: ``quote[quote_start:quote_end]`` against ``source[start:end]``."""

    quote_start: int
    quote_end: int
    start: int
    end: int


def describe_difference(quote: str, extraction: Extraction, region: Span) -> Difference:
    """The words that the quote changed, added and left out; allowed folds do not count."""
    source = extraction.text.slice(region)
    # Each of these steps takes some ten milliseconds for the longest quotes that are aligned.
    quoted = find_protected(quote)
    checkpoint()
    standing = find_protected(source)
    checkpoint()
    edits: list[Edit] = []
    for gap in _gaps(quote, source):
        checkpoint()
        theirs, ours = quote[gap.quote_start : gap.quote_end], source[gap.start : gap.end]
        span = Span(region.start + gap.start, region.start + gap.end)
        if judge_folds(theirs, extraction, span).equal:
            continue
        touches = (
            *_touched("quote", quoted, gap.quote_start, gap.quote_end, theirs),
            *_touched("source", standing, gap.start, gap.end, ours),
        )
        edits.append(
            Edit(
                kind=_kind(theirs, ours),
                quote=theirs,
                source=ours,
                span=span,
                protected=bool(touches),
                touches=touches,
            )
        )
    return Difference(source=source, edits=tuple(edits))


def _kind(theirs: str, ours: str) -> str:
    if not theirs:
        return "omitted"
    if not ours:
        return "added"
    if "".join(theirs.split()) == "".join(ours.split()):
        return "spacing"
    if theirs.casefold() == ours.casefold():
        return "case"
    plain = (unicodedata.normalize("NFKC", MatchView.of(part).text) for part in (theirs, ours))
    return "look_alike" if len(set(plain)) == 1 else "replaced"


def _touched(
    side: Literal["quote", "source"],
    tokens: Sequence[ProtectedToken],
    start: int,
    end: int,
    changed: str,
) -> tuple[TouchedToken, ...]:
    """The protected tokens of one side that a stretch of it touches.

    An empty stretch touches a token only if it would cut it in two.
    """
    # In order, and apart from each other: the first that ends behind the start, and on.
    first = bisect_right(tokens, start, key=lambda token: token.span.end)
    near = takewhile(lambda token: token.span.start < end, tokens[first:])
    found = tuple(TouchedToken(side=side, kind=token.kind, text=token.text) for token in near)
    if found or not any(map(is_number_character, changed)):
        return found
    # Digits of other scripts, superscripts, a mark by itself: no pattern reads them as a number.
    return (TouchedToken(side=side, kind="number", text=changed),)


def _gaps(quote: str, source: str) -> Iterator[_Gap]:
    left, right = _PIECE.findall(quote), _PIECE.findall(source)
    head = 0
    while head < min(len(left), len(right)) and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < min(len(left), len(right)) - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    offset = sum(map(len, left[:head]))
    middle_left, middle_right = left[head : len(left) - tail], right[head : len(right) - tail]
    # Where each piece begins, and where the last one ends.
    lefts = list(accumulate(map(len, middle_left), initial=offset))
    rights = list(accumulate(map(len, middle_right), initial=offset))
    for i1, i2, j1, j2 in _opcodes(middle_left, middle_right):
        gap = _Gap(lefts[i1], lefts[i2], rights[j1], rights[j2])
        yield _trim(gap, quote, source)


def _opcodes(left: list[str], right: list[str]) -> list[tuple[int, int, int, int]]:
    """The stretches that no longest common subsequence pairs, in order."""
    if len(left) * len(right) > _MAX_CELLS:
        return [(0, len(left), 0, len(right))]
    rows = lcs_rows(left, right)
    checkpoint()
    pairs = [(len(left), len(right))]
    i, j = len(left), len(right)
    while i and j:
        if rows[j] >> (i - 1) & 1:
            i -= 1
        elif not rows[j - 1] >> (i - 1) & 1:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    gaps = []
    last_i = last_j = 0
    for i, j in reversed(pairs):
        if i > last_i or j > last_j:
            gaps.append((last_i, i, last_j, j))
        last_i, last_j = i + 1, j + 1
    return gaps


def _trim(gap: _Gap, quote: str, source: str) -> _Gap:
    """Without white space at the edges, unless white space is all there is."""
    a, b, c, d = gap.quote_start, gap.quote_end, gap.start, gap.end
    if not (quote[a:b] + source[c:d]).strip():
        return gap
    a, b = _visible(quote, a, b)
    c, d = _visible(source, c, d)
    return _Gap(a, b, c, d)


def _visible(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
