"""The small word before a word that says how it belongs to the rest: by, from, until, with.

"Sent to the bank" has every other word of "sent by the bank", and "by 30 June" of "from 30 June".
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.claims.verb_forms import BE
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.small_words import (
    CONTRARY,
    DETERMINERS,
    KINDS_OF_PLACE,
    PREPOSITIONS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term

#: A preposition governs a word at most so far behind it.
_MAX_LED = 5
_MARKED = re.compile(r"[^\s\w'’-]")
#: Prepositions of which one may stand for the other.
_ALIKE = tuple(
    frozenset(row.split())
    for row in (
        "in at on within",
        "in during over",
        "for during over",
        "in into",
        *(f"of {word}" for word in ("in", "at", "for", "by", "on", "about", "from", "among")),
        "on onto to",
        "in under",
        "in among between amid",
        "via through",
        "about on",
        "from since",
        "until till",
        "near beside",
        "toward towards to",
        "above over",
        "below under",
    )
)
_TIMING = frozenset({"since", "until", "till", "upon"})
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
#: "By 30 June" is not "from 30 June", and neither is "on 30 June".
_LIMITS = MappingProxyType(
    {"by": "by", "from": "from", "since": "from", "until": "until", "till": "until"}
)


def keeps_markers(
    terms: Sequence[Term], places: Sequence[int], claim: Content, source: Content
) -> bool:
    """Whether no word stands behind "for" in the one text and behind "by" in the other.

    ``places`` are those of the terms, in their order. A word without such a marker on either side
    tells nothing.
    """
    for term, place in zip(terms, places, strict=True):
        index, _ = claim.words.within(term.span)
        ours, theirs = find_marker(claim, index), _find_leading_marker(source, place)
        if theirs in CONTRARY.get(ours, ()):
            return False
        # "Responsible for keeping", "the duty to keep": no two directions.
        is_verb = "ing" in {claim.words.words[index].text[-3:], source.words.words[place].text[-3:]}
        # "By the farmer's wife", "from the farmer's wife".
        find = _find_leading if _owns(claim, index) and _owns(source, place) else find_marker
        if not is_verb and _differ(find(claim, index), find(source, place)):
            return False
        # "Important to her, important for her"; but sold to Google is not sold for Google.
        if source.words.words[place].capital and {ours, theirs} == {"to", "for"}:
            return False
    return True


def keeps_dates(
    terms: Sequence[Term], places: Sequence[int], claim: Content, source: Content
) -> bool:
    """Whether no deadline of the one text is a beginning or an end, or a day, in the other.

    ``places`` are those of the source from which each date may be.
    """
    held = set(places)
    for term in terms:
        index, _ = claim.words.within(term.span)
        dates = [at for at in held.intersection(term.places) if _is_date(source, at)]
        if not _is_date(claim, index) or not dates:
            continue
        if all(_tell_when(claim, index) != _tell_when(source, at) for at in dates):
            return False
    return True


def _is_date(content: Content, index: int) -> bool:
    return bool(_YEAR.fullmatch(content.words.words[index].text)) or any(
        key.startswith("d:") for key in content.same[index]
    )


def _tell_when(content: Content, index: int) -> str:
    """Whether a date is a deadline, a beginning or an end; empty for anything else."""
    words = content.words.words
    place = index
    while place and (_is_date(content, place) or words[place].text in DETERMINERS):
        place -= 1
    is_led = content.sentences[place] == content.sentences[index]
    return _LIMITS.get(words[place].text, "") if is_led else ""


def _differ(one: str, other: str) -> bool:
    """Whether two prepositions say different things of what they lead."""
    if not one or not other or one == other:
        return False
    return not any({one, other} <= alike for alike in _ALIKE)


def _find_leading_marker(content: Content, index: int) -> str:
    """The preposition before a word or before the words that go with it: by [British author] Berg.

    A verb, a mark or the sentence's beginning ends the search.
    """
    words = content.words.words
    for place in range(index - 1, max(-1, index - _MAX_LED), -1):
        if content.sentences[place] != content.sentences[index]:
            break
        if _MARKED.search(content.words.text, words[place].end, words[place + 1].start):
            break
        if words[place].text == "of" and place and words[place - 1].text == "out":
            return "out"
        if words[place].text in CONTRARY:
            return words[place].text
        if words[place].text in BE | PREPOSITIONS or is_participle(words[place].text):
            break
    return ""


def find_marker(content: Content, index: int) -> str:
    """The preposition before a word, articles left out; ``of`` for an owner; empty without one."""
    return "of" if _owns(content, index) else _find_leading(content, index)


def _owns(content: Content, index: int) -> bool:
    return content.words.words[index].text.endswith(("'s", "’s"))


def _find_leading(content: Content, index: int) -> str:
    words = content.words.words
    place = index - 1
    while place >= 0 and words[place].text in DETERMINERS:
        place -= 1
    if place < 0 or content.sentences[place] != content.sentences[index]:
        return ""
    if words[place].text == "of" and place and words[place - 1].text in KINDS_OF_PLACE:
        # "Near the village of Lund": near Lund.
        return _find_leading(content, place - 1)
    return words[place].text if words[place].text in PREPOSITIONS | _TIMING else ""
