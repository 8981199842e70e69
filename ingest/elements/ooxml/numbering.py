"""The numbers that Word puts before list items and headings: they are made, not stored.

A paragraph names a list and a level; the list's levels say where they start, how they count and
what appears around the numbers (ECMA-376 Part 1, 17.9).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.ingest.elements.ooxml.container import (
    attribute,
    child,
    children,
    is_on,
    local,
    to_int,
    value_of,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

_MOST_LEVELS = 9
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
# Beyond these a number is written in figures, so that no label grows without end.
_MOST_ROMAN, _MOST_LETTERS = 3999, 780
_PLACEHOLDER = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    start: int
    style: str
    text: str
    in_figures: bool
    gap: str


_PLAIN = _Level(start=1, style="none", text="", in_figures=False, gap="")


class Numbering:
    """Counts the paragraphs of every list in their order."""

    def __init__(self, root: _Element | None) -> None:
        self._abstract: dict[str, dict[int, _Level]] = {}
        self._style_links: dict[str, str] = {}
        self._lists: dict[str, tuple[str, dict[int, int]]] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._started: set[str] = set()
        if root is not None:
            self._read(root)

    def __contains__(self, number_id: str | None) -> bool:
        return number_id in self._lists

    def label(self, number_id: str, depth: int) -> str:
        """The number of the next paragraph of a list, with the gap after it; empty for bullets."""
        abstract_id, restarts = self._lists[number_id]
        levels = self._abstract.get(abstract_id, {})
        depth = min(max(depth, 0), _MOST_LEVELS - 1)
        counts = self._counts.setdefault(abstract_id, [None] * _MOST_LEVELS)
        if number_id not in self._started:
            self._started.add(number_id)
            for restarted, start in restarts.items():
                counts[restarted] = start - 1
        level = levels.get(depth, _PLAIN)
        before = counts[depth]
        counts[depth] = level.start if before is None else before + 1
        counts[depth + 1 :] = [None] * (_MOST_LEVELS - depth - 1)
        if level.style in {"bullet", "none"} or not level.text:
            return ""

        def number(found: re.Match[str]) -> str:
            index = int(found.group(1)) - 1
            one = levels.get(index, _PLAIN)
            count = counts[index]
            style = "decimal" if level.in_figures else one.style
            return format_number(one.start if count is None else count, style)

        return _PLACEHOLDER.sub(number, level.text) + level.gap

    def _read(self, root: _Element) -> None:
        links: dict[str, str] = {}
        for node in root:
            if local(node) == "abstractNum":
                name = attribute(node, "abstractNumId") or ""
                self._abstract[name] = {
                    to_int(attribute(one, "ilvl")): _read_level(one)
                    for one in children(node, "lvl")
                }
                style, link = value_of(node, "styleLink"), value_of(node, "numStyleLink")
                if style is not None:
                    self._style_links[style] = name
                if link is not None:
                    links[name] = link
        for name, style in links.items():
            # A list that only names a style takes the levels of the list that the style names.
            self._abstract[name] = self._abstract.get(self._style_links.get(style, ""), {})
        for node in children(root, "num"):
            name = attribute(node, "numId") or ""
            abstract_id = value_of(node, "abstractNumId") or ""
            restarts: dict[int, int] = {}
            for override in children(node, "lvlOverride"):
                start = value_of(override, "startOverride")
                level = to_int(attribute(override, "ilvl"))
                if start is not None and 0 <= level < _MOST_LEVELS:
                    restarts[level] = to_int(start, 1)
                redefined = child(override, "lvl")
                if redefined is not None:
                    abstract_id = self._redefine(name, abstract_id, level, redefined)
            self._lists[name] = abstract_id, restarts

    def _redefine(self, name: str, abstract_id: str, level: int, node: _Element) -> str:
        own = f"{abstract_id}/{name}"
        self._abstract[own] = {
            **self._abstract.get(own, self._abstract.get(abstract_id, {})),
            level: _read_level(node),
        }
        return own


def _read_level(node: _Element) -> _Level:
    gap = value_of(node, "suff")
    return _Level(
        start=to_int(value_of(node, "start"), 0),
        style=value_of(node, "numFmt") or "decimal",
        text=value_of(node, "lvlText") or "",
        in_figures=is_on(node, "isLgl"),
        gap="" if gap == "nothing" else " ",
    )


def format_number(number: int, style: str) -> str:
    """A number as a list's level writes it; a style that is not known counts in figures."""
    letters = "letter" in style.lower() and 0 < number <= _MOST_LETTERS
    if style in {"lowerLetter", "upperLetter"} and letters:
        times, index = divmod(number - 1, 26)
        text = chr(ord("a") + index) * (times + 1)
    elif style in {"lowerRoman", "upperRoman"} and 0 < number <= _MOST_ROMAN:
        text = ""
        for value, figure in _ROMAN:
            text += figure * (number // value)
            number %= value
    elif style == "decimalZero":
        return f"{number:02d}"
    elif style == "ordinal":
        return f"{number}{_ordinal_ending(number)}"
    else:
        return str(number)
    return text.upper() if style.startswith("upper") else text


def _ordinal_ending(number: int) -> str:
    if number % 100 in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
