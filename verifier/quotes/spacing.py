"""Spacing: the same characters with other white space, as another reader of the page gives them.

Engines part words by the gaps between glyphs, and each has its own idea of a gap: ``W e``,
``thequick``. Some write U+0002 or U+FFFE for a hyphen and the line break behind it, or keep a
hyphen at a line's end that ours lacks. These rules are asked only where no fold makes the two
equal. They take white space that one side alone has, and refuse it:

- between or next to digits, signs and currency marks, and next to protected words;
- where the joined words may be another word (``a typical`` is not ``atypical``), or two names;
- between the cells and rows of a table.

A digit beside a dotted leader or an ideograph is read the same with a blank and without one. So are
ideographs, and a mark beside a letter or another mark (``{Coke} × {Soda}``) with no figure near it.
A raised figure (``databases.³``) may be set apart from what is no figure.
In a run of three words or more without a blank (``toadirectory``) two of them are no other word.
Between letters that touch on the page (``on_page.touching``) no white space is shown: it goes,
whatever the words are.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import (
    DASHES,
    LOST_HYPHENS,
    QUOTE_MARKS,
    SOFT_HYPHEN,
    WHITE_SPACE,
)
from spanproof.verifier.language.joined_words import (
    are_parts_of_one,
    begins_no_word,
    ends_no_word,
    may_be_other_word,
    stay_apart_in_a_run,
)
from spanproof.verifier.language.protected import (
    NUMBER_SIGNS,
    is_number_character,
    unfoldable_words,
)
from spanproof.verifier.quotes.baselines import is_raised
from spanproof.verifier.quotes.on_page.touching import shows_no_space
from spanproof.verifier.quotes.side_by_side import LINE_END_HYPHENS, first_word, last_word

if TYPE_CHECKING:
    from spanproof.verifier.quotes.side_by_side import QuoteAlongside, Step

#: Characters to either side that are looked at.
_LOOK = 48
#: Dots that lead the eye to a page's number: three or more, with blanks between or without.
_DOTS = frozenset(".\u2026\u00b7")
_LEADER = re.compile(r"(?:[.\u2026\u00b7]\s?){3}$")
#: Blanks before a soft hyphen at a line's end.
_SET_APART = re.compile("[ \t\u00a0]+\u00ad(?=[\r\n])")
#: What stands before a bullet: the end of a line, or nothing.
_BEFORE_BULLETS = frozenset({"", "\n", "\f"})
_IDEOGRAPH = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
#: Han and kana with their marks: scripts that part no words by blanks. Hangul does.
_UNSPACED = re.compile(r"[\u2e80-\u2fdf\u3001-\u312f\u31a0-\u9fff\uf900-\ufaff\uff01-\uff65]")
#: Marks that belong to a word on either side of them.
_IN_WORDS = frozenset("'\u2019\u02bc`\u00b4_@#&")


def missing_in_quote(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """White space of the source that the quote lacks: ``thequick`` for ``the quick``."""
    if j >= walk.end or walk.text[j] not in WHITE_SPACE or i in {0, len(walk.quote)}:
        return None
    r = walk.run_end(j)
    if r == walk.end or walk.find_crossing(j, r) is not None:
        return None
    if _parts_no_number(walk, j, r) or _parts_marks(walk.text, j, r):
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


def unseen_in_page(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """White space of the source that the page does not show: ``m⏎ ⏎ay`` for ``may``."""
    if not walk.start < j < walk.end or walk.text[j] not in WHITE_SPACE or i == len(walk.quote):
        return None
    r = walk.run_end(j)
    if r == walk.end or walk.find_crossing(j, r) is not None:
        return None
    return (0, r - j, "spacing") if shows_no_space(walk.extraction, j, r) else None


def missing_in_source(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """White space of the quote that the source lacks: ``W e`` for ``We``."""
    quote, k = walk.quote, i
    while k < len(quote) and quote[k] in WHITE_SPACE:
        k += 1
    if k == i or k == len(quote) or not walk.start < j < walk.end:
        return None
    if _parts_no_number(walk, j, j) or _parts_marks(walk.text, j, j) or _parts_raised(walk, j):
        return k - i, 0, "spacing"
    if walk.is_protected(j, j):
        return None
    head, tail = last_word(walk.token_before(j)), first_word(walk.token_after(j))
    if walk.letter(j - 1) and walk.letter(j):
        apart = _is_used(walk, head) and _is_used(walk, tail)
        # SmithJones is not Smith Jones, as Smith Jones is not SmithJones.
        apart = apart or (walk.text[j].isupper() and not walk.text[j - 1].isupper())
        is_rest = are_parts_of_one(head) or begins_no_word(tail)
        is_rest = is_rest or (tail == "on" and ends_no_word(head))
        other = may_be_other_word(head, tail) and not is_rest
        if other or apart:
            return None
    return k - i, 0, "spacing"


def line_end_mark(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """A hyphen and a line break, for which the quote has one mark, or a soft hyphen."""
    if i >= len(walk.quote) or j >= walk.end or walk.text[j] not in LINE_END_HYPHENS:
        return None
    if _SET_APART.match(walk.quote, i):
        # A hyphen that is soft, and ends a line, parts no words: nor does a blank before it.
        rest = line_end_mark(walk, walk.quote.index(SOFT_HYPHEN, i), j)
        return rest and (rest[0] + walk.quote.index(SOFT_HYPHEN, i) - i, *rest[1:])
    mark, r = walk.quote[i], walk.run_end(j + 1)
    if r == j + 1 or not walk.ends_line(j + 1, r):
        return None
    # The mark stays where the hyphen was: behind a letter it is no sign of a figure (IEEE-⏎754).
    figure = mark in LOST_HYPHENS and walk.text[r : r + 1].isdigit()
    if not (walk.letter(j - 1) and (walk.letter(r) or figure)):
        return None
    if mark in LOST_HYPHENS:
        # The break goes with the mark, unless the quote breaks the line too.
        broken = walk.quote[i + 1 : i + 2] in WHITE_SPACE
        return 1, 1 if broken else r - j, "spacing"
    return (1, 1, "spacing") if mark == SOFT_HYPHEN and mark != walk.text[j] else None


def lone_mark(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    """A glyph without a character that stands alone in a line of the source: a lost bullet."""
    if i == 0 or walk.quote[i - 1] not in WHITE_SPACE:
        return None
    if not walk.start < j < walk.end or walk.text[j] not in LOST_HYPHENS:
        return None
    r = walk.run_end(j + 1)
    alone = r > j + 1 and walk.text[j - 1] in WHITE_SPACE
    return (0, r - j, "spacing") if alone and walk.find_crossing(j + 1, r) is None else None


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


def _parts_marks(text: str, left: int, right: int) -> bool:
    """Whether white space here says nothing: beside a mark, or between ideographs.

    No figure may stand beside it, but behind a bullet; none behind a sign, nor right behind a point
    or a comma, but of a dotted leader.
    """
    one, other = text[left - 1], text[right]
    if other in _DOTS and _LEADER.search(text[max(0, left - _LOOK) : left]):
        return True
    if other.isdigit() and _is_bullet(one) and text[left - 2 : left - 1] in _BEFORE_BULLETS:
        return True
    if is_number_character(one) and one not in NUMBER_SIGNS:
        return False
    if is_number_character(other) and other not in NUMBER_SIGNS:
        return False
    if _UNSPACED.match(one) or _UNSPACED.match(other):
        return not {one, other} & NUMBER_SIGNS
    head = last_word(text[max(0, left - _LOOK) : left])
    tail = first_word(text[right : right + _LOOK])
    if not unfoldable_words().isdisjoint({head, tail}) or not (_is_mark(one) or _is_mark(other)):
        return False
    # What stands on the far side of the mark; white space there is passed over for a sign.
    before, behind = text[max(0, left - 1 - _LOOK) : left - 1], text[right + 1 : right + 1 + _LOOK]
    if one in NUMBER_SIGNS or one in DASHES:
        before = before.rstrip()
    if other in NUMBER_SIGNS or other in DASHES:
        behind = behind.lstrip()
    if _is_mark(other) and behind[:1].isnumeric() and not _is_bracket(other):
        return False
    after_number = _is_mark(one) and before[-1:].isnumeric() and not _is_bracket(one)
    return not after_number or (one in ",;" and not is_number_character(other))


def _is_mark(character: str) -> bool:
    """Whether a character is punctuation or a symbol, no dash and no part of a word."""
    if character in _IN_WORDS or character in QUOTE_MARKS or character in DASHES:
        return False
    return unicodedata.category(character)[0] in "PS"


def _is_bracket(character: str) -> bool:
    return unicodedata.category(character) in {"Ps", "Pe"}


def _is_bullet(character: str) -> bool:
    return character == "\u2022" or unicodedata.category(character) == "So"


def _parts_raised(walk: QuoteAlongside, j: int) -> bool:
    """Whether a raised figure meets here what is no figure, and no mark behind one."""
    one, other = walk.text[j - 1], walk.text[j]
    if other.isdigit() and is_raised(walk.extraction, j, behind=True):
        after_number = _is_mark(one) and walk.text[j - 2 : j - 1].isnumeric()
        return not after_number and not is_number_character(one) and one not in DASHES
    if one.isdigit() and is_raised(walk.extraction, j, behind=False):
        return other.isalpha() and not is_number_character(other)
    return False


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
SPACING_RULES = (
    lone_mark,
    line_end_hyphen_of_quote,
    unseen_in_page,
    missing_in_quote,
    missing_in_source,
)
