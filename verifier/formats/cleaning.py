"""The text that a person sees: the prose without its tokens, and a map between the two.

A token goes with at most one blank beside it: the one before it where a blank, a line end or a
closing mark follows, the one after it at the beginning of a line. All else stays byte for byte.
A token whose removal would make another out of what stands around it
(``[[1]1]``) is left, and named in ``CleanText.left``.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

import regex

from spanproof.core.budget import checkpoint
from spanproof.core.errors import MalformedSpanError
from spanproof.core.span import Span
from spanproof.verifier.formats.grammars.patience import PATTERN_SECONDS, Patience
from spanproof.verifier.formats.grammars.table import GRAMMARS
from spanproof.verifier.formats.grammars.token import SOURCES
from spanproof.verifier.formats.grammars.tokenizer import (
    LONGEST_TOKEN,
    SOURCES_END,
    SOURCES_START,
    tokenize,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.verifier.formats.grammars.token import Token

#: Text before a token that opens its line: indentation, marks of lists and tables.
_LEAD = regex.compile(r"(?:[ \t]++|[-*+•>|](?=[ \t])|[0-9]{1,3}[.)](?=[ \t])|#{1,6}(?=[ \t]))*+")
_LONGEST_LEAD = 64
#: How much of the line before and of the text after a token is looked at for a token in the making.
_REACH = LONGEST_TOKEN
_BLANKS = " \t"
_CLOSING = frozenset(" \t\r\n.,;:!?)]}»”’…。、，；：！？）】」』")


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanText:
    """The clean text and where each part of it stands in the raw one; offsets are code points.

    ``kept`` are the raw spans of which the text consists, in order. ``left`` are tokens that stay
    visible because their removal would make another.
    """

    text: str
    raw_length: int
    kept: tuple[Span, ...]
    tokens: tuple[Token, ...] = ()
    left: tuple[Span, ...] = ()
    # Where each kept span begins in the clean text.
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = tuple(accumulate((len(span) for span in self.kept), initial=0))
        object.__setattr__(self, "_starts", starts)

    def to_clean(self, offset: int) -> int:
        """The place in the clean text of a raw offset; inside a token, where the token was."""
        self._check(offset, self.raw_length)
        index = bisect_right(self.kept, offset, key=lambda span: span.start) - 1
        if index < 0:
            return 0
        span = self.kept[index]
        return self._starts[index] + min(offset, span.end) - span.start

    def to_raw(self, offset: int) -> int:
        """The place in the raw text of the character at a clean offset; its end for the end."""
        self._check(offset, len(self.text))
        if offset == len(self.text):
            return self.raw_length
        index = bisect_right(self._starts, offset) - 1
        return self.kept[index].start + offset - self._starts[index]

    def span_to_clean(self, span: Span) -> Span:
        """The visible part of a raw span; empty if all of it is removed."""
        return Span(self.to_clean(span.start), self.to_clean(span.end))

    def span_to_raw(self, span: Span) -> Span:
        """From the first to the last character of a clean span; tokens between them are inside."""
        start = self.to_raw(span.start)
        if span.start == span.end:
            return Span(start, start)
        self._check(span.end, len(self.text))
        return Span(start, self.to_raw(span.end - 1) + 1)

    @property
    def removed(self) -> tuple[Span, ...]:
        """The raw spans that are not seen."""
        edges = [0, *(edge for span in self.kept for edge in (span.start, span.end))]
        pairs = zip(edges[::2], [*edges[1::2], self.raw_length], strict=True)
        return tuple(Span(start, end) for start, end in pairs if start < end)

    @staticmethod
    def _check(offset: int, length: int) -> None:
        if not 0 <= offset <= length:
            msg = f"Expected an offset in 0..{length}, got {offset}."
            raise MalformedSpanError(msg, hint="Give an offset inside the text.")


class Fate(Enum):
    """The fate of a token: gone, gone with the blank before it, left, or not yet known."""

    GOES = auto()
    GOES_WITH_BLANK = auto()
    STAYS = auto()
    UNDECIDED = auto()


class Trimmer:
    """Decides token by token what goes; the same for a whole text and for one that grows."""

    def __init__(self) -> None:
        self.kept: list[Span] = []
        self.left: list[Span] = []
        # The visible part of the line so far, its last characters at least.
        self._line = ""
        self._skips_blank = False

    @property
    def ends_in_blank(self) -> bool:
        """Whether the last visible character may still go."""
        return self._line[-1:] in {" ", "\t"}

    def show(self, text: str, span: Span) -> str:
        """Take in visible text, from ``span`` of the raw text; return the part that stays."""
        if self._skips_blank and text:
            self._skips_blank = False
            text, span = text[1:], Span(span.start + 1, span.end)
        if not text:
            return ""
        if self.kept and self.kept[-1].end == span.start:
            span = Span(self.kept.pop().start, span.end)
        self.kept.append(span)
        line_end = text.rfind("\n")
        line = text[line_end + 1 :] if line_end >= 0 else self._line + text
        # One more than the reach, so that a cut line is never taken for a short one.
        self._line = line[-_REACH - 1 :]
        return text

    def drop(self, text: str, span: Span, at: int, *, block: bool, final: bool) -> Fate:
        """The fate of the token at ``span``; ``text[at:]`` follows it.

        UNDECIDED if the following text does not suffice; the state is then unchanged.
        """
        follower = text[at : at + 1]
        if not follower and not final:
            return Fate.UNDECIDED
        opens_line = len(self._line) <= _LONGEST_LEAD and _LEAD.fullmatch(self._line)
        before = after = 0
        if opens_line:
            after = int(follower in {" ", "\t"})
        elif self.ends_in_blank and (not follower or follower in _CLOSING):
            before = 1
        if not block:
            line = self._line[: len(self._line) - before]
            following = text[at + after : at + after + _REACH]
            whole = final or at + after + _REACH <= len(text)
            makes_token = _makes_token(line, following, whole=whole)
            if makes_token is None:
                return Fate.UNDECIDED
            if makes_token:
                self.left.append(span)
                return Fate.STAYS
        if before:
            last = self.kept.pop()
            self._line = self._line[:-1]
            if len(last) > 1:
                self.kept.append(Span(last.start, last.end - 1))
        self._skips_blank = bool(after)
        return Fate.GOES_WITH_BLANK if before else Fate.GOES


def strip_tokens(prose: str, tokens: Sequence[Token]) -> CleanText:
    """The prose without the tokens, which ``tokenize`` found in it."""
    trimmer = Trimmer()
    position = 0
    for span, group in groupby(tokens, key=lambda token: token.span):
        checkpoint()
        trimmer.show(prose[position : span.start], Span(position, span.start))
        is_block = next(group).grammar == SOURCES
        if trimmer.drop(prose, span, span.end, block=is_block, final=True) is Fate.STAYS:
            trimmer.show(prose[span.start : span.end], span)
        position = span.end
    trimmer.show(prose[position:], Span(position, len(prose)))
    parts = [prose[span.start : span.end] for span in trimmer.kept]
    return CleanText(
        text="".join(parts),
        raw_length=len(prose),
        kept=tuple(trimmer.kept),
        tokens=tuple(tokens),
        left=tuple(trimmer.left),
    )


def clean(prose: str, grammars: Iterable[str] = ("numbered",)) -> CleanText:
    """The prose without the tokens of the named grammars."""
    return strip_tokens(prose, tokenize(prose, grammars))


def _makes_token(line: str, following: str, *, whole: bool) -> bool | None:
    """Whether a token of any grammar begins in ``line`` and ends in ``following``.

    None if more of what follows could decide otherwise (it is not ``whole``).
    """
    made = [
        _joins_ticks(line, following, whole=whole),
        *(
            _joins_keyword(line, following, keyword, whole=whole)
            for keyword in (SOURCES_START, SOURCES_END)
        ),
    ]
    patience = Patience(PATTERN_SECONDS)
    for start in _find_openings(line):
        joined = line[start:] + following
        for grammar in GRAMMARS.values():
            match = patience.ask(grammar.pattern.match, joined, partial=not whole)
            if match is not None:
                made.append(None if match.partial else match.end() > len(line) - start)
    return True if True in made else None if None in made else False


def _joins_ticks(line: str, following: str, *, whole: bool) -> bool | None:
    if line.endswith("`") and not (following or whole):
        return None
    return line.endswith("`") and following.startswith("`")


def _joins_keyword(line: str, following: str, keyword: str, *, whole: bool) -> bool | None:
    for length in range(1, len(keyword)):
        head = following[: len(keyword) - length]
        if line.endswith(keyword[:length]) and keyword[length:].startswith(head):
            if len(head) == len(keyword) - length:
                return True
            if not whole:
                return None
    return False


def _find_openings(line: str) -> list[int]:
    """The places of possible unfinished tokens: no token contains its own opening mark."""
    found = set()
    for mark in {grammar.example[0] for grammar in GRAMMARS.values()}:
        last = line.rfind(mark)
        found |= {start for start in range(last - 2, last + 1) if start >= 0}
    return sorted(found)
