"""An answer while it is written: shows a person its visible text, part by part.

However the text is cut, the visible parts joined are the whole text cleaned. No part of a token is
ever shown: text that may become one waits until that is decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import ConflictError
from spanproof.verifier.formats.cleaning import CleanText, Fate, Trimmer
from spanproof.verifier.formats.grammars.table import find_grammars
from spanproof.verifier.formats.grammars.token import SOURCES
from spanproof.verifier.formats.grammars.tokenizer import Scanner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.verifier.formats.grammars.token import Token
    from spanproof.verifier.formats.grammars.tokenizer import Piece


class TokenStripper:
    """Takes raw text in any cuts and returns the visible part of it."""

    def __init__(self, grammars: Iterable[str] = ("numbered",)) -> None:
        self._scanner = Scanner(find_grammars(grammars))
        self._trimmer = Trimmer()
        #: Tokens that were read so far, those that are held back included.
        self.tokens: list[Token] = []
        # A token whose neighbouring blank is not decided yet, and its raw text.
        self._pending: tuple[Piece, str] | None = None
        self._visible: list[str] = []
        self._held = ""
        self._length = 0
        self._is_closed = False

    def push(self, text: str) -> str:
        """Read the next part of the raw text; returns the text that is now visible."""
        return self._read(text, final=False)

    def close(self) -> str:
        """End the text; return the visible rest. Raises ConflictError for a second end."""
        rest = self._read("", final=True)
        self._is_closed = True
        return rest

    def result(self) -> CleanText:
        """The whole text cleaned, as ``clean`` gives it; raises ConflictError before the end."""
        if not self._is_closed:
            msg = "Expected the end of the stream before its result, got an open stream."
            raise ConflictError(msg, hint="Call close() first.")
        return CleanText(
            text="".join(self._visible),
            raw_length=self._length,
            kept=tuple(self._trimmer.kept),
            tokens=tuple(self.tokens),
            left=tuple(self._trimmer.left),
        )

    def _read(self, more: str, *, final: bool) -> str:
        if self._is_closed:
            msg = "Expected no text after the end of the stream, got some."
            raise ConflictError(msg, hint="Begin a new stream for the next answer.")
        scanner = self._scanner
        self._length += len(more)
        seen: list[str] = [self._held]
        if self._pending is not None:
            # The scanner stands behind the token; it waits until the token is decided.
            scanner.append(more, final=final)
            more = ""
            if not self._decide(*self._pending, seen):
                return ""
        for piece in scanner.read(more, final=final):
            raw = scanner.slice(piece.span)
            if not piece.tokens:
                seen.append(self._trimmer.show(raw, piece.span))
                continue
            self.tokens.extend(piece.tokens)
            if not self._decide(piece, raw, seen):
                break
        return self._give("".join(seen), final=final)

    def _decide(self, piece: Piece, raw: str, seen: list[str]) -> bool:
        scanner, span = self._scanner, piece.span
        fate = self._trimmer.drop(
            scanner.text,
            span,
            span.end - scanner.base,
            block=piece.tokens[0].grammar == SOURCES,
            final=scanner.final,
        )
        self._pending = (piece, raw) if fate is Fate.UNDECIDED else None
        if fate is Fate.STAYS:
            seen.append(self._trimmer.show(raw, span))
        elif fate is Fate.GOES_WITH_BLANK:
            seen[:] = ["".join(seen)[:-1]]
        return self._pending is None

    def _give(self, text: str, *, final: bool) -> str:
        # The last blank may still go with a token that follows.
        keep = 1 if text and not final and self._trimmer.ends_in_blank else 0
        self._held = text[len(text) - keep :]
        given = text[: len(text) - keep]
        self._visible.append(given)
        return given
