"""One name of a claim replaced: by another of the premise, or by one that the premise lacks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from training.variants.mutation_words import MONTHS, NAMES

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    NameRule = Callable[[str, str, random.Random], Iterator[tuple[int, int, str]]]

_NAME = re.compile(
    r"\b[A-Z][a-z]+(?:['’-][A-Z]?[a-z]+)?(?: (?:[A-Z]\. )?[A-Z][a-z]+(?:-[A-Z][a-z]+)?)*\b"
)
#: Words that open a sentence and are no names.
_OPENER = re.compile(
    r"(?:The|A|An|In|On|At|It|He|She|They|This|That|There|These|Those|His|Her|Its|Their|We|You|I|If"
    r"|When|Some|All|Most|Many|No|Not|Both|Each|Every|Two|Three|People|Man|Men|Woman|Women|Person)"
)


def swap_names(premise: str, claim: str, rng: random.Random) -> Iterator[tuple[int, int, str]]:
    """Another name of the premise, of as many words, that shares no word with the claim."""
    inner = _names_within(premise)
    for match in _names(claim):
        # Without punctuation: "China." at a claim's end is China.
        words = set(re.findall(r"[\w'’-]+", claim))
        rivals = sorted(
            name
            for name in inner
            if not set(name.split()) & words and len(name.split()) == len(match.group().split())
        )
        if rivals and match.group() in inner:
            yield *match.span(), rng.choice(rivals)


def draw_names(premise: str, claim: str, rng: random.Random) -> Iterator[tuple[int, int, str]]:
    """A name that the premise does not hold."""
    inner = _names_within(premise)
    for match in _names(claim):
        new = rng.choice(NAMES[len(match.group().split()) > 1])
        if match.group() in inner and not any(word in premise for word in new.split()):
            yield *match.span(), new


def _names(text: str) -> list[re.Match[str]]:
    return [
        match
        for match in _NAME.finditer(text)
        if not _OPENER.fullmatch(match.group().split()[0]) and match.group() not in MONTHS
    ]


def _names_within(premise: str) -> set[str]:
    """Names within a sentence that the premise always writes the same way."""
    words = set(re.findall(r"[a-z]+", premise))
    return {
        match.group()
        for match in _names(premise)
        if re.search(r"[a-z,;] $", premise[max(0, match.start() - 2) : match.start()])
        and not {word.lower() for word in match.group().split()} & words
    }
