"""Whether two words set together may read as another word (``a typical``, ``not able``).

There is no list of all words here. A short word that begins other words (articles, prepositions,
prefixes) may do so with anything but a function word, and a word that ends others may end anything:
such pairs count as other words, whether or not a dictionary has them.
"""

from __future__ import annotations

import re
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

#: Beginnings that are no words: apart from what follows them they say nothing else.
_PARTS = """
ab ad bi co con de di dis en ex extra fore im inter ir mis pre pro re semi sub super trans un
"""
#: Words that may stand in a run of words without blanks (``toadirectory``) and stay what they are.
_SMALL = "a all an as at be by de for in on or so to up with"
#: What makes another word behind ``a`` or ``in``, in such a run too (``isatypicalcase``).
_TURNED = """
back bide board bout bove breast broad chromatic close cross cute far field fire float fold foot
gain ghast gnostic go head illusory kin like live loft lone long loud melodic mid miss moral
morphous mount new onymous part periodic political round septic sexual shore side sleep social
stray strange symmetric symmetrical synchronous temporal theist theistic tonal typical vow wake
ward ware wash way wide wry
ability accessible accuracy accurate action active activity adequate advisable animate appropriate
apt articulate attention audible bound breed capable capacity cautious certain civility clement come
coherent comparable compatible competence competent complete conclusive congruous consistent
constant convenience convenient correct corrigible corruptible credible crease cumbent curable
curious decent decision decisive deed definite deficit delible dependence dependent determinate
different digestible direct disposed distinct dividual doors edible effective efficient elastic
eligible equality equitable evitable exact experience experienced fallible fertile field finite
firm flammable flexible form formal frequent glorious grained gratitude habitable hale hand humane
human jury justice land lay lead let lying mate mature migrant need offensive operable operative
opportune organic patient put quest road sane sanity scribe scription secure security sensitive
separable set sight significant sincere soluble solvent stable stall stance stead step stinct
sufficient sure tact take tangible tend tense tent to tolerable tolerance tolerant vade valid
validity valuable variable vest visible vision vocation voice voluntary ward
"""


#: Two like consonants, as no word begins but with ``ll``, in more letters than abbreviations have.
_DOUBLED = re.compile(r"([bcdfgjkmnpqrstvz])\1[a-z]{3}")


#: What is left of a noun in ``tion`` or ``sion``, and the words that end so.
_NOUN = re.compile(r"[a-z]{4,}[ts]i")
_PLURALS = "alti anti cogniti digerati divisi donati glitterati graffiti illuminati literati"


def may_be_other_word(head: str, tail: str, locale: Locale = "en") -> bool:
    """Whether ``head`` and ``tail`` (small letters) may mean something else as one word."""
    if not head or not tail or (len(head) == 1 and len(tail) == 1):
        return False  # Letters set apart, one by one.
    begins = head in _words(_BEGINNINGS) and tail not in lexicon_of(locale).function_words
    return begins or (len(head) > 1 and tail in _words(_ENDINGS))


def are_parts_of_one(head: str) -> bool:
    """Whether ``head`` is no word by itself: ``re levant`` can only be meant as one word."""
    return head in _words(_PARTS)


def begins_no_word(tail: str) -> bool:
    """Whether letters can only be the rest of a word: none begins so (``a ccommodate``)."""
    return _DOUBLED.match(tail) is not None


def ends_no_word(head: str) -> bool:
    """Whether letters before ``on`` can only be the beginning of a word (``terminati on``)."""
    return _NOUN.fullmatch(head) is not None and head not in _words(_PLURALS)


def stay_apart_in_a_run(head: str, tail: str, locale: Locale = "en") -> bool:
    """Whether two words of a run of three or more without blanks cannot be read as another one."""
    if head in _words(_SMALL):
        return tail not in _words(_TURNED)
    if tail in _words(_SMALL):
        return True
    return not may_be_other_word(head, tail, locale)


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())
