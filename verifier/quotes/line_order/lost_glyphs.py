"""Glyphs that a reader has no character for: a place of one glyph that a chunk says nothing of.

Readers write a control character or U+FFFD for it. Such a glyph may stand where our text has one
symbol that is no sign and inside no word or number, one ligature of letters, or one glyph that is
unreadable to us too. Never for a digit, a sign or a letter, and never for nothing.

Other readers write a name for it. ``(cid:2)`` and ``/G02`` are the control character of that
number, ``(cid:153)`` a glyph that is U+FFFD to us, ``/f_i`` the ligature ``fi``. A name is read
only as the glyph that it names: never as a symbol, so no figure of it is passed over.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import DASHES, MatchView, ligatures
from spanproof.core.span import Span
from spanproof.verifier.language.protected import NUMBER_SIGNS, unfoldable_words
from spanproof.verifier.quotes.side_by_side import first_word, last_word

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTROL = re.compile("[\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
#: Controls that are no white space and no lost hyphen, and U+FFFD.
_LOST = re.compile("[\x00-\x01\x03-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd]")
#: Names of glyphs: by number in their font (pdfminer), by code or by letters (pypdf).
_NAMES = re.compile(r"\(cid:([0-9]{1,5})\)|/G([0-9A-F]{2})|/(f_f_[il]|f_[fil])")
#: The share of a chunk's letters that so many glyphs may be, and the letters of a ligature.
_MOST_LOST, _LONGEST = 0.02, 3
_LIGATURES = frozenset({"ff", "fi", "fl", "ffi", "ffl"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableQuote:
    """What a chunk says beside its lost glyphs: stretches of it, and the letters of each."""

    stretches: tuple[Span, ...]
    letters: tuple[str, ...]
    longest: int
    """At most so many letters of an order are the chunk's."""
    _pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, quote: str, *, lost: bool = True) -> ReadableQuote | None:
        """None where nothing is left, or too much is lost; not ``lost``: every character counts."""
        marks = (at for match in _LOST.finditer(quote) for at in match.span()) if lost else ()
        edges = [0, *marks, len(quote)]
        spans = [Span(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True)]
        texts = [MatchView.of(quote[span.start : span.end]).text for span in spans]
        kept = [at for at, text in enumerate(texts) if text]
        if not kept or len(spans) - 1 > _MOST_LOST * sum(map(len, texts)):
            return None
        # Glyphs that are lost at the chunk's ends are not looked for.
        pattern = f"({re.escape(texts[kept[0]])})"
        for one, other in pairwise(kept):
            pattern += f".{{1,{_LONGEST * (other - one)}}}?({re.escape(texts[other])})"
        return cls(
            stretches=tuple(spans[at] for at in kept),
            letters=tuple(texts[at] for at in kept),
            longest=sum(map(len, texts)) + _LONGEST * len(spans),
            _pattern=re.compile(pattern, re.DOTALL) if len(kept) > 1 else None,
        )

    @property
    def is_lossy(self) -> bool:
        """Whether a glyph is lost between two stretches."""
        return len(self.stretches) > 1

    def find_in(self, letters: str) -> Iterator[tuple[Span, ...]]:
        """Where the stretches stand in the letters of an order; overlapping places too."""
        if self._pattern is None:
            (wanted,) = self.letters
            at = letters.find(wanted)
            while at >= 0:
                yield (Span(at, at + len(wanted)),)
                at = letters.find(wanted, at + 1)
            return
        match = self._pattern.search(letters)
        while match is not None:
            yield tuple(Span(*match.span(n + 1)) for n in range(len(self.stretches)))
            match = self._pattern.search(letters, match.start() + 1)


def read_glyph_names(quote: str) -> Iterator[str]:
    """A chunk with the glyphs that its names may stand for; nothing where it has no name."""
    by_number = _NAMES.sub(_named, quote)
    if by_number != quote:
        yield by_number
    unmapped = _NAMES.sub(lambda name: "\ufffd" if name[1] else _named(name), quote)
    if unmapped not in {quote, by_number}:
        yield unmapped


def without_glyph_names(text: str) -> str:
    """A text with U+FFFD for each numbered name: such a number is no figure of a document."""
    return _NAMES.sub(lambda name: name[0] if name[3] else "\ufffd", text)


def _named(name: re.Match[str]) -> str:
    if name[3]:
        return name[3].replace("_", "")
    glyph = chr(int(name[1]) if name[1] else int(name[2], 16))
    return glyph if _CONTROL.match(glyph) else name[0]


def may_be_lost(quote: str, before: Span, behind: Span, there: str) -> bool:
    """Whether what our text has between two stretches of a chunk may be the glyphs lost there.

    ``there`` are our characters at the place; a ligature is one.
    """
    count = len(_LOST.findall(quote, before.end, behind.start))
    if count == 1 and (there in _LIGATURES or (len(there) == 1 and there in ligatures())):
        letters = ligatures().get(there, there)
        word = last_word(quote[: before.end]) + letters + first_word(quote[behind.start :])
        return letters.isalpha() and word not in unfoldable_words()
    left, right = quote[before.end - 1], quote[behind.start]
    inside = left.isnumeric() or right.isnumeric() or (left.isalpha() and right.isalpha())
    return not inside and len(there) == count and all(map(_is_symbol, there))


def _is_symbol(character: str) -> bool:
    """Whether a character says nothing: no letter, digit, sign, dash or direction of writing."""
    kind = unicodedata.category(character)
    says_nothing = kind[0] in "PS" or kind in {"Cc", "Co"}
    return says_nothing and character not in NUMBER_SIGNS and character not in DASHES
