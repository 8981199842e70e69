"""Spacing: the same characters with other white space, as another reader of the page gives them.

Engines part words by the gaps between glyphs, and each has its own idea of a gap: ``W e``,
``thequick``. Some write U+0002 or U+FFFE for a hyphen and the line break behind it, or keep a
hyphen at a line's end that ours lacks. These rules are asked only where no fold makes the two
equal. They take white space that one side alone has, and refuse it:

- between or next to digits, signs and currency marks, and next to protected words;
- where the joined words may be another word (``a typical`` is not ``atypical``), or two names;
- between the cells and rows of a table.

A digit beside a dotted leader or an ideograph is read the same with a blank and without one.
In a run of three words or more without a blank (``toadirectory``) two of them are no other word.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import LOST_HYPHENS, SOFT_HYPHEN, WHITE_SPACE
from spanproof.verifier.language.joined_words import (
    are_parts_of_one,
    may_be_other_word,
    stay_apart_in_a_run,
)
from spanproof.verifier.quotes.side_by_side import LINE_END_HYPHENS, first_word, last_word

if TYPE_CHECKING:
    from spanproof.verifier.quotes.side_by_side import QuoteAlongside, Step

#: Characters to either side that are looked at.
_LOOK = 48
#: Dots that lead the eye to a page's number: three or more, with blanks between or without.
_LEADER = re.compile(r"(?:[.\u2026\u00b7]\s?){3}$")
_IDEOGRAPH = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def missing_in_quote(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """White space of the source that the quote lacks: ``thequick`` for ``the quick``."""
    if j >= walk.end or walk.text[j] not in WHITE_SPACE or i in {0, len(walk.quote)}:
        return None
    r = walk.run_end(j)
    if r == walk.end or walk.find_crossing(j, r) is not None:
        return None
    if _parts_no_number(walk, j, r):
        return 0, r - j, "spacing"
    if walk.is_protected(j, r):
        return None
    head, tail = last_word(walk.token_before(j)), first_word(walk.token_after(r))
    if _is_in_a_run(walk, i, head, tail):
        return (0, r - j, "spacing") if stay_apart_in_a_run(head, tail) else None
    if walk.parts_words(j, r, broken=walk.is_line_break(j, r)):
        return None
    if walk.letter(j - 1) and walk.letter(r) and _is_used(walk, head + tail):
        return None
    return 0, r - j, "spacing"


def missing_in_source(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """White space of the quote that the source lacks: ``W e`` for ``We``."""
    quote, k = walk.quote, i
    while k < len(quote) and quote[k] in WHITE_SPACE:
        k += 1
    if k == i or k == len(quote) or not walk.start < j < walk.end:
        return None
    if _parts_no_number(walk, j, j):
        return k - i, 0, "spacing"
    if walk.is_protected(j, j):
        return None
    head, tail = last_word(walk.token_before(j)), first_word(walk.token_after(j))
    if walk.letter(j - 1) and walk.letter(j):
        apart = _is_used(walk, head) and _is_used(walk, tail)
        # SmithJones is not Smith Jones, as Smith Jones is not SmithJones.
        apart = apart or (walk.text[j].isupper() and not walk.text[j - 1].isupper())
        other = may_be_other_word(head, tail) and not are_parts_of_one(head)
        if other or apart:
            return None
    return k - i, 0, "spacing"


def line_end_mark(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """A hyphen and a line break, for which the quote has one mark, or a soft hyphen."""
    if i >= len(walk.quote) or j >= walk.end or walk.text[j] not in LINE_END_HYPHENS:
        return None
    mark, r = walk.quote[i], walk.run_end(j + 1)
    if r == j + 1 or not walk.ends_line(j + 1, r):
        return None
    if not (walk.letter(j - 1) and walk.letter(r)):
        return None
    if mark in LOST_HYPHENS:
        # The break goes with the mark, unless the quote breaks the line too.
        broken = walk.quote[i + 1 : i + 2] in WHITE_SPACE
        return 1, 1 if broken else r - j, "spacing"
    return (1, 1, "spacing") if mark == SOFT_HYPHEN and mark != walk.text[j] else None


def line_end_hyphen_of_quote(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """A hyphen and a line break of the quote's own, inside a word of the source."""
    quote = walk.quote
    if i >= len(quote) or not (quote[i] in LINE_END_HYPHENS or quote[i] in LOST_HYPHENS):
        return None
    k = i + 1
    while k < len(quote) and quote[k] in WHITE_SPACE:
        k += 1
    breaks = "\n" in quote[i:k] or "\r" in quote[i:k] or quote[i] in LOST_HYPHENS
    inside = walk.start < j < walk.end and walk.letter(j - 1) and walk.letter(j)
    if not breaks or not inside or walk.text[j].isupper() or walk.is_protected(j, j):
        return None
    return k - i, 0, "spacing"


def _parts_no_number(walk: QuoteAlongside, left: int, right: int) -> bool:
    """Whether white space here stands between a digit and a dotted leader or an ideograph."""
    one, other = walk.text[left - 1], walk.text[right]
    if other.isdigit() and _LEADER.search(walk.text[max(0, left - _LOOK) : left]):
        return True
    pair = (one, other) if other.isdigit() else (other, one)
    return pair[1].isdigit() and _is_ideograph(pair[0])


def _is_ideograph(character: str) -> bool:
    # A numeral among them (三, 万) is part of a number.
    return bool(_IDEOGRAPH.match(character)) and not character.isnumeric()


def _is_in_a_run(walk: QuoteAlongside, i: int, head: str, tail: str) -> bool:
    """Whether the quote has more letters without a blank here than the two words."""
    if not head or not tail:
        return False
    run = last_word(walk.quote[max(0, i - _LOOK) : i]) + first_word(walk.quote[i : i + _LOOK])
    return len(run) > len(head + tail) and run != head + tail


def _is_used(walk: QuoteAlongside, word: str) -> bool:
    """Whether the document has these letters as a word of its own, elsewhere."""
    if len(word) < 2 or not word.isalpha():
        return False
    text = walk.text
    for match in _whole_word(word).finditer(text):
        if match.end() <= walk.start or walk.end <= match.start():
            return True
    return False


@cache
def _whole_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])", re.IGNORECASE)


#: Asked before the folds: they would take the hyphen and leave its mark.
FIRST_SPACING_RULES = (line_end_mark,)
#: Asked after the folds, in this order.
SPACING_RULES = (line_end_hyphen_of_quote, missing_in_quote, missing_in_source)
