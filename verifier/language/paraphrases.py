"""The table of synonyms as what two texts share: a group's key for a word or for a phrase."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.language import synonyms
from spanproof.verifier.language.word_forms import root_of, roots_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """The roots of a phrase's words and the key of its group."""

    roots: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paraphrases:
    """The keys of single words by their root, phrases by the root of their first word."""

    words: Mapping[str, tuple[str, ...]]
    capitals: Mapping[str, tuple[str, ...]]
    phrases: Mapping[str, tuple[Phrase, ...]]
    kinds: Mapping[str, tuple[str, ...]]


@cache
def read_paraphrases() -> Paraphrases:
    """The tables, cut up once."""
    words: dict[str, list[str]] = {}
    capitals: dict[str, list[str]] = {}
    phrases: dict[str, list[Phrase]] = {}
    for number, row in enumerate(filter(None, synonyms.ENGLISH.splitlines())):
        key = f"={number}"
        for member in row.split(","):
            roots = tuple(root_of(word) for word in _WORD.findall(member.lower()))
            if len(roots) > 1:
                phrases.setdefault(roots[0], []).append(Phrase(roots=roots, key=key))
            elif roots:
                table = capitals if member.strip().isupper() else words
                table.setdefault(roots[0], []).append(key)
    kinds: dict[str, list[str]] = {}
    for row in filter(None, synonyms.ENGLISH_KINDS.splitlines()):
        general, _, specific = row.partition(":")
        for word in specific.split():
            kinds.setdefault(root_of(word), []).append(f">{root_of(general)}")
    return Paraphrases(
        words=_freeze(words),
        capitals=_freeze(capitals),
        phrases=MappingProxyType(
            {
                first: tuple(sorted(found, key=lambda phrase: -len(phrase.roots)))
                for first, found in phrases.items()
            }
        ),
        kinds=_freeze(kinds),
    )


def _freeze(table: dict[str, list[str]]) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({word: tuple(found) for word, found in table.items()})


@lru_cache(maxsize=65_536)
def keys_of(word: str, *, is_upper: bool = False) -> frozenset[str]:
    """What a lower-case word shares with its other forms and with its synonyms.

    ``is_upper``: it is written in capitals, so that US and WHO are the names and not the pronouns.
    """
    table = read_paraphrases()
    if is_upper and (named := table.capitals.get(word)):
        return frozenset(named)
    roots = roots_of(word)
    return frozenset({*roots, *(key for root in roots for key in table.words.get(root, ()))})


@lru_cache(maxsize=65_536)
def kinds_of(word: str) -> frozenset[str]:
    """The keys of the general words that a particular word is one of."""
    table = read_paraphrases()
    return frozenset(key for root in roots_of(word) for key in table.kinds.get(root, ()))
