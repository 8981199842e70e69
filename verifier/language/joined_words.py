"""Whether two words set together may read as another word (``a typical``, ``not able``).

There is no list of all words here. A short word that begins other words (articles, prepositions,
prefixes) may do so with anything but a function word, and a word that ends others may end anything:
such pairs count as other words, whether or not a dictionary has them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import lexicon_of

if TYPE_CHECKING:
    from spanproof.verifier.language.lexicon import Locale

_BEGINNINGS = """
a ab ad all an ante anti any as at back be bi by co con counter cross de di dis down en ever every
ex extra fore in inter il im ir mal mid mis no non not now off on or out over per post pre pro re
self semi so some sub super to trans un under up with
"""
_ENDINGS = """
able age back body by day down ever fold fore free ful full hood how in ion less like ment ness off
on one one's out over self selves ship so some thing time times to up ward wards way ways what where
while wise worthy
"""


def may_be_other_word(head: str, tail: str, locale: Locale = "en") -> bool:
    """Whether ``head`` and ``tail`` (small letters) may mean something else as one word."""
    if not head or not tail or (len(head) == 1 and len(tail) == 1):
        return False  # Letters set apart, one by one.
    begins = head in _words(_BEGINNINGS) and tail not in lexicon_of(locale).function_words
    return begins or (len(head) > 1 and tail in _words(_ENDINGS))


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())
