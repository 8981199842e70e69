"""Markdown: which of its characters a reader of the page does not see, or sees struck out.

Comments, titles of links, what stands for a picture, and what HTML inside the text takes away are
in the file and not on the page. Code shows what it says. The text stays as it is: no character of
it is changed.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.elements.styles.seen import UNSEEN, Seen, see
from spanproof.ingest.elements.styles.sheet import Node, Sheet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.assembly.characters import Flags

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_INLINE_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,1000}\1(?!`)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DEFINITION = re.compile(
    r"^ {0,3}\[[^\]\n]{1,999}\]:[ \t]*\n?[ \t]*\S+"
    r"""(?:[ \t]*\n?[ \t]*(?:"[^"\n]*"|'[^'\n]*'|\([^)\n]*\)))?[ \t]*$""",
    re.MULTILINE,
)
# What stands before a page for its programs: "---", names with values, "---".
_FRONT = re.compile(r"\A---[ \t]*\n(?=[\w-]+:)(?:[^\n]*\n){1,200}?(?:---|\.\.\.)[ \t]*(?=\n|\Z)")
#: A footnote with its further lines; one that nothing refers to is not shown.
_NOTE = re.compile(
    r"^ {0,3}(?P<mark>\[\^[^\]\s]{1,100}\]):[^\n]*(?:\n(?: {4}|\t)[^\n]*)*", re.MULTILINE
)
# Behind the words of a link or a picture; its address alone says nothing that could be cited.
_TITLE = re.compile(
    r"""(?<=\]\()[^()\s]{0,2000}[ \t]+(?:"[^"\n]{1,2000}"|'[^'\n]{1,2000}')(?=[ \t]*\))"""
)
# The words of a picture are shown only where it cannot be.
_PICTURE = re.compile(r"!\[[^\]\n]{1,2000}\](?=[(\[])")
_STRUCK = re.compile(r"(?<!~)~~(?=\S)[^\n]{1,5000}?(?<=\S)~~(?!~)")
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
                   "source", "track", "wbr"})  # fmt: skip
_UNREAD = frozenset({"script", "style", "template", "title", "head", "datalist", "textarea"})


def find_flags(text: str) -> Flags:
    """The flags of each character of a Markdown text that are about what is seen."""
    found = np.zeros(len(text), np.uint16)
    open_text = _blank(text, _code_spans(text))
    for pattern, flags in (
        (_COMMENT, UNSEEN),
        (_FRONT, UNSEEN),
        (_DEFINITION, UNSEEN),
        (_TITLE, UNSEEN),
        (_PICTURE, UNSEEN),
        (_STRUCK, CharFlag.STRUCK),
    ):
        for match in pattern.finditer(open_text):
            found[match.start() : match.end()] |= np.uint16(flags)
    for match in _NOTE.finditer(open_text):
        if open_text.count(match["mark"]) == 1:
            found[match.start() : match.end()] |= np.uint16(UNSEEN)
    if "<" in open_text:
        _read_elements(_blank(open_text, (m.span() for m in _COMMENT.finditer(open_text))), found)
    return found


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    at, opened = 0, ""
    for fence in _FENCE.finditer(text):
        if not opened:
            at, opened = fence.start(), fence[1]
        elif fence[1][0] == opened[0] and len(fence[1]) >= len(opened):
            yield at, fence.end()
            opened = ""
    if opened:
        yield at, len(text)
    yield from (match.span() for match in _INLINE_CODE.finditer(text))


def _blank(text: str, spans: Iterator[tuple[int, int]]) -> str:
    """The text with other characters in place of some stretches, as long as it was."""
    parts, at = [], 0
    for start, end in sorted(spans):
        if start >= at:
            parts += [text[at:start], re.sub(r"[^\n]", "x", text[start:end])]
            at = end
    return "".join([*parts, text[at:]])


def _read_elements(text: str, found: Flags) -> None:
    reader = _Elements(text)
    for body in re.findall(r"<style\b[^>]*>(.*?)</style", text, re.DOTALL | re.IGNORECASE):
        reader.sheet.add(body)
    reader.feed(text)
    reader.close()
    for start, end, flags in reader.found:
        found[start:end] |= np.uint16(flags)


class _Elements(HTMLParser):
    """Follows the elements of a text; ``found`` are the stretches inside that are not seen."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.sheet = Sheet()
        self.found: list[tuple[int, int, CharFlag]] = []
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self._open: list[tuple[Node, Seen]] = []

    def _at(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {k: v or "" for k, v in attrs}, self._open[-1][0] if self._open else None)
        if tag in _VOID:
            return
        outer = self._open[-1][1] if self._open else Seen()
        seen = see(node, self.sheet, outer)
        if "hidden" in node.attributes or tag in _UNREAD:
            seen = Seen(flags=seen.flags | UNSEEN)
        self._open.append((node, seen))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element that holds nothing."""

    def handle_endtag(self, tag: str) -> None:
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index][0].tag == tag:
                del self._open[index:]
                return

    def handle_data(self, data: str) -> None:
        flags = self._open[-1][1].text_flags if self._open else None
        if flags:
            start = self._at()
            self.found.append((start, start + len(data), flags))

    def unknown_decl(self, data: Any) -> None:  # noqa: ANN401 - the library's own signature
        """A declaration shows nothing."""
