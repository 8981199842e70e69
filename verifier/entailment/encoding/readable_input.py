"""Is this text something that the model can read at all? If not, it is NOT_RUN and never judged.

A model gives a number for anything: for bytes, for another language, for a claim whose every word
it replaces by "unknown". Each gate errs on the side of reading: names, numbers, formulae, tables,
code and sentences of mixed language go through. Only what the model plainly cannot read is refused.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from py3langid.langid import LanguageIdentifier

#: Part of the runtime's name: other gates may leave other pairs unread.
VERSION = 1
#: More code points than these are not even tokenised: a claim has room for 512 tokens at most, a
#: premise for a thousand windows.
MAX_CLAIM, MAX_PREMISE = 20_000, 1_000_000
#: Share of a text's characters that may be controls, replacement characters or unassigned.
_MAX_STRAY_SHARE = 0.05
#: A run of so many letters and digits is no word; a text that is half of such runs is encoded data.
_LONGEST_WORD, _MAX_RUN_SHARE = 200, 0.5
#: A text is in a foreign script where this share of its letters is, and at least so many.
_FOREIGN_LETTER_SHARE, _FOREIGN_LETTERS = 0.3, 8
#: Language is asked only of texts with so many ordinary words: fewer say too little.
_LEAST_WORDS, _LEAST_LOWER_WORDS = 6, 4
#: One English function word in so many words, and a text counts as English unasked.
_ENGLISH_WORD_IN = 10
#: Refused where the probability of all declared languages together is below this. Of English texts
#: of the development pairs 2 in 6,409 lie below, of foreign sentences of eight words all.
_LEAST_PROBABILITY = 1e-3
#: What the identifier calls lists of species, code and word salad: never grounds for refusing.
_NO_LANGUAGE = frozenset({"la", "zxx", "pcm", "eo", "vo"})
#: ISO 639-1 codes of languages in Latin letters; where another is declared, scripts say nothing.
_LATIN_CODES = (
    "af ca cs da de en es et eu fi fr ga hr hu id is it lt lv ms nl no pl pt ro sk sl sq sv tr vi"
)
_LATIN = frozenset(_LATIN_CODES.split())
#: Words of grammar that English does not share with its neighbours.
_ENGLISH = (
    "the of and to that with for are were from which this not it be been has have had their they"
    " but or at who would will an his her she its than these those there into about after when"
    " while shall may can could should"
)
_ENGLISH_WORDS = frozenset(_ENGLISH.split())
_STRAY_CATEGORIES = frozenset({"Cc", "Cn", "Co"})
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_UNPLAIN = re.compile(r"[^\s -~]")
_WORD = re.compile(r"(?<![\w.@/\\])[^\W\d_]{2,}(?![\w@/\\(])")
_RUN = re.compile(rf"[A-Za-z0-9+/=_-]{{{_LONGEST_WORD},}}")
_LETTER_RUN = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class InputGate:
    """What one model reads: ``languages`` as its card declares them, empty where it does not.

    Without a declaration any language goes through, but bytes and noise never do.
    """

    languages: tuple[str, ...] = ()
    unknown_token: int | None = None

    @property
    def description(self) -> str:
        """Its part of the runtime's name."""
        return "-".join(("gate", str(VERSION), *self.languages))

    def refuse_texts(self, premise: str, claim: str) -> str | None:
        """Why the pair is not read, or None."""
        if len(claim) > MAX_CLAIM:
            return "claim_too_long"
        if len(premise) > MAX_PREMISE:
            return "premise_too_long"
        if not is_text(claim):
            return "claim_not_text"
        if not is_text(premise):
            return "premise_not_text"
        if is_foreign(claim, self.languages):
            return "claim_language"
        if is_foreign(premise, self.languages):
            return "premise_language"
        return None

    def refuse_tokens(self, claim: Sequence[int]) -> str | None:
        """Why the claim's tokens are not read, or None."""
        if self.languages and self.unknown_token is not None:
            unknown = sum(token == self.unknown_token for token in claim)
            if unknown > len(claim) / 2:
                return "claim_unknown_tokens"
        return None


def is_text(text: str) -> bool:
    """False for bytes read as characters, broken surrogates, and encoded data."""
    if _SURROGATE.search(text):
        return False
    solid = sum(map(len, text.split()))
    stray = sum(
        letter == _REPLACEMENT or unicodedata.category(letter) in _STRAY_CATEGORIES
        for letter in _UNPLAIN.findall(text)
    )
    encoded = sum(map(len, _RUN.findall(text)))
    # Nothing at all is let through here: it has a reason of its own.
    return stray <= _MAX_STRAY_SHARE * solid and encoded <= _MAX_RUN_SHARE * solid


def is_foreign(text: str, languages: Sequence[str]) -> bool:
    """Whether the text is plainly in another language than these; False for an empty list."""
    if not languages:
        return False
    if _LATIN.issuperset(languages) and _is_foreign_script(text):
        return True
    words = _WORD.findall(text)
    if len(words) < _LEAST_WORDS or sum(word[0].islower() for word in words) < _LEAST_LOWER_WORDS:
        return False
    if "en" in languages:
        english = sum(word.lower() in _ENGLISH_WORDS for word in words)
        if english * _ENGLISH_WORD_IN >= len(words):
            return False
    return _probability(" ".join(words), languages) < _LEAST_PROBABILITY


def _is_foreign_script(text: str) -> bool:
    if text.isascii():
        return False
    letters = sum(letter.isalpha() for letter in text)
    foreign = sum(not _is_latin(letter) for run in _LETTER_RUN.findall(text) for letter in run)
    return foreign >= _FOREIGN_LETTERS and foreign > _FOREIGN_LETTER_SHARE * letters


@functools.lru_cache(maxsize=4096)
def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith(("LATIN", "MODIFIER"))


def _probability(text: str, languages: Iterable[str]) -> float:
    accepted = _NO_LANGUAGE.union(languages)
    ranked = _identifier().rank(text)
    return sum(float(share) for language, share in ranked if language in accepted)


@functools.cache
def _identifier() -> LanguageIdentifier:
    # Its tables take half a second to unpack: only a process that meets a doubtful text pays.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
