"""Negations of a text: their places and the words they reach."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.slots.words import read_words

if TYPE_CHECKING:
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.words import Words

#: Negations that leave what they stand before as it is.
_IDLE = re.compile(
    r"\b(?:not only|not just|not merely|no doubt|no longer|not necessarily|(?:whether )?or not"
    r"|or (?:might|may|could|will) not"
    r"|(?:no|not) (?:more|less|fewer|later|earlier|sooner) than)\b",
    re.IGNORECASE,
)
#: How many words a negation reaches.
_REACH = 6


@keep_last
def find_negations(text: str, locale: Locale = "en") -> tuple[int, ...]:
    """The indexes of the words that negate."""
    known = lexicon_of(locale).negations
    words = read_words(text, locale)
    idle = {offset for match in _IDLE.finditer(text) for offset in range(*match.span())}
    return tuple(
        index
        for index, word in enumerate(words.words)
        if (word.text in known or word.text.endswith("n't")) and word.start not in idle
    )


def is_negated(words: Words, index: int, locale: Locale, *, reach: int = _REACH) -> bool:
    """Whether an odd number of negations stands before a word within its reach and clause."""
    found = find_negations(words.text, locale)
    last = bisect_left(found, index)
    count = 0
    for place in found[max(0, last - 4) : last]:
        if index - place <= reach and _is_one_clause(words, place, index):
            count += 1
    return count % 2 == 1


def is_negated_before(words: Words, offset: int, locale: Locale) -> bool:
    """The same for the word at an offset."""
    return is_negated(words, words.index_at(offset), locale)


def _is_one_clause(words: Words, first: int, last: int) -> bool:
    if last >= len(words.words):
        last = len(words.words) - 1
    if words.words[first].sentence != words.words[last].sentence:
        return False
    cut = bisect_left(words.cuts, words.words[first].start)
    return cut >= len(words.cuts) or words.cuts[cut] >= words.words[last].start
