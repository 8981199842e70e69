"""Prose → tokens, in pieces: the one reader for a whole text and for a stream.

The scanner says of every character whether it is prose, code or part of a token. It decides only if
no later text can change the decision, so that a stream in any cuts gives the pieces of the whole.
Code is what a run of back-ticks encloses: three or more until as many again or the end, one or two
until as many again on the same line. Nothing in code is a token.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import regex

from spanproof.core.budget import checkpoint
from spanproof.core.citation import Anchor
from spanproof.core.span import Span
from spanproof.verifier.formats.grammars.built_in import BUILT_IN
from spanproof.verifier.formats.grammars.patience import PATTERN_SECONDS, Patience
from spanproof.verifier.formats.grammars.table import find_grammars
from spanproof.verifier.formats.grammars.token import SOURCES, Grammar, Token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SOURCES_START = "SOURCES_START"
SOURCES_END = "SOURCES_END"
#: Characters of the longest token; except for a block, a stream holds back no more than that.
LONGEST_TOKEN = 4096
_TICKS = regex.compile(r"`++")
_TICKS_OR_LINE_END = regex.compile(r"`++|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of the text: with ``tokens`` it is one token, else prose, or with the flag code."""

    span: Span
    tokens: tuple[Token, ...] = ()
    is_code: bool = False


def tokenize(prose: str, grammars: Iterable[str] = ("numbered",)) -> tuple[Token, ...]:
    """Every token of the named grammars in the order of the prose; linear in its length.

    With ``ref`` the blocks of sources are tokens too: grammar ``sources``, the values being the
    block's inside and ``closed``, ``unclosed`` (to the end of the text) or ``end`` (an end alone).
    """
    return tuple(read_tokens(prose, grammars))


def read_tokens(prose: str, grammars: Iterable[str]) -> Iterator[Token]:
    """The same, one by one."""
    for piece in Scanner(find_grammars(grammars)).read(prose, final=True):
        checkpoint()
        yield from piece.tokens


def code_spans(text: str) -> tuple[Span, ...]:
    """Code in the text, its back-ticks included; a fenced block may come in several spans."""
    return tuple(piece.span for piece in Scanner(()).read(text, final=True) if piece.is_code)


class Scanner:
    """Reads a text that grows. Decided parts leave ``text``; spans are those of the whole."""

    def __init__(self, grammars: tuple[Grammar, ...]) -> None:
        self._grammars = grammars
        # Those of our own are linear, so the clock is only asked where there are others.
        is_ours = all(any(grammar is ours for ours in BUILT_IN) for grammar in grammars)
        self._patience = Patience(None if is_ours else PATTERN_SECONDS)
        self._has_blocks = any(grammar.name == "ref" for grammar in grammars)
        self._opener = _compile_opener(tuple(g.pattern.pattern for g in grammars), self._has_blocks)
        marks = {grammar.example[0] for grammar in grammars} | (
            {"S"} if self._has_blocks else set()
        )
        self._marks = regex.compile("|".join(map(regex.escape, sorted(marks))) or "(?!)")
        self.text = ""
        #: Where in ``text`` the undecided part begins, and where ``text`` begins in the whole.
        self.position = 0
        self.base = 0
        self.final = False
        self._fence = 0
        self._in_block = False
        # Up to here the ticks or the end that close what is at ``position`` have been searched.
        self._searched = 0

    def read(self, more: str, *, final: bool = False) -> Iterator[Piece]:
        """Append text; every piece that is now decided. With ``final`` nothing more comes."""
        self.append(more, final=final)
        while self.position < len(self.text):
            piece = self._next()
            if piece is None:
                return
            self.position = piece.span.end - self.base
            yield piece

    def append(self, more: str, *, final: bool = False) -> None:
        """Append text and forget what was decided; spans go on counting from its beginning."""
        self._searched = max(0, self._searched - self.position)
        self.text = self.text[self.position :] + more
        self.base += self.position
        self.position = 0
        self.final = self.final or final

    def slice(self, span: Span) -> str:
        """The raw text of a piece that was just read."""
        return self.text[span.start - self.base : span.end - self.base]

    def _next(self) -> Piece | None:
        if self._in_block:
            return self._read_block()
        if self._fence:
            return self._read_fence()
        text, at = self.text, self.position
        start = self._find_opening()
        if start > at:
            return self._piece(start)
        if text[at] == "`":
            return self._read_ticks()
        if self._has_blocks and text.startswith(SOURCES_START, at):
            self._in_block = True
            self._searched = at + len(SOURCES_START)
            return self._read_block()
        if self._has_blocks and text.startswith(SOURCES_END, at):
            return self._end(at + len(SOURCES_END), "", "end")
        return self._read_token()

    def _find_opening(self) -> int:
        """Where the next token, run of ticks or block begins, or may begin once more text comes."""
        text, at = self.text, self.position
        match = self._patience.ask(self._opener.search, text, at)
        found = len(text) if match is None else match.start()
        if self.final:
            return found
        # What may become a token reaches to the end of the text, so it begins not far from there.
        for mark in self._marks.finditer(text, max(at, len(text) - LONGEST_TOKEN), found):
            start: int = mark.start()
            if self._may_begin_block(start) or any(
                self._patience.ask(grammar.pattern.match, text, start, partial=True)
                for grammar in self._grammars
            ):
                return start
        return found

    def _may_begin_block(self, at: int) -> bool:
        head = self.text[at : at + len(SOURCES_START)]
        begins = SOURCES_START.startswith(head) or SOURCES_END.startswith(head)
        return begins and self._has_blocks

    def _read_token(self) -> Piece | None:
        text, at = self.text, self.position
        limit = at + LONGEST_TOKEN
        for grammar in self._grammars:
            match = self._patience.ask(
                grammar.pattern.match, text, at, limit, partial=not self.final
            )
            if match is None or (match.partial and limit <= len(text)):
                continue
            # One more character may make it longer, or decide what is taken away beside it.
            if match.partial or (match.end() == len(text) and not self.final):
                return None
            span = Span(*match.span()).shift(self.base)
            return Piece(
                span=span,
                tokens=tuple(
                    Token(grammar=grammar.name, span=span, values=values)
                    for values in grammar.read(match)
                ),
            )
        if self._may_begin_block(at) and not self.final:
            return None
        return self._piece(at + 1)

    def _read_ticks(self) -> Piece | None:
        text, at = self.text, self.position
        ticks = _TICKS.match(text, at)
        end = at + 1 if ticks is None else ticks.end()
        if end == len(text) and not self.final:
            return None
        if end - at >= 3:
            self._fence = end - at
            return self._piece(end, is_code=True)
        for match in _TICKS_OR_LINE_END.finditer(text, max(end, self._searched)):
            if match[0] == "\n":
                return self._piece(end)
            if match.end() == len(text) and not self.final:
                self._searched = match.start()
                return None
            if match.end() - match.start() == end - at:
                return self._piece(match.end(), is_code=True)
        self._searched = len(text)
        return self._piece(end) if self.final else None

    def _read_fence(self) -> Piece | None:
        text, at = self.text, self.position
        end = len(text)
        for match in _TICKS.finditer(text, at):
            if match.end() == len(text) and not self.final:
                end = match.start()
                break
            if match.end() - match.start() >= self._fence:
                self._fence = 0
                end = match.end()
                break
        return self._piece(end, is_code=True) if end > at else None

    def _read_block(self) -> Piece | None:
        text, inside = self.text, self.position + len(SOURCES_START)
        end = text.find(SOURCES_END, max(inside, self._searched))
        if end >= 0:
            return self._end(end + len(SOURCES_END), text[inside:end], "closed")
        self._searched = max(inside, len(text) - len(SOURCES_END) + 1)
        return self._end(len(text), text[inside:], "unclosed") if self.final else None

    def _end(self, end: int, inside: str, state: str) -> Piece | None:
        if end == len(self.text) and not self.final:
            return None
        self._in_block = False
        span = Span(self.position, end).shift(self.base)
        token = Token(grammar=SOURCES, span=span, values=(inside, state))
        return Piece(span=span, tokens=(token,))

    def _piece(self, end: int, *, is_code: bool = False) -> Piece:
        return Piece(span=Span(self.position, end).shift(self.base), is_code=is_code)


@cache
def _compile_opener(patterns: tuple[str, ...], has_blocks: bool) -> regex.Pattern[str]:  # noqa: FBT001 - a cache's key
    blocks = (SOURCES_START, SOURCES_END) if has_blocks else ()
    return regex.compile("|".join(("`", *blocks, *(f"(?:{pattern})" for pattern in patterns))))


def find_anchors(prose: str) -> tuple[Anchor, ...]:
    """Every anchor of the prose in order; ``[1, 2]`` gives two with the bracket's span."""
    return tuple(
        Anchor(number=int(token.values[0]), span=token.span)
        for token in tokenize(prose, ("numbered",))
    )
