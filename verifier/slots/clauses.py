"""Terms of a claim that stand side by side in one sentence, or in one clause out of it.

An answer seldom repeats a long sentence whole. It leaves out an insertion in brackets or commas,
the first part of a list ("is stored in Rome and copied to Bonn": is copied to Bonn), or who does
it ("the board passed the bill": the bill was passed).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.verifier.claims.verb_forms import BE, FINITE, HAVE
from spanproof.verifier.language.plain_words import DENIALS, OPERATORS
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.changes import loses_part
from spanproof.verifier.slots.taken.edges import (
    ends_alone,
    is_one_amount,
    is_taken_whole,
    is_undivided,
)
from spanproof.verifier.slots.taken.function_words import keeps_small_words
from spanproof.verifier.slots.taken.shortened import is_left_out
from spanproof.verifier.slots.taken.small_words import HEDGING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term
    from spanproof.verifier.slots.words import Word


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: "The board (which met in May) decided": what is skipped is an insertion with its own marks.
_INSERTION = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|,[^,;:]*,|[–—][^–—]*[–—]")
_COORDINATORS = _words("and but")
_PREPOSITIONS = _words(
    "at by during for from in on to under until with within without after before"
)
_ARTICLES = _words("a an the its his her their this these")
#: A second part that begins with one of these speaks of something else.
_OTHER_SUBJECTS = _words("he she it they we you i who which that there this these those")
#: Before a list: its parts hold together only, or not each.
_JOINTLY = _words("both between either jointly neither together combined total joint")
#: In what is left out: it may govern the rest ("wants to buy A and sell B").
_GOVERNORS = OPERATORS | _words(
    "that if whether when because who whom whose which where although though than as before after "
    "since while or either both between jointly together combined respectively total each once "
    "said says say claims claimed only"
)
#: What may stand behind a part of a list without being its verb.
_ENDS = _PREPOSITIONS | _COORDINATORS | _words("or as since per while which who including of")
#: At most so many places of a word are tried.
_MAX_PLACES = 12
#: What is left out of a list without a verb before it, or in its middle, is short.
_MAX_ITEM = 6
_HOLDING = BE | HAVE
#: Quotation marks and the like: what stands behind them is another's.
_APART = re.compile(r"[;:\"“”]")
_MODALS = _words("may might can could must shall should will would")


def follow(
    terms: Sequence[Term], source: Content, start: int, *, shortened: bool | None = None
) -> list[int] | None:
    """The places of the terms side by side in the sentence of a start; None if they are not.

    Unless ``shortened`` is None, titles of names may stand between them; if it is True, whatever
    only adds to what they say.
    """
    path = _grow(terms, source, start, shortened=shortened)
    return path if len(path) == len(terms) else None


def _grow(
    terms: Sequence[Term], source: Content, start: int, *, shortened: bool | None = None
) -> list[int]:
    """The places of as many of the first terms as stand side by side."""
    path = [start]
    for one, term in pairwise(terms):
        nth = bisect_right(term.places, path[-1])
        place = term.places[nth] if nth < len(term.places) else None
        if place is None or source.sentences[place] != source.sentences[start]:
            break
        if _leaves_insertion(source, start, path[-1], place):
            break
        if not _is_beside(source, path[-1], place, one, term) and not (
            shortened is not None
            and is_left_out(terms, source, path, place, only_names=not shortened)
        ):
            break
        path.append(place)
    return path


def _leaves_insertion(source: Content, start: int, first: int, second: int) -> bool:
    """Whether an insertion that began before the path ends between two of its places.

    "Moss, who replaced Hill, leads the unit" does not say that Hill leads it.
    """
    words, text = source.words.words, source.words.text
    gap = text[words[first].end : words[second].start]
    return (
        gap.strip() == ","
        and _is_verb(words[second].text)
        and "," not in text[words[start].start : words[first].end]
    )


def _is_beside(source: Content, first: int, second: int, one: Term, other: Term) -> bool:
    """Whether nothing that says something is between, but the rest of a phrase or an insertion."""
    between = [
        place
        for place in range(first + 1, second)
        if not source.empty[place] and place not in one.places and place not in other.places
    ]
    if not between:
        return True
    words = source.words.words
    start, end = words[first].end, words[second].start
    inserted = _INSERTION.search(source.words.text, start, end)
    if any(words[place].text in HEDGING for place in between):
        return False
    return (
        inserted is not None
        and inserted.start() <= words[between[0]].start
        and words[between[-1]].end <= inserted.end()
    )


def is_listed(terms: Sequence[Term], claim: Content, source: Content) -> bool:
    """Whether the terms are the shared beginning of a list and a later part of it."""
    for start in terms[0].places[:_MAX_PLACES]:
        grown = _grow(terms, source, start)
        # "Number one in Spain and number four in Italy": the last word may be of either part.
        for head in (grown, grown[:-1]):
            rest = terms[len(head) :]
            for place in rest[0].places[:_MAX_PLACES] if head and rest else ():
                if place <= head[-1] or source.sentences[place] != source.sentences[start]:
                    continue
                tail = follow(rest, source, place)
                if (
                    tail is not None
                    and _is_next_part(source, head, tail)
                    and is_taken_whole(terms, claim, source, head[0], tail[-1])
                    and not loses_part(terms, claim, source, head[0], tail[-1] + 1)
                    and keeps_small_words(
                        terms,
                        claim,
                        source,
                        range(head[0], head[-1] + 1),
                        range(tail[0], tail[-1] + 1),
                    )
                ):
                    return True
    return False


def _is_next_part(source: Content, head: list[int], tail: list[int]) -> bool:
    words, text = source.words.words, source.words.text
    begin = tail[0]
    while begin > head[-1] + 1 and source.empty[begin - 1]:
        if words[begin - 1].text in _COORDINATORS or source.words.is_cut_after(begin - 1):
            break
        begin -= 1
    joint = words[begin - 1].text
    end = begin - 1 if joint in _COORDINATORS else begin
    skipped = [word.text for word in words[head[-1] + 1 : end]]
    lead = [word.text for word in words[begin : tail[0] + 1]]
    is_amount = is_one_amount(source, head[-1], head[-1] + 1) or (
        is_one_amount(source, end - 1, tail[0])
    )
    if (
        not skipped
        or is_amount
        # "On weekdays and at night on Sundays and holidays": a list within the second part.
        or skipped[0] in _COORDINATORS
        or not _OTHER_SUBJECTS.isdisjoint(lead)
        or not _is_end(source, tail[-1])
    ):
        return False
    first = words[head[-1] + 1].start
    if text[words[head[-1]].end : first].strip() or _APART.search(text, first, words[begin].start):
        return False
    if _governs(source, range(head[-1] + 1, end), joint):
        return False
    opening = range(source.sentences.index(source.sentences[head[0]]), head[-1] + 1)
    said = {words[place].text for place in opening}
    if not said.isdisjoint(_JOINTLY) or (joint == "but" and not said.isdisjoint(DENIALS)):
        return False
    before = {word.text for word in words[head[0] : head[-1] + 1]}
    has_verb, is_short = not FINITE.isdisjoint(before), len(skipped) <= _MAX_ITEM
    if joint not in _COORDINATORS:
        # "A lamp, two batteries and a charger": one of the middle, and no clause of its own.
        return (
            text[words[end - 1].end : words[begin].start].strip() == ","
            and is_short
            and (has_verb or skipped[0] in _HOLDING)
            and FINITE.isdisjoint(skipped[1:])
        )
    if _is_verb(lead[0]):
        # "Sold A and bought B": the subject is shared.
        return has_verb or _is_verb(skipped[0])
    if has_verb:
        # "Adopted in 1991 and amended in 2003 and 2014": 2014 belongs to the last verb.
        return not any(
            word.text in _COORDINATORS and _is_verb(words[place + 1].text)
            for place, word in enumerate(words[head[-1] + 1 : end], start=head[-1] + 1)
        )
    return _is_verb(skipped[0]) and (lead[0] in _PREPOSITIONS or is_short)


def _is_verb(word: str) -> bool:
    return word in FINITE or is_participle(word)


def _governs(source: Content, places: range, joint: str) -> bool:
    """Whether words that are left out may turn what stands behind them, or plan it."""
    words = source.words.words
    governors = _GOVERNORS - DENIALS if joint == "but" else _GOVERNORS
    return any(
        words[place].text in governors
        or words[place].text.endswith("n't")
        or (words[place].text == "to" and not _is_noun(words[place + 1]))
        for place in places
    )


def _is_noun(word: Word) -> bool:
    return word.text in _ARTICLES or word.capital or word.text[0].isdigit()


def _is_end(source: Content, place: int) -> bool:
    words = source.words.words
    if place + 1 == len(words) or source.sentences[place + 1] != source.sentences[place]:
        return True
    gap = source.words.text[words[place].end : words[place + 1].start]
    return bool(gap.strip()) or words[place + 1].text in _ENDS


def is_passive_of(terms: Sequence[Term], claim: Content, source: Content) -> bool:
    """Whether the claim says of a verb's object what the source says of who does it."""
    ours, theirs = claim.words.words, source.words.words
    for cut in range(1, len(terms)):
        verb, _ = claim.words.within(terms[cut].span)
        text, behind = ours[verb].text, {word.text for word in ours[verb:]}
        if not verb or ours[verb - 1].text not in BE | {"be", "been"} or not is_participle(text):
            continue
        order = [terms[cut], *terms[:cut], *terms[cut + 1 :]]
        for start in terms[cut].places[:_MAX_PLACES]:
            path = follow(order, source, start)
            if path is None or not start or theirs[start].text.endswith("ing"):
                continue
            if "by" in behind and all(word.text != "by" for word in theirs[start:]):
                continue
            if theirs[start - 1].text in BE | {"to", "by", "be", "been", "being"}:
                continue
            if (
                _is_head(source, path[cut])
                and _is_plain(claim, source, start)
                and ends_alone(terms, claim, source, path[-1])
                and is_undivided(claim, source, start)
            ):
                return True
    return False


def _is_head(source: Content, place: int) -> bool:
    """Whether no further word of the object follows: the budget, not the budget committee."""
    words = source.words.words
    if place + 1 < len(words) and words[place].text.endswith("'s"):
        return False
    return _is_end(source, place)


def _is_plain(claim: Content, source: Content, verb: int) -> bool:
    """Whether nothing before the verb turns it, but a modal that the claim has, too."""
    first = verb
    while first and source.sentences[first - 1] == source.sentences[verb]:
        first -= 1
    before = {word.text for word in source.words.words[first:verb]}
    # A month's name says nothing of how sure it is.
    said = {word.text for word in claim.words.words if not word.capital}
    turned = before & (_GOVERNORS - _MODALS)
    return not turned and (before.isdisjoint(_MODALS) or not said.isdisjoint(_MODALS))
