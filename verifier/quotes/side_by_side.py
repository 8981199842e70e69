"""A quote and a slice of its source, side by side: the characters around a place of both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.match_views import (
    QUOTE_MARKS,
    SOFT_HYPHEN,
    WHITE_SPACE,
    ZERO_WIDTH,
    ligatures,
    widths,
)
from spanproof.core.documents.overprint import overprint_of
from spanproof.core.documents.white_space.crossings import find_crossing
from spanproof.verifier.language.joined_words import may_be_other_word
from spanproof.verifier.language.lexicon import Locale, lexicon_of
from spanproof.verifier.language.protected import is_number_character, unfoldable_words

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.white_space.cell_edges import Crossing

FoldName = Literal[
    "white_space",
    "synthetic_space",
    "line_break",
    "line_end_hyphen",
    "soft_hyphen",
    "ignorable",
    "ligature",
    "width",
    "quote_style",
    "dash_style",
    "overprint",
    "spacing",
    "row_joined",
    "line_order",
    "lost_glyph",
    "raised",
    "cell_value",
]
#: Characters taken from the quote, characters taken from the source, the fold that allows it.
Step = tuple[int, int, FoldName | None]
LINE_END_HYPHENS = frozenset("-‐") | {SOFT_HYPHEN}
_PRIVATE_MARKS = int(CharFlag.SYNTHETIC | CharFlag.SEPARATOR)
_BLANKS = frozenset(" \t\u00a0")
#: How far a word is followed; longer words are never protected.
_REACH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteAlongside:
    """The two texts; ``start`` and ``end`` bound the slice, its neighbours stay readable."""

    quote: str
    text: str
    start: int
    end: int
    extraction: Extraction

    def run_end(self, index: int) -> int:
        """Where the source's white space that starts at an index ends (inside the slice)."""
        while index < self.end and self.text[index] in WHITE_SPACE:
            index += 1
        return index

    def is_private_mark(self, start: int, end: int) -> bool:
        """Whether extraction inserted every one of these characters."""
        layout = self.extraction.layout
        return layout is not None and bool((layout.flags[start:end] & _PRIVATE_MARKS).all())

    def is_line_break(self, start: int, end: int) -> bool:
        """Whether this white space ends a line: ours with a separator, or one plain newline."""
        layout = self.extraction.layout
        if layout is not None:
            separated = layout.flags[start:end] & int(CharFlag.SEPARATOR)
            return self.is_private_mark(start, end) and bool(separated.any())
        run = self.text[start:end].replace("\r\n", "\n")
        return run.strip(" \t") == "\n"

    def ends_line(self, start: int, end: int) -> bool:
        """Whether this white space ends a line, real blanks beside our separator allowed.

        Extractors keep a blank that the page has after a hyphen (``bul- ⏎lets``).
        """
        layout = self.extraction.layout
        if layout is None or self.is_line_break(start, end):
            return self.is_line_break(start, end)
        flags = layout.flags[start:end]
        blank = all(
            character in _BLANKS or bool(flag & _PRIVATE_MARKS)
            for character, flag in zip(self.text[start:end], flags.tolist(), strict=True)
        )
        return blank and bool((flags & int(CharFlag.SEPARATOR)).any())

    def find_crossing(self, left: int, right: int) -> Crossing | None:
        """What the source's white space ``text[left:right]`` parts beside words."""
        return find_crossing(self.extraction, left, right)

    def is_copy(self, index: int) -> bool:
        """Whether the character at an index is painted over the same one."""
        copies = overprint_of(self.extraction)
        return copies is not None and bool(copies[index])

    def copies_end(self, index: int) -> int:
        """The end of the copies that start at an index; the index itself if no copy starts there.

        White space between copies goes with them. White space behind the last goes only if there
        was some before the first, so that one of the two remains.
        """
        end, at = index, index
        while at < self.end and (self.is_copy(at) or self.text[at] in WHITE_SPACE):
            at += 1
            if self.is_copy(at - 1):
                end = at
        parted = index == self.start or self.text[index - 1] in WHITE_SPACE
        return self.run_end(end) if end > index and parted else end

    def letter(self, index: int) -> bool:
        """Whether a letter of the source stands at an index."""
        return 0 <= index < len(self.text) and self.text[index].isalpha()

    def token_before(self, index: int) -> str:
        """The unbroken run of visible characters that ends before an index."""
        start = index
        floor = max(0, index - _REACH)
        while start > floor and self.text[start - 1] not in WHITE_SPACE:
            start -= 1
        return self.text[start:index]

    def token_after(self, index: int) -> str:
        """The unbroken run of visible characters that starts at an index."""
        end = index
        ceiling = min(len(self.text), index + _REACH)
        while end < ceiling and self.text[end] not in WHITE_SPACE:
            end += 1
        return self.text[index:end]

    def parts_words(self, left: int, right: int, *, broken: bool) -> bool:
        """Whether the blank between ``left`` and ``right`` visibly parts two cased words.

        A capital after it starts a name of its own; a single letter at a line break is a word, and
        so is what joined would read as another word.
        """
        if not (self.letter(left - 1) and self.letter(right)):
            return False
        last, first = self.text[left - 1], self.text[right]
        if last.lower() == last.upper() or first.lower() == first.upper():
            return False
        if first.isupper() and (broken or not last.isupper()):
            return True
        words = last_word(self.token_before(left)), first_word(self.token_after(right))
        return (broken and min(map(len, words)) == 1) or may_be_other_word(*words)

    def joins_months(self, index: int) -> bool:
        """Whether the dash at an index stands between two months written with capitals."""
        before, after = self.token_before(index), self.token_after(index + 1)
        head, tail = last_word(before), first_word(after)
        written = before[len(before) - len(head) :], after[: len(tail)]
        return all(
            word[:1].isupper() and word.lower() == plain and plain in month_names()
            for word, plain in zip(written, (head, tail), strict=True)
        )

    def is_protected(self, left: int, right: int) -> bool:
        """Whether what ends at ``left`` or starts at ``right``, or both joined, is protected."""
        before, after = self.token_before(left), self.token_after(right)
        if any(map(is_number_character, before)) or any(map(is_number_character, after)):
            return True
        head, tail = last_word(before), first_word(after)
        return not unfoldable_words().isdisjoint({head, tail, head + tail})


@cache
def month_names(locale: Locale = "en") -> frozenset[str]:
    """The months and their short names, in small letters."""
    months = lexicon_of(locale).months
    return frozenset(months) | {month[:3] for month in months} | {"sept"}


def _plain(character: str) -> str:
    if character.isascii():
        return character
    if character in ZERO_WIDTH or character == SOFT_HYPHEN:
        return ""
    letters = ligatures().get(character) or widths().get(character) or character
    return QUOTE_MARKS.get(letters, letters)


def last_word(token: str) -> str:
    """The word at the token's end, as it reads: small letters, nothing invisible, no ligature."""
    plain = "".join(map(_plain, token)).lower()
    start = len(plain)
    while start and (plain[start - 1].isalpha() or plain[start - 1] == "'"):
        start -= 1
    return plain[start:].strip("'")


def first_word(token: str) -> str:
    """The word at the token's start, as it reads."""
    plain = "".join(map(_plain, token)).lower()
    end = 0
    while end < len(plain) and (plain[end].isalpha() or plain[end] == "'"):
        end += 1
    return plain[:end].strip("'")
