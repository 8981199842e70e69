"""A canonical slice as a reader reads it, for the model and the slots, with the way back.

Typesetting that no reader notices is removed: ligatures are written as their letters (a tokenizer
does not know ``ﬃ``), words and numbers broken at a line end are joined, invisible characters go and
white space that the page does not show, line and page ends are blanks. Letters that only look like
others are those others to a reader: a Cyrillic ``о`` among Latin letters, bold letters for
formulas, full width, a denial written ``n o t`` or ``n0t``. No word, number or sign changes. The
canonical text itself is never touched.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import SOFT_HYPHEN, ZERO_WIDTH
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

_INVISIBLE = "".join(map(re.escape, sorted({*ZERO_WIDTH, SOFT_HYPHEN})))
# Cyrillic, Greek and Armenian letters, and small capitals, with the Latin ones that they look like.
_ALIKE = dict(
    zip(
        "аеорсухіјѕһԁԛԝѵոօАВЕКМНОРСТХУІЈЅοΑΒΕΖΗΙΚΜΝΟΡΤΥΧɑᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
        "aeopcyxijshdqwvnoABEKMHOPCTXYIJSoABEZHIKMNOPTYXaabcdeghijklmnoprstuvwyz",
        strict=True,
    )
)
_LOOKS = "".join(_ALIKE)
# Letters and digits of formulas, of full width, in circles and in squares, and raised words.
_STYLED = (
    "[\U0001d400-\U0001d7ff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u24b6-\u24e9"
    "\U0001f130-\U0001f149]"
)
_DENIALS = frozenset(
    {"not", "never", "none", "nor", "cannot", "without", "except", "unless", "only"}
)
_SPELLED = re.compile(r"[ ._*-]")
_DIGITS_AS_LETTERS = str.maketrans("0134", "oiea")
_MONTHS = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?\s+\d{1,2},$",
    re.IGNORECASE,
)
#: A line-end hyphen between small letters, an invisible character, a line end in a number, a line
#: or page end, a ligature, letters that look like others, a word spelled with gaps or digits.
_TYPESETTING = re.compile(
    rf"(?<=[^\W\d_])[-‐{SOFT_HYPHEN}][ \t]*\n(?=[a-z])|[{_INVISIBLE}]|[\n\f\r]|[\ufb00-\ufb06]"
    rf"|{_STYLED}|[\u2071\u207f\u1d2c-\u1d6a]{{2,}}"
    rf"|(?<=[A-Za-z])[{_LOOKS}]++|(?<![{_LOOKS}])[{_LOOKS}]++(?=[A-Za-z])"
    rf"|(?<![^\W\d_])[{_LOOKS}]++(?![^\W\d_])"
    r"|(?<!\S)(?:[a-z][ ._*-]){2,7}[a-z](?![^\s.,;:])"
    r"|(?<![\w.-])[a-z]{1,6}[0134][a-z0134]{0,6}(?![\w-])"
)
#: What of it ASCII may hold: looked for first, for most slices are ASCII and hold none.
_PLAIN_TYPESETTING = re.compile(
    r"[\n\f\r\x00-\x1f\x7f]|(?<!\S)[a-z](?:[ ._*-][a-z]){2}|[a-z][0134]|[0134][a-z]"
)
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3},$")
_NEXT_THOUSANDS = re.compile(r"\d{3}(?!\d)")
# The number before a line end is looked for in so many characters, and a word has at most so many.
_BEFORE, _LONGEST = 24, 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Readable:
    """The text as read; ``positions[i]`` is where its character ``i`` stands in the slice."""

    text: str
    positions: tuple[int, ...] | range

    @classmethod
    def of(cls, sliced: str, unseen: Sequence[Span] = ()) -> Readable:
        """Read a canonical slice; ``unseen`` are stretches of it that its page does not show."""
        if unseen:
            return cls._without(sliced, unseen)
        if (sliced.isascii() and not _PLAIN_TYPESETTING.search(sliced)) or (
            not _TYPESETTING.search(sliced)
        ):
            return cls(text=sliced, positions=range(len(sliced)))
        parts: list[str] = []
        positions: list[range | list[int]] = []
        done = 0
        for match in _TYPESETTING.finditer(sliced):
            parts.append(sliced[done : match.start()])
            positions.append(range(done, match.start()))
            shown = _show(sliced, match)
            parts.append(shown)
            same = len(shown) == len(match.group())
            at = range(match.start(), match.end()) if same else [match.start()] * len(shown)
            positions.append(at)
            done = match.end()
        parts.append(sliced[done:])
        positions.append(range(done, len(sliced)))
        return cls(text="".join(parts), positions=tuple(chain.from_iterable(positions)))

    @classmethod
    def _without(cls, sliced: str, unseen: Sequence[Span]) -> Readable:
        gone = {place for one in unseen for place in range(one.start, one.end)}
        kept = [place for place in range(len(sliced)) if place not in gone]
        read = cls.of("".join(sliced[place] for place in kept))
        return cls(text=read.text, positions=tuple(kept[place] for place in read.positions))

    def to_slice(self, span: Span) -> Span:
        """A span of the text as read → the same characters in the slice."""
        if not len(span):
            start = self.positions[span.start] if span.start < len(self.positions) else 0
            return Span(start, start)
        return Span(self.positions[span.start], self.positions[span.end - 1] + 1)


def _show(sliced: str, match: re.Match[str]) -> str:
    found = match.group()
    if found in {"\n", "\f", "\r"}:
        return "" if found == "\n" and _parts_number(sliced, match.start()) else " "
    if found[0] in _ALIKE:
        return "".join(map(_ALIKE.__getitem__, found)) if _is_among_latin(sliced, match) else found
    if len(found) > 1 and found.isascii() and found[0].isalpha() and not found.isalpha():
        word = _SPELLED.sub("", found).translate(_DIGITS_AS_LETTERS)
        return word if word in _DENIALS else found
    # NFKC spells a ligature out and takes the style of a letter off; the rest is not shown.
    kept = "\ufb00" <= found[0] <= "\ufb06" or unicodedata.category(found[0])[0] in "LNS"
    return unicodedata.normalize("NFKC", found) if kept else ""


def _parts_number(sliced: str, at: int) -> bool:
    """Whether a line ends between the thousands of a number and its hundreds."""
    # Few lines end so: the others are told at a glance.
    if not sliced.endswith(",", 0, at):
        return False
    before = sliced[max(0, at - _BEFORE) : at]
    parts = _THOUSANDS.search(before) and _NEXT_THOUSANDS.match(sliced, at + 1)
    return bool(parts) and not _MONTHS.search(before)


def _is_among_latin(sliced: str, match: re.Match[str]) -> bool:
    """Whether look-alikes stand in a word of Latin letters, or their word among Latin words."""
    start, end = match.span()
    while start > max(0, match.start() - _LONGEST) and sliced[start - 1].isalpha():
        start -= 1
    while end < min(len(sliced), match.end() + _LONGEST) and sliced[end].isalpha():
        end += 1
    own = sliced[start : match.start()] + sliced[match.end() : end]
    plain = [letter for letter in own if letter not in _ALIKE]
    around = sliced[max(0, start - _LONGEST) : start] + sliced[end : end + _LONGEST]
    near = plain or [letter for letter in around if letter.isalpha()]
    latin = sum(map(str.isascii, near))
    return latin == len(near) if plain else 2 * latin > len(near)
