"""Subjects that do in one text what is done to them in the other: was sued, sued."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.language.irregular_verbs import BASES
from spanproof.verifier.slots.roles.lines import is_participle, read_lines
from spanproof.verifier.slots.roles.swaps import SYMMETRIC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.alignment import Alignment, Doubt
    from spanproof.verifier.slots.words import Words

#: A word that begins an object; without one "closed" and "was closed" may be one.
_DETERMINERS = frozenset({"the", "a", "an", "its", "his", "her", "their", "all", "every", "each"})
_LEAST_SHARE = 0.6
#: How many words of a subject are read.
_MAX_SUBJECT = 3


@dataclass(frozen=True, slots=True)
class _Use:
    """A verb with its subject: in which voice, and where both stand."""

    verb: str
    subject: frozenset[str]
    passive: bool
    span: Span

    def meets(self, other: _Use) -> bool:
        """Whether both tell of one subject and one verb."""
        if self.verb != other.verb:
            return False
        return self.subject <= other.subject or other.subject <= self.subject


def doubt_voices(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where the sentences beside the claim's have its subject in the other voice only."""
    claim, premise = alignment.claim, alignment.premise
    for index in claim.opens:
        ours = list(_find_uses(claim, *claim.sentence(index), locale))
        if not ours:
            continue
        theirs = [
            use
            for each in alignment.best(index)
            if each.share >= _LEAST_SHARE
            for use in _find_uses(premise, each.first, each.last, locale)
        ]
        for use in ours:
            uses = [other for other in theirs if use.meets(other)]
            if uses and all(other.passive != use.passive for other in uses):
                yield alignment.doubt("likely", "unconfirmed_roles", use.span, uses[0].span)


def _find_uses(words: Words, first: int, last: int, locale: Locale) -> Iterator[_Use]:
    line = read_lines(words.text, first, last, locale)[0]
    for index in range(1, len(line)):
        verb, before = line[index], line[index - 1]
        base = verb.key.removesuffix("<")
        if not verb.content or base in SYMMETRIC:
            continue
        if before.key in {"be", "get"} and is_participle(words.words[verb.place].text):
            end, passive = index - 1, True
        elif _takes_object(words, verb.place, last):
            end, passive = index, False
        else:
            continue
        start = end
        while start > max(0, end - _MAX_SUBJECT) and line[start - 1].content:
            start -= 1
        if start < end:
            subject = frozenset(step.key for step in line[start:end])
            span = Span(words.words[line[start].place].start, words.words[verb.place].end)
            yield _Use(base, subject, passive, span)


def _takes_object(words: Words, place: int, last: int) -> bool:
    """Whether a past form stands before what may be its object."""
    text = words.words[place].text
    if place + 1 >= last or not (text.endswith("ed") or text in BASES):
        return False
    following = words.words[place + 1]
    return following.text in _DETERMINERS or (following.capital and following.content)
