"""The characters of one block, with white space as XML formats collapse it."""

from __future__ import annotations

import re

# What markup collapses; a no-break space is a character like any other.
_WHITE = re.compile(r"[ \t\r\n\f]+")


class InlineText:
    """Takes the characters of a block bit by bit; spaces at its edges fall, runs become one."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._swallows = True

    def add(self, text: str) -> None:
        """Characters of the markup."""
        collapsed = _WHITE.sub(" ", text)
        if self._swallows and collapsed.startswith(" "):
            collapsed = collapsed[1:]
        if collapsed:
            self._parts.append(collapsed)
            self._swallows = collapsed.endswith(" ")

    def add_kept(self, text: str) -> None:
        """Characters whose white space is meant."""
        if text:
            self._parts.append(text)
            self._swallows = False

    def break_line(self) -> None:
        """A line break, without the spaces around it."""
        self._drop_space()
        self._parts.append("\n")
        self._swallows = True

    def take(self) -> str:
        """The text so far; the next block begins."""
        self._drop_space()
        text = "".join(self._parts)
        self._parts.clear()
        self._swallows = True
        return text

    def _drop_space(self) -> None:
        if self._swallows and self._parts and self._parts[-1].endswith(" "):
            self._parts[-1] = self._parts[-1][:-1]
