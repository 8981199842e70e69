"""The characters of one block, with white space as XML formats collapse it."""

from __future__ import annotations

import re
from typing import NamedTuple

from spanproof.core.documents.layout import CharFlag

# What markup collapses; a no-break space is a character like any other.
_WHITE = re.compile(r"[ \t\r\n\f]+")


class Mark(NamedTuple):
    """Flags of a stretch of a block's text; offsets count its characters."""

    start: int
    end: int
    flags: CharFlag

    def moved(self, by: int) -> Mark:
        """The same, so many characters further on."""
        return Mark(self.start + by, self.end + by, self.flags)


class InlineText:
    """Takes the characters of a block bit by bit; spaces at its edges fall, runs become one."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._flags: list[CharFlag] = []
        self._swallows = True
        #: The flags of what is added from now on.
        self.flags = CharFlag(0)

    def add(self, text: str) -> None:
        """Characters of the markup."""
        collapsed = _WHITE.sub(" ", text)
        if self._swallows and collapsed.startswith(" "):
            collapsed = collapsed[1:]
        if collapsed:
            self._append(collapsed)
            self._swallows = collapsed.endswith(" ")

    def add_kept(self, text: str) -> None:
        """Characters whose white space is meant."""
        if text:
            self._append(text)
            self._swallows = False

    def break_line(self) -> None:
        """A line break, without the spaces around it."""
        self._drop_space()
        self._append("\n")
        self._swallows = True

    def take(self) -> str:
        """The text so far; the next block begins."""
        return self.take_marked()[0]

    def take_marked(self) -> tuple[str, tuple[Mark, ...]]:
        """The same, with the flags of its parts."""
        self._drop_space()
        text = "".join(self._parts)
        marks, at = [], 0
        for part, flags in zip(self._parts, self._flags, strict=True):
            # White space has no ink that could be hidden.
            if flags and part.strip():
                marks.append(Mark(at, at + len(part), flags))
            at += len(part)
        self._parts.clear()
        self._flags.clear()
        self._swallows = True
        return text, tuple(marks)

    def _append(self, part: str) -> None:
        self._parts.append(part)
        self._flags.append(self.flags)

    def _drop_space(self) -> None:
        if self._swallows and self._parts and self._parts[-1].endswith(" "):
            self._parts[-1] = self._parts[-1][:-1]
