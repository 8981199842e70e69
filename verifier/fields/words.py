"""Words of a text for matching: letter case folded, white space as one blank, word ends known.

Everything is compared in the folded text and reported in code points of the given text.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Join what stands on both sides into one word: ``non-compliant`` does not say ``compliant``.
_HYPHENS = frozenset("-\N{HYPHEN}\N{NON-BREAKING HYPHEN}")
#: Invisible within a word: joiners and the soft hyphen.
_INVISIBLE = frozenset("\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}\N{SOFT HYPHEN}")
#: Scripts that write without spaces (Thai and Lao, kana, Han): where a word ends is not shown.
_UNSPACED = ((0x0E00, 0x0EFF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF))
_UNSPACED_PLANES = (0x20000, 0x3FFFF)


class Occurrence(NamedTuple):
    """A place of the text; ``is_bounded`` is false where the script does not show word ends."""

    span: Span
    is_bounded: bool


def gather_words(text: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(text.split())


@lru_cache(maxsize=4096)
def is_word_character(character: str) -> bool:
    """Whether it continues a word: letters, digits, marks, underscores, invisible joiners."""
    category = unicodedata.category(character)
    return category[0] in "LNM" or category == "Pc" or character in _INVISIBLE


@lru_cache(maxsize=4096)
def _is_unspaced(character: str) -> bool:
    code = ord(character)
    first, last = _UNSPACED_PLANES
    return first <= code <= last or any(start <= code <= end for start, end in _UNSPACED)


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    # Character by character, so that places stay known; a composed letter equals its parts.
    return unicodedata.normalize("NFD", character).casefold()


def is_spaced(text: str) -> bool:
    """Whether no character is of a script that writes without spaces."""
    return text.isascii() or not any(_is_unspaced(character) for character in set(text))


def fold(text: str) -> str:
    """Letter case folded, composed letters in parts, runs of white space as one blank."""
    return FoldedText.of(text).folded.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedText:
    """A text, its folded form, and for each folded character the place that it came from."""

    text: str
    folded: str
    origins: list[int] | range
    is_spaced: bool

    @classmethod
    def of(cls, text: str) -> FoldedText:
        """Fold a text."""
        if text.isascii() and "  " not in text and not any(c in text for c in "\t\n\r\v\f"):
            places = range(len(text) + 1)
            return cls(text=text, folded=text.lower(), origins=places, is_spaced=True)
        pieces: list[str] = []
        origins: list[int] = []
        in_space = False
        for place, character in enumerate(text):
            if character.isspace():
                if not in_space:
                    pieces.append(" ")
                    origins.append(place)
                in_space = True
                continue
            in_space = False
            piece = _fold_character(character)
            pieces.append(piece)
            origins.extend([place] * len(piece))
        origins.append(len(text))
        folded = "".join(pieces)
        return cls(text=text, folded=folded, origins=origins, is_spaced=is_spaced(folded))

    def find(self, needle: str) -> Iterator[Occurrence]:
        """Every place where a folded text stands as whole words, in order, none overlapping."""
        if not needle:
            return
        start = self.folded.find(needle)
        while start >= 0:
            end = start + len(needle)
            before, after = self._check_edge(start), self._check_edge(end)
            if before is None or after is None or self._follows_hyphen(start):
                start = self.folded.find(needle, start + 1)
                continue
            yield Occurrence(self.to_span(start, end), before and after)
            start = self.folded.find(needle, end)

    def to_span(self, start: int, end: int) -> Span:
        """The place in the text of a stretch of the folded one."""
        last = self.origins[end - 1] + 1 if end > start else self.origins[start]
        return Span(self.origins[start], last)

    def _check_edge(self, place: int) -> bool | None:
        """Whether a word may end here: False if the script does not show it, None if it cannot."""
        if place in (0, len(self.folded)):
            return True
        before, after = self.folded[place - 1], self.folded[place]
        if unicodedata.category(after)[0] == "M":
            return None
        if not (is_word_character(before) and is_word_character(after)):
            return True
        unspaced = _is_unspaced(before) + _is_unspaced(after)
        return None if unspaced == 0 else unspaced == 1

    def _follows_hyphen(self, start: int) -> bool:
        return (
            start > 1
            and self.folded[start - 1] in _HYPHENS
            and is_word_character(self.folded[start])
            and is_word_character(self.folded[start - 2])
        )


def find_letter_words(folded: FoldedText) -> Iterator[tuple[str, Span]]:
    """Runs of letters with their marks; none touches a digit or an underscore."""
    text, place = folded.folded, 0
    while place < len(text):
        if not is_word_character(text[place]):
            place += 1
            continue
        start = place
        while place < len(text) and is_word_character(text[place]):
            place += 1
        word = text[start:place]
        if all(unicodedata.category(character)[0] in "LM" for character in word):
            yield word, folded.to_span(start, place)


def count_letters(word: str) -> int:
    """Letters of a word, its marks not counted."""
    return sum(unicodedata.category(character)[0] == "L" for character in word)
