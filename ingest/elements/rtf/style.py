"""The style sheet of an RTF document: which styles make headings, titles and captions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.ingest.elements.rtf.story import BODY_TEXT

if TYPE_CHECKING:
    from spanproof.core.documents.text_block import BlockKind
    from spanproof.ingest.elements.rtf.story import StyleKinds

_HEADING = re.compile(r"heading ([1-9])\b")
_KINDS: dict[str, BlockKind] = {"title": "title", "caption": "caption"}


class StyleSheet:
    """Takes the words and characters of one style after the other."""

    def __init__(self) -> None:
        self.kinds: StyleKinds = {}
        self._begin()

    def apply(self, name: str, number: int) -> None:
        """A word of the style at hand."""
        if name == "s":
            self._number = number
        elif name == "outlinelevel" and 0 <= number < BODY_TEXT:
            self._outline = number + 1

    def put(self, text: str) -> None:
        """Characters of the style's name."""
        self._name.append(text)

    def end(self) -> None:
        """Close the style at hand."""
        name = "".join(self._name).strip().rstrip(";").lower()
        # The built-in names are English in every language of Word.
        heading = _HEADING.match(name)
        if heading or self._outline:
            self.kinds[self._number] = "heading", int(heading[1]) if heading else self._outline
        elif name in _KINDS:
            self.kinds[self._number] = _KINDS[name], None
        self._begin()

    def _begin(self) -> None:
        self._number = self._outline = 0
        self._name: list[str] = []
