"""What an ellipsis may leave out: nothing without which the words that stay say something else.

A number, a date or a name may go as such ("of $1,500.25" before "is due"). Words that deny, limit
or doubt may not, nor a part of what stays: "30" of "30 days", "Limited" of "Harbour Limited".
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.plain_words import OPERATORS
from spanproof.verifier.language.protected import NUMERIC_KINDS, find_protected

if TYPE_CHECKING:
    from spanproof.verifier.language.protected import ProtectedToken

#: Characters that are read on both sides of an edge.
_LOOK = 60
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CONDITIONS = """
if provided providing whether when whenever where wherever subject condition conditions conditional
conditionally otherwise excluding excluded excepting excepted exception exceptions save besides
barring
"""
#: They begin a clause of their own more often than they limit one.
_LINKS = frozenset({"but", "however", "although", "other"})
#: What a number behind it belongs to, and such a number.
_LABEL = re.compile(
    r"\b(?:sections?|clauses?|articles?|paragraphs?|pages?|figures?|tables?|chapters?|annex|appendix|"
    r"schedules?|no|numbers?|items?|rules?|parts?|levels?|steps?)$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s+\d")
#: An amount goes on: a month, per person, of the rent, or more, to 40.
_GOES_ON = re.compile(r"\s*(?:/|(?:a|an|per|of|or|to|plus|minus)\b)", re.IGNORECASE)
#: Behind one of these four digits are a year.
_YEAR = re.compile(r"\b(?:in|since|during|until|by)\s+$", re.IGNORECASE)
_NAME_BEFORE = re.compile(r"(?<![\w.])([A-Z][\w’'-]*)$")
_NAME_BEHIND = re.compile(r"\s+(?:(?:of|and|&|for|de|van|von)\s+)?([A-Z][\w’'-]*|\d)")
_NAME_GOES_ON = re.compile(r"\b([A-Z][\w’'-]*)(?:\s+(?:of|and|&|for|de|van|von))?\s+$")


def may_leave_out(source: str, start: int, end: int) -> bool:
    """Whether an ellipsis may stand for this stretch of the source."""
    # The blanks beside it go with it.
    before = source[max(0, start - _LOOK) : start].rstrip()
    behind = source[end : end + _LOOK]
    blanks = len(behind) - len(behind.lstrip())
    start, end, behind = max(0, start - _LOOK) + len(before), end + blanks, behind[blanks:]
    left_out = source[start:end]
    return not (
        denies_or_limits(left_out)
        or loses_number(before, source, start)
        or loses_number(left_out.rstrip(), source, start + len(left_out.rstrip()))
        or _parts_amount(before, left_out, behind)
        or _parts_name(before, left_out, behind)
    )


def denies_or_limits(words: str) -> bool:
    """Whether words deny, limit or doubt what stands beside them."""
    found = {match[0].lower().replace("’", "'") for match in _WORD.finditer(words)}
    return bool(found & _limits()) or any(word.endswith("n't") for word in found)


@cache
def _limits() -> frozenset[str]:
    lexicon = lexicon_of("en")
    denials = lexicon.unfoldable | lexicon.negative_words | OPERATORS
    return (denials | lexicon.quantifiers | frozenset(_CONDITIONS.split())) - _LINKS


def loses_number(words: str, source: str, end: int) -> bool:
    """Whether the source goes on with what its last word counts: section 5, EUR 10,000."""
    last = _WORD.findall(words[-_LOOK:])[-1:]
    counts = _LABEL.search(words) is not None or (
        words[-1:].isalpha() and last[0].lower() in lexicon_of("en").currencies
    )
    return counts and _NUMBER.match(source, end) is not None


def _parts_amount(before: str, left_out: str, behind: str) -> bool:
    """Whether one edge parts an amount, a date, or a number from the thing that it counts."""
    start, end = len(before), len(before) + len(left_out)
    text = before + left_out + behind
    for token in find_protected(text):
        at = token.span
        if token.kind not in NUMERIC_KINDS:
            continue
        if at.start < start < at.end or at.start < end < at.end:
            return True
        bare = _counts(token, text)
        if at.end == start and (_GOES_ON.match(text, start) or (bare and left_out[1:2].isalnum())):
            return True
        if bare and start <= at.start and at.end <= end and not text[at.end : end].strip():
            following = _WORD.match(behind)
            if following and following[0].lower() not in lexicon_of("en").function_words:
                return True
    return False


def _counts(token: ProtectedToken, text: str) -> bool:
    """Whether a number stands alone, so that the word behind it is what it counts."""
    if token.kind == "year":
        return _YEAR.search(text, 0, token.span.start) is None
    return token.kind in {"number", "number_word", "ordinal"}


def _parts_name(before: str, left_out: str, behind: str) -> bool:
    """Whether a name goes on over an edge: Harbour Limited, Bank of England, Boeing 747."""
    small = lexicon_of("en").function_words
    stays, goes = _NAME_BEFORE.search(before), _NAME_BEHIND.match(left_out)
    if stays and goes and not {stays[1].lower(), goes[1].lower()} & small:
        return True
    left, follows = _NAME_GOES_ON.search(left_out), re.match(r"[A-Z][\w’'-]*", behind)
    return bool(left and follows and not {left[1].lower(), follows[0].lower()} & small)
