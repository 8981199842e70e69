"""Marks and capitals that a quote sets apart: only where a person sees the place.

Programs that read formulas and code by their glyphs write ``add(3 , 5)`` and ``n > 2`` for
``add(3, 5)`` and ``n> 2``. No number changes: behind the mark of a figure no figure follows at once
on either side, and a comparator keeps what stands behind it. Signs and dashes stay where they are.
A heading with room between its letters is ``R E P O R T`` to some: capitals, each one alone, are no
words, so no other word can be read out of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import WHITE_SPACE
from spanproof.verifier.language.protected import unfoldable_words
from spanproof.verifier.quotes.side_by_side import last_word

if TYPE_CHECKING:
    from spanproof.verifier.quotes.side_by_side import QuoteAlongside, Step

#: Marks that end what they follow, and signs that compare what stands on both sides of them.
_CLOSING, _COMPARATORS = frozenset(",.;)]}"), frozenset("<>\u2264\u2265=\u2260\u2248")
_NOTHING_MORE = WHITE_SPACE | _CLOSING | {""}
#: Five letters or more, each alone; fewer are a list, or initials.
_SPACED = re.compile(r"(?<!\S)[^\W\d_](?:[ \t\u00a0][^\W\d_]){4,}(?!\S)")
#: Characters to either side in which such letters are looked for.
_LOOK = 80


def mark_set_apart(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """White space of the quote before a mark that the source has at once."""
    quote, text, k = walk.quote, walk.text, _behind_blanks(walk.quote, i)
    if k == i or not walk.start < j < walk.end or quote[k : k + 1] != text[j]:
        return None
    behind = {quote[k + 1 : k + 2], text[j + 1 : j + 2]}
    closes = text[j - 1].isdigit() and text[j] in _CLOSING and behind <= _NOTHING_MORE
    word = last_word(walk.token_before(j))
    compares = text[j - 1].isalpha() and text[j] in _COMPARATORS and word not in unfoldable_words()
    return (k - i, 0, "spacing") if closes or compares else None


def capital_set_apart(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """A blank of the quote between two capitals of a word of the source."""
    k = _behind_blanks(walk.quote, i)
    if k != i + 1 or not walk.start < j < walk.end:
        return None
    if not (walk.text[j - 1].isupper() and walk.text[j].isupper()):
        return None
    first = max(0, i - _LOOK)
    runs = _SPACED.finditer(walk.quote, first, i + _LOOK)
    spaced = any(run.start() < i < run.end() and run[0].isupper() for run in runs)
    return (1, 0, "spacing") if spaced else None


def _behind_blanks(quote: str, at: int) -> int:
    while at < len(quote) and quote[at] in WHITE_SPACE:
        at += 1
    return at


#: Asked after all other rules.
RULES_FOR_REVIEW = (mark_set_apart, capital_set_apart)
